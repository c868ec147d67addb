package task

import (
	"encoding/json"
	"fmt"

	"github.com/mcpgen/mcpgen/mcp/wire"
)

// A body is read and written without package json, which would make two or three copies of what may have megabytes.

// texts are the members of a body that are JSON, by their names.
func (b *Body) texts() [6]struct {
	name string
	text *json.RawMessage
} {
	return [...]struct {
		name string
		text *json.RawMessage
	}{
		{"Args", &b.Args},
		{"Meta", &b.Meta},
		{"Asked", &b.Asked},
		{"Answers", &b.Answers},
		{"Result", &b.Result},
		{"Error", &b.Error},
	}
}

// encode returns b as JSON.
func (b *Body) encode() ([]byte, error) {
	checkpoint, err := json.Marshal(b.Checkpoint)
	if err != nil {
		return nil, fmt.Errorf("task: %w", err)
	}
	const names = 100 // bytes of all names, and of the punctuation around them
	out := make([]byte, 0, names+b.bytes()-len(b.Checkpoint)+len(checkpoint))
	out = append(append(out, `{"Checkpoint":`...), checkpoint...)
	for _, m := range b.texts() {
		if len(*m.text) == 0 {
			continue
		}
		if !json.Valid(*m.text) {
			return nil, fmt.Errorf("task: %s of the record is not JSON", m.name)
		}
		out = append(append(append(append(out, `,"`...), m.name...), `":`...), *m.text...)
	}
	return append(out, '}'), nil
}

// decode reads what encode has returned. b shares the memory of text.
func (b *Body) decode(text []byte) (err error) {
	if !json.Valid(text) {
		return fmt.Errorf("task: the body of the record is not JSON")
	}
	d := wire.NewDecoder(text)
members:
	for d.Object(); d.Next() && err == nil; {
		name, value := string(d.Name()), d.Raw()
		for _, m := range b.texts() {
			if m.name == name {
				*m.text = value
				continue members
			}
		}
		if name == "Checkpoint" {
			err = json.Unmarshal(value, &b.Checkpoint)
		}
	}
	if err == nil {
		err = d.Err()
	}
	if err != nil {
		return fmt.Errorf("task: %w", err)
	}
	return nil
}
