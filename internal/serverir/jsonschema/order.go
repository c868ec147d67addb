package jsonschema

import (
	"bytes"
	"encoding/json"
	"slices"
)

// role says what a value in a schema is: other data, a schema, a list of schemas, or schemas by name.
type role uint8

const (
	data role = iota
	schema
	schemas
	named
)

// roles are the keywords that hold schemas.
var roles = map[string]role{
	"$defs": named, "properties": named,
	"items": schema, "additionalProperties": schema, "propertyNames": schema,
	"oneOf": schemas, "anyOf": schemas, "allOf": schemas,
}

// typeFirst returns a schema with the type of each schema before its other keywords, as people write them; the order
// is else that of text.
func typeFirst(text []byte, at role) ([]byte, error) {
	switch {
	case at == schemas:
		return typesFirst(text)
	case at == data || len(text) == 0 || text[0] != '{':
		return text, nil
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	var first, rest []byte
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		word, _ := name.(string)
		in := schema
		if at == schema {
			in = roles[word]
		}
		if value, err = typeFirst(value, in); err != nil {
			return nil, err
		}
		key, err := json.Marshal(word)
		if err != nil {
			return nil, err
		}
		member := append(append(append([]byte{','}, key...), ':'), value...)
		if at == schema && word == "type" {
			first = member
		} else {
			rest = append(rest, member...)
		}
	}
	members := slices.Concat(first, rest)
	if len(members) == 0 {
		return text, nil
	}
	members[0] = '{'
	return append(members, '}'), nil
}

// typesFirst is typeFirst for a list of schemas.
func typesFirst(text []byte) ([]byte, error) {
	var list []json.RawMessage
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, err
	}
	out := []byte{'['}
	for i, s := range list {
		if i > 0 {
			out = append(out, ',')
		}
		ordered, err := typeFirst(s, schema)
		if err != nil {
			return nil, err
		}
		out = append(out, ordered...)
	}
	return append(out, ']'), nil
}
