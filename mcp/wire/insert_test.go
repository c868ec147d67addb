package wire

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// A message with inserts is the message that has the values in it.
func TestInserts(t *testing.T) {
	for name, text := range map[string]string{
		"short":       "a",
		"empty":       "",
		"ascii":       strings.Repeat("x", 3*textPiece+1),
		"escapes":     strings.Repeat("\"\n\x00", textPiece),
		"two bytes":   "a" + strings.Repeat("ä", textPiece),
		"three bytes": "aa" + strings.Repeat("€\u2028", textPiece),
		"four bytes":  "aaa" + strings.Repeat("𝄞", textPiece),
		"no UTF-8":    strings.Repeat("\xff\xc3", textPiece),
	} {
		for _, blob := range []int{0, 1, blobPiece - 1, blobPiece, 3*blobPiece + 2} {
			data := bytes.Repeat([]byte{0xfe}, blob)
			want := append(AppendString([]byte(`{"a":`), text), `,"b":`...)
			want = append(AppendBase64(want, data), `,"c":{"d":1}}`...)
			message := []byte(`{"a":"","b":"","c":{}}`)
			inserts := []Insert{{At: 6, Text: text}, {At: 13, Blob: data}, {At: 20, Raw: []byte(`"d":1`)}}
			got := WithInserts(message, inserts)
			if !bytes.Equal(got, want) {
				t.Errorf("%s, %d bytes: got %d bytes, want %d", name, blob, len(got), len(want))
			}
			if n := SizeOf(message, inserts); n != len(got) {
				t.Errorf("%s, %d bytes: the size is %d, want %d", name, blob, n, len(got))
			}
		}
	}
}

// The first piece that cannot be written is the last one.
func TestInsertsEnd(t *testing.T) {
	full, n := errors.New("full"), 0
	err := WriteInserts([]byte(`""`), []Insert{{At: 1, Text: strings.Repeat("x", 10*textPiece)}}, func([]byte) error {
		if n++; n == 3 {
			return full
		}
		return nil
	})
	if !errors.Is(err, full) || n != 3 {
		t.Errorf("%v after %d pieces", err, n)
	}
}
