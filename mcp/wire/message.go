package wire

import (
	"bytes"
	"unicode"
)

// Message is the envelope of one JSON-RPC message. Its slices alias the text that was parsed. They are raw JSON, but
// Method is unescaped; if it had escapes, it has memory of its own.
type Message struct {
	ID     ID     // zero for a notification, and for an error response to an id that the peer could not read
	Method []byte // nil for a response
	Params []byte // an object or array, nil if absent
	Result []byte // nil unless the message is a successful response
	Error  []byte // an object, nil unless the message is an error response
}

// IsRequest reports whether the message wants an answer.
func (m *Message) IsRequest() bool { return m.Method != nil && !m.ID.IsZero() }

// IsNotification reports whether the message is a method without id.
func (m *Message) IsNotification() bool { return m.Method != nil && m.ID.IsZero() }

// IsResponse reports whether the message answers a request of ours.
func (m *Message) IsResponse() bool { return m.Method == nil && (m.Result != nil || m.Error != nil) }

// ParseMessage checks a text and takes its envelope apart. Text that Check refuses is a CodeParse error. A value that
// is not a JSON-RPC 2.0 message is a CodeInvalidRequest error. With a CodeInvalidRequest error, and with the error for
// a text that is nested too deep, the returned Message has only the ID of the text, if that has a usable one. Unknown
// members are ignored. But a member that a lenient reader could take for a known one makes the text an invalid request.
func ParseMessage(text []byte, l Limits) (Message, *Error) {
	c := checkers.Get().(*checker)
	defer c.release()
	if e := c.check(text, l); e != nil {
		var m Message
		if e.Reason == reasonDepth {
			m.ID = idOfDeep(text)
		}
		return m, parseError(e)
	}
	if c.top.n == 0 || c.top.n > len(c.top.list) {
		return ParseChecked(text)
	}
	var e envelope
	for _, p := range c.top.list[:c.top.n] {
		name := text[p.name:p.nameEnd]
		if p.escaped {
			name = appendUnescaped(nil, name)
		}
		e.set(name, text[skipSpace(text, p.value):p.end:p.end])
	}
	return e.message()
}

func parseError(e *SyntaxError) *Error {
	return NewError(CodeParse, "parse error: "+e.Error())
}

// ParseChecked is ParseMessage for text that Check has accepted already, such as an element of SplitBatch.
func ParseChecked(text []byte) (Message, *Error) {
	d := NewDecoder(text)
	if d.Kind() != KindObject {
		return Message{}, invalid("a message must be an object")
	}
	var e envelope
	e.read(&d)
	return e.message()
}

func invalid(reason string) *Error {
	return NewError(CodeInvalidRequest, "invalid request: "+reason)
}

// envelope collects the members first and judges them later, so that an error can carry the id wherever it stands.
type envelope struct {
	m                   Message
	id, method, version []byte
	lookalike           bool
}

// envelopeNames are the names of the members of a JSON-RPC message.
var envelopeNames = [...][]byte{
	[]byte("jsonrpc"), []byte("id"), []byte("method"), []byte("params"), []byte("result"), []byte("error"),
}

func (e *envelope) read(d *Decoder) {
	if !d.Object() {
		return
	}
	for d.Next() {
		name := d.Name()
		e.set(name, d.Raw())
	}
}

func (e *envelope) set(name, value []byte) {
	switch string(name) {
	case "jsonrpc":
		e.version = value
	case "id":
		e.id = value
	case "method":
		e.method = value
	case "params":
		e.m.Params = value
	case "result":
		e.m.Result = value
	case "error":
		e.m.Error = value
	default:
		e.lookalike = e.lookalike || looksKnown(name)
	}
}

// looksKnown reports whether a lenient reader could take name for a member of the envelope: because of other case,
// control characters, format characters or space around it, or text behind a NUL. If two readers understand a message
// differently, access checks can be bypassed.
func looksKnown(name []byte) bool {
	invisible := func(r rune) bool { return r <= ' ' || r == 0x7f || r > 0x7f && unicode.Is(unicode.Cf, r) }
	name, _, _ = bytes.Cut(bytes.TrimLeftFunc(name, invisible), []byte{0})
	name = bytes.TrimRightFunc(name, invisible)
	for _, known := range envelopeNames {
		if bytes.EqualFold(name, known) {
			return true
		}
	}
	return false
}

// message returns the Message that the members make. If they make none, the error is a CodeInvalidRequest error, and
// the Message has only the ID, if there is a usable one.
func (e *envelope) message() (Message, *Error) {
	nullID := string(e.id) == "null"
	if e.id != nil && !nullID {
		id, ok := ParseID(e.id)
		if !ok {
			return Message{}, invalid("id " + reasonID)
		}
		e.m.ID = id
	}
	if reason := e.judge(nullID); reason != "" {
		return Message{ID: e.m.ID}, invalid(reason)
	}
	return e.m, nil
}

// judge returns why the members do not make a message; "" if they do. Then it also sets e.m.Method. nullID says that
// the id is null.
func (e *envelope) judge(nullID bool) string {
	switch {
	case e.lookalike:
		return "a member name differs from a known one only in case or invisible characters"
	case !isText(e.version, "2.0"):
		return `jsonrpc must be "2.0"`
	case e.m.Result != nil && e.m.Error != nil:
		return "both result and error"
	case e.method == nil:
		return e.judgeResponse()
	case e.m.Result != nil || e.m.Error != nil:
		return "both a method and an answer"
	case nullID:
		return "id must not be null"
	case KindOf(e.method) != KindString:
		return "method must be a string"
	case e.m.Params != nil && !isStructure(e.m.Params):
		return "params must be an object"
	}
	d := NewDecoder(e.method)
	e.m.Method = d.Bytes()
	return ""
}

func (e *envelope) judgeResponse() string {
	switch {
	case e.m.Result == nil && e.m.Error == nil:
		return "neither a method nor an answer"
	case e.m.Params != nil:
		return "an answer with params"
	case e.m.Result != nil && e.m.ID.IsZero():
		return "a result without id"
	case e.m.Error != nil && KindOf(e.m.Error) != KindObject:
		return "error must be an object"
	}
	return ""
}

// isText reports whether raw is the JSON string s, however it is escaped.
func isText(raw []byte, s string) bool {
	if n := len(raw); n == len(s)+2 && string(raw[1:n-1]) == s {
		return raw[0] == '"'
	}
	if KindOf(raw) != KindString {
		return false
	}
	d := NewDecoder(raw)
	return string(d.Bytes()) == s
}

func isStructure(raw []byte) bool {
	k := KindOf(raw)
	return k == KindObject || k == KindArray
}
