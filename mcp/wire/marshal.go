package wire

import "errors"

// errNoRevision is what encoding/json says of a message.
var errNoRevision = errors.New("wire: a message has no JSON without a revision; call wire.Marshal or AppendJSON")

// MarshalJSON returns an error: each message has an Extra, and encoding/json would write its Go fields.
func (x Extra) MarshalJSON() ([]byte, error) { return nil, errNoRevision }

// Marshal returns a message as the revision writes it. What the revision does not accept, such as a union without a
// member or a missing id, is an error that has the JSON pointer of the place. For what is known to be right, AppendJSON
// does the same without reading what it has written.
func Marshal[T, R any, P interface {
	Encodable[T, R]
	Decodable[T, R]
}](v P, rev R) ([]byte, error) {
	if v == nil {
		return nil, errors.New("wire: nil is no message")
	}
	b := v.AppendJSON(nil, rev)
	d := NewDecoder(b)
	P(new(T)).DecodeJSON(&d, rev)
	if err := d.Err(); err != nil {
		return nil, err
	}
	return b, nil
}
