package validator

import (
	"bytes"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Validate checks a JSON text against a definition of a revision. The definition may be a path below the
// definitions, as in "PingRequest/properties/params". With extra, members that the revision does not know are allowed.
func (s *Schemas) Validate(revision, definition string, text []byte, extra bool) error {
	sc, err := s.of(revision)
	if err != nil {
		return err
	}
	if !extra {
		return sc.validateText(definition, text)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	return sc.validateIn("mcp:open", definition, v)
}

func (s *schema) validateText(def string, text []byte) error {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	return s.validate(def, v)
}
