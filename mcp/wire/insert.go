package wire

import (
	"encoding/base64"
	"runtime"
	"slices"
	"sync"
	"unicode/utf8"
)

// Insert is a large value of a message. It is encoded only while the message is written, so that memory never holds all
// of its JSON. Exactly one of Text, Blob and Raw is set.
type Insert struct {
	// At is the offset where the value belongs, in the message without any inserts: between two quotes, or for Raw between
	// two braces.
	At int
	// Text becomes the inside of a JSON string, Blob that of one in base64.
	Text string
	Blob []byte
	// Raw is the inside of a JSON object. It has no line break.
	Raw []byte
}

const (
	// textPiece is how many bytes of a text are encoded at once.
	textPiece = 32 << 10
	// blobPiece is how many bytes become base64 at once: a multiple of three, so that only the last piece is padded.
	blobPiece = textPiece / 4 * 3
)

// pieces has buffers for encoded pieces, each a *[]byte.
var pieces = sync.Pool{New: func() any { return new([]byte) }}

// each calls write for each piece of the encoded value until write fails, and returns that error. A piece is valid only
// during the call. After each piece other goroutines may run, so that small messages do not wait until many large
// values are encoded.
func (in *Insert) each(write func(piece []byte) error) (err error) {
	if in.Raw != nil {
		return write(in.Raw)
	}
	buf := pieces.Get().(*[]byte)
	defer func() {
		if err == nil { // a writer that has failed may still read the piece, as that of HTTP/2 may
			pieces.Put(buf)
		}
	}()
	for text := in.Text; text != ""; {
		n := len(text)
		if n > textPiece {
			for n = textPiece; n > textPiece-utf8.UTFMax && !utf8.RuneStart(text[n]); n-- {
			}
		}
		*buf = AppendString((*buf)[:0], text[:n])
		text = text[n:]
		if err = write((*buf)[1 : len(*buf)-1]); err != nil {
			return err
		}
		runtime.Gosched()
	}
	for blob := in.Blob; len(blob) > 0; {
		n := min(len(blob), blobPiece)
		*buf = appendBase64(slices.Grow((*buf)[:0], base64.StdEncoding.EncodedLen(n)), blob[:n])
		blob = blob[n:]
		if err = write(*buf); err != nil {
			return err
		}
		runtime.Gosched()
	}
	return nil
}

// size returns how many bytes the encoded value has.
func (in *Insert) size() (n int) {
	if in.Blob != nil {
		return base64.StdEncoding.EncodedLen(len(in.Blob))
	}
	_ = in.each(func(piece []byte) error { n += len(piece); return nil }) // never fails
	return n
}

// SizeOf returns how many bytes a message with inserts has. The inserts are in the order of At.
func SizeOf(message []byte, inserts []Insert) int {
	n := len(message)
	for i := range inserts {
		n += inserts[i].size()
	}
	return n
}

// WriteInserts calls write for each piece of a message with inserts until write fails, and returns that error. The
// inserts are in the order of At.
func WriteInserts(message []byte, inserts []Insert, write func(piece []byte) error) error {
	from := 0
	for i := range inserts {
		at := inserts[i].At
		if err := write(message[from:at]); err != nil {
			return err
		}
		if err := inserts[i].each(write); err != nil {
			return err
		}
		from = at
	}
	return write(message[from:])
}

// WithInserts returns a message and its inserts as one text.
func WithInserts(message []byte, inserts []Insert) []byte {
	b := make([]byte, 0, SizeOf(message, inserts)+1) // with room for a line break
	_ = WriteInserts(message, inserts, func(piece []byte) error { b = append(b, piece...); return nil })
	return b
}
