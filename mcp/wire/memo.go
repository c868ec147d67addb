package wire

import "bytes"

// maxMemo is the longest text in bytes that a Memo keeps.
const maxMemo = 4 << 10

// Memo remembers the value that Recall has read last, so that a peer that says the same in each message, as clients do
// about themselves, costs no decoding and no memory. The zero Memo is ready for use. It belongs to one goroutine.
type Memo struct {
	text  []byte
	rev   any
	value any
}

// Recall reads a struct. If the Decoder has a Memo and the text is that of the last value of this type and revision, it
// returns that value, which must therefore not be changed.
func Recall[T any, R comparable, P Decodable[T, R]](d *Decoder, rev R) *T {
	m := d.memo
	if m == nil {
		return DecodeValue[T, R, P](d, rev)
	}
	text := d.Peek()
	if v, ok := m.value.(*T); ok && m.rev == any(rev) && bytes.Equal(text, m.text) {
		d.Skip()
		return v
	}
	v := DecodeValue[T, R, P](d, rev)
	if d.err == nil && len(text) <= maxMemo {
		m.text, m.rev, m.value = append(m.text[:0], text...), rev, v
	}
	return v
}
