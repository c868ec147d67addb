package work

import "bytes"

// Message is a request that a client sends again and again. Its progressToken, if it has one, differs each time, as
// those of real clients do: no server can remember the text of a whole _meta.
type Message struct {
	text   []byte
	digits []byte // of the token, within text
}

// NewMessage returns a message with this text, which it takes over.
func NewMessage(text []byte) *Message {
	m := &Message{text: text}
	const key = `"progressToken":`
	if i := bytes.Index(text, []byte(key)); i >= 0 {
		rest := text[i+len(key):]
		m.digits = rest[:bytes.IndexByte(rest, ',')]
	}
	return m
}

// Next returns the next request. It is valid until the one after it.
func (m *Message) Next() []byte {
	for i := len(m.digits) - 1; i >= 0; i-- {
		if m.digits[i] < '9' {
			m.digits[i]++
			break
		}
		m.digits[i] = '0'
	}
	return m.text
}
