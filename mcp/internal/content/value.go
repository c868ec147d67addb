package content

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"io"

	"github.com/mcpgen/mcpgen/generated/protocol"
)

// Own replaces the blobs of v by copies. It does not copy texts.
func (v *Value) Own() {
	v.Blob = bytes.Clone(v.Blob)
	for i := range v.Many {
		v.Many[i].Blob = bytes.Clone(v.Many[i].Blob)
	}
}

// Size is the length of the content in bytes; nil if it has no piece or several, or was not read.
func (v *Value) Size() *int64 {
	switch {
	case v.Kind == KindText:
		return new(int64(len(v.Text)))
	case v.Kind == KindBlob:
		return new(int64(len(v.Blob)))
	case v.Kind == KindMany && len(v.Many) == 1:
		return new(int64(len(v.Many[0].Text) + len(v.Many[0].Blob)))
	}
	return nil
}

// sums is the seed of all sums.
var sums = maphash.MakeSeed()

// Sum is a hash of the pieces of v, without their Meta. Only sums of the same process can be compared.
func (v *Value) Sum() uint64 {
	var h maphash.Hash
	h.SetSeed(sums)
	size := func(n int) {
		var b [8]byte
		binary.BigEndian.PutUint64(b[:], uint64(n))
		_, _ = h.Write(b[:]) // never fails
	}
	text := func(s string) {
		size(len(s))
		_, _ = h.WriteString(s)
	}
	blob := func(b []byte) {
		size(len(b))
		_, _ = h.Write(b)
	}
	_ = h.WriteByte(byte(v.Kind))
	text(v.Text)
	blob(v.Blob)
	for _, p := range v.Many {
		text(p.URI)
		text(p.MIMEType)
		text(p.Text)
		blob(p.Blob)
		if p.Meta != nil {
			blob(p.Meta.AppendJSON(nil, protocol.Latest))
		}
	}
	return h.Sum64()
}

// Discard closes the reader of content that nobody will read.
func (v *Value) Discard() {
	if v.Unread != nil {
		v.Unread.Close()
	}
}

// Held is how many bytes v holds.
func (v *Value) Held() int {
	n := len(v.Text) + len(v.Blob)
	for i := range v.Many {
		n += len(v.Many[i].Text) + len(v.Many[i].Blob)
	}
	return n
}

// Unread is content that is read when there is room for it.
type Unread struct {
	From     io.Reader
	Textual  bool
	MIMEType string // empty for that of the declaration
}

// Close closes the reader if it can be closed. An error is ignored: what was read is complete.
func (u *Unread) Close() {
	if c, ok := u.From.(io.Closer); ok {
		_ = c.Close()
	}
}
