package wire

import (
	"encoding/json"
	"strconv"
)

// The error codes that JSON-RPC 2.0 itself defines.
const (
	CodeParse          = -32700 // the text is not JSON, or not JSON that Check accepts
	CodeInvalidRequest = -32600 // JSON, but not a JSON-RPC message
	CodeMethodNotFound = -32601
	CodeInvalidParams  = -32602
	CodeInternal       = -32603
)

// Error is the error object of a JSON-RPC response. It is an error, so that a handler can return one to choose the
// code.
type Error struct {
	Code    int
	Message string
	Data    json.RawMessage // any JSON value; nil means no data member
}

// NewError returns an Error without data.
func NewError(code int, message string) *Error { return &Error{Code: code, Message: message} }

// Error implements error. Data is left out.
func (e *Error) Error() string { return e.Message + " (code " + strconv.Itoa(e.Code) + ")" }

// AppendJSON appends the error object.
func (e *Error) AppendJSON(b []byte) []byte {
	b = append(b, `{"code":`...)
	b = strconv.AppendInt(b, int64(e.Code), 10)
	b = append(b, `,"message":`...)
	b = AppendString(b, e.Message)
	if e.Data != nil {
		b = append(b, `,"data":`...)
		b = AppendRaw(b, e.Data)
	}
	return append(b, '}')
}

// DecodeJSON reads an error object. Code and message are required, unknown members are dropped.
func (e *Error) DecodeJSON(d *Decoder) {
	*e = Error{}
	if !d.Object() {
		return
	}
	var code, message bool
	for d.Next() {
		switch string(d.Name()) {
		case "code":
			e.Code, code = int(d.Int()), true
		case "message":
			e.Message, message = d.String(), true
		case "data":
			e.Data = d.RawCopy()
		}
	}
	if !code {
		d.Missing("code")
	}
	if !message {
		d.Missing("message")
	}
}
