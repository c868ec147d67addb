package wire

import "bytes"

// maxMemo is the longest text in bytes that a LastObject keeps.
const maxMemo = 4 << 10

// LastObject remembers the text of the last object, to recognize the next one if they differ at most in the value of
// one member. The zero value remembers none. It belongs to one goroutine.
type LastObject struct {
	text     []byte
	from, to int // where the value of the member is; 0 for an object that lacks it
}

// Keep remembers an object, and where the value of member is in it. The object must have been decoded without mistakes.
// Keep returns false, and still remembers the last object, if object has more than 4 KiB.
func (l *LastObject) Keep(object []byte, member string) bool {
	if len(object) > maxMemo {
		return false
	}
	l.text, l.from, l.to = append(l.text[:0], object...), 0, 0
	if d := NewDecoder(l.text); d.Object() && d.find(member) {
		l.from = skipSpace(l.text, d.pos)
		l.to = valueEnd(l.text, l.from)
	}
	return true
}

// Same reports whether object equals the one that is remembered, except for the value of the member that Keep was
// called with. If it does, value is the value of that member in object; nil if object has no such member.
func (l *LastObject) Same(object []byte) (value []byte, ok bool) {
	if l.to == 0 {
		return nil, len(l.text) > 0 && bytes.Equal(object, l.text)
	}
	if len(object) < l.from || !bytes.Equal(object[:l.from], l.text[:l.from]) {
		return nil, false
	}
	end := valueEnd(object, l.from)
	if end < 0 || !bytes.Equal(object[end:], l.text[l.to:]) {
		return nil, false
	}
	return object[l.from:end], true
}

// Memo remembers the value that Recall has read last. A peer may send the same value in each message, such as a client
// its name and version; that is then decoded only once. The zero Memo is ready for use. It belongs to one goroutine.
type Memo struct {
	last  LastObject
	rev   any
	value any
}

// Recall reads a struct. If the Decoder has a Memo, and the text is that of the last value of this type and revision,
// it returns that value again, so the value must not be changed. If only the value of member differs, and it is a valid
// ID, Recall returns a copy with the new ID; id returns a pointer to that field of a T.
func Recall[T any, R comparable, P Decodable[T, R]](d *Decoder, rev R, member string, id func(*T) *ID) *T {
	m := d.memo
	if m == nil {
		return DecodeValue[T, R, P](d, rev)
	}
	text := d.Peek()
	if v, ok := m.value.(*T); ok && m.rev == any(rev) {
		if v := recall(m, text, v, id); v != nil {
			d.Skip()
			return v
		}
	}
	v := DecodeValue[T, R, P](d, rev)
	if d.err == nil && m.last.Keep(text, member) {
		m.rev, m.value = rev, v
	}
	return v
}

// recall returns last, the value that m remembers, if text is its text. If only the ID differs that id points to, it
// returns a copy with the new ID; otherwise nil.
func recall[T any](m *Memo, text []byte, last *T, id func(*T) *ID) *T {
	value, ok := m.last.Same(text)
	if !ok {
		return nil
	}
	if value == nil {
		return last
	}
	now, ok := ParseID(value)
	if !ok {
		return nil
	}
	if now == *id(last) {
		return last
	}
	v := new(T)
	*v = *last
	*id(v) = now
	return v
}
