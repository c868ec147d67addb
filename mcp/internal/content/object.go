package content

import (
	"encoding/json"
	"errors"

	"github.com/mcpgen/mcpgen/mcp/wire"
)

// EmptyObject is a JSON object without members. It must not be changed.
var EmptyObject = []byte("{}")

// errNoObject is the error of a method that promises a value and returns a nil pointer.
var errNoObject = errors.New("mcp: the method returned a nil pointer and no error")

// EncodeObject adapts a method of an extension that returns a struct or a map. It returns an error if v and err are
// both nil.
func EncodeObject[P any](encode func(e *wire.Encoder, v P), v P, err error) (json.RawMessage, error) {
	switch {
	case err != nil:
		return nil, err
	case IsNilPointer(v):
		return nil, errNoObject
	}
	return encoded(encode, v)
}

// AsObject is [EncodeObject] with encoding/json in place of a generated function.
func AsObject[T any](v T, err error) (json.RawMessage, error) {
	if err != nil {
		return nil, err
	}
	return marshal(&v)
}

// AsEmpty adapts a method of an extension that returns only an error. The result is an empty object.
func AsEmpty(err error) (json.RawMessage, error) {
	if err != nil {
		return nil, err
	}
	return EmptyObject, nil
}

// EncodeSettings returns a function that encodes v, the settings of an extension: a struct or a map.
func EncodeSettings[P any](encode func(e *wire.Encoder, v P), v P) func() (json.RawMessage, error) {
	return func() (json.RawMessage, error) { return EncodeObject(encode, v, nil) }
}

// Settings is [EncodeSettings] with encoding/json in place of a generated function.
func Settings[P any](v P) func() (json.RawMessage, error) {
	return func() (json.RawMessage, error) { return AsObject(v, nil) }
}
