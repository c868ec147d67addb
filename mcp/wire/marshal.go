package wire

import "errors"

// errNoRevision is the error of encoding/json for every message.
var errNoRevision = errors.New("wire: a message has no JSON without a revision; call wire.Marshal or AppendJSON")

// MarshalJSON returns an error: each message has an Extra, and encoding/json would write its Go fields.
func (x Extra) MarshalJSON() ([]byte, error) { return nil, errNoRevision }

// Marshal returns a message as the revision writes it. It is an error if the revision does not allow the message, such
// as a union without a member or a missing id; the error has the JSON pointer of the place. To find out, Marshal reads
// what it has written; AppendJSON is for messages that are known to be right.
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
