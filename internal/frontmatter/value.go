package frontmatter

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Member is a member of a mapping. Its value is a string, a json.Number, a bool, nil, a Map or a []any.
type Member struct {
	Name  string
	Value any
}

// Map is a mapping in the order of the text.
type Map []Member

// Get returns the value of a member, nil if there is none.
func (m Map) Get(name string) any {
	for _, x := range m {
		if x.Name == name {
			return x.Value
		}
	}
	return nil
}

// MarshalJSON implements json.Marshaler.
func (m Map) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, x := range m {
		if i > 0 {
			b = append(b, ',')
		}
		name, err := json.Marshal(x.Name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(x.Value)
		if err != nil {
			return nil, err
		}
		b = append(append(append(b, name...), ':'), value...)
	}
	return append(b, '}'), nil
}

// value converts a node and what is in it.
func value(n *yaml.Node, depth int) (any, error) {
	switch {
	case depth > maxDepth:
		return nil, failed(n, "more than %d levels", maxDepth)
	case n.Anchor != "":
		return nil, failed(n, "%s", unreadable("&"+n.Anchor))
	case n.Kind == yaml.AliasNode:
		return nil, failed(n, "%s", unreadable("*"+n.Value))
	case n.Style&yaml.TaggedStyle != 0:
		return nil, failed(n, "%s", unreadable(n.Tag))
	case n.Kind == yaml.MappingNode:
		return mapping(n, depth)
	case n.Kind == yaml.SequenceNode:
		list := []any{}
		for _, x := range n.Content {
			v, err := value(x, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		return list, nil
	case n.Style == 0:
		return plain(n.Value), nil
	}
	return n.Value, nil
}

func mapping(n *yaml.Node, depth int) (any, error) {
	m := Map{}
	for i := 0; i < len(n.Content); i += 2 {
		key := n.Content[i]
		if _, err := value(key, depth+1); err != nil {
			return nil, err
		}
		switch {
		case key.Kind != yaml.ScalarNode:
			return nil, failed(key, "the name of a member is no text")
		case key.Style == 0 && (key.Value == "" || key.Value == "<<"):
			return nil, failed(key, "`%s` cannot be read as the name of a member", key.Value)
		case slices.ContainsFunc(m, func(x Member) bool { return x.Name == key.Value }):
			return nil, failed(key, "`%s` is given twice", key.Value)
		}
		v, err := value(n.Content[i+1], depth+1)
		if err != nil {
			return nil, err
		}
		m = append(m, Member{key.Value, v})
	}
	return m, nil
}

// The forms of numbers. What is of no such form is a text: clients read skills by YAML 1.2, where 1_000 is one and 010
// is ten, and the library by YAML 1.1.
var (
	based   = regexp.MustCompile(`^0(o[0-7]+|x[0-9a-fA-F]+)$`)
	whole   = regexp.MustCompile(`^[-+]?[0-9]{1,18}$`) // as many as an int64 has room for
	decimal = regexp.MustCompile(`^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)
)

// plain is the value of a text without quotes, by the core schema of YAML 1.2.
func plain(text string) any {
	switch text {
	case "", "~", "null", "Null", "NULL":
		return nil
	case "true", "True", "TRUE":
		return true
	case "false", "False", "FALSE":
		return false
	}
	switch {
	case based.MatchString(text):
		if n, err := strconv.ParseUint(text, 0, 53); err == nil {
			return json.Number(strconv.FormatUint(n, 10))
		}
	case whole.MatchString(text):
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return json.Number(strconv.FormatInt(n, 10))
		}
	case decimal.MatchString(text):
		f, err := strconv.ParseFloat(strings.TrimSuffix(text, "."), 64)
		if b, fault := json.Marshal(f); err == nil && fault == nil { // 1e999 is no number of JSON
			return json.Number(b)
		}
	}
	return text
}
