package server

import (
	"bytes"
	"encoding/base64"
	"math"
	"testing"
)

// FuzzCursor opens anything as a cursor: what this server has not sealed for this list, as this caller sees it, is an
// error, and even what a holder of the key has sealed never gives a place that the list cannot look up.
func FuzzCursor(f *testing.F) {
	s := asker(f, &Options{Logger: silent()})
	const mark = "seen by ada"
	good := s.sealCursor(pagesOfResources, place{index: 3, from: "next"}, mark)
	f.Add(good, []byte("\x03next"))
	f.Add("", []byte{})
	f.Add(good[:len(good)-2], []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
	f.Add(good+"=", []byte{0x80})
	f.Add(s.sealCursor(pagesOfTools, place{}, mark), []byte{0xff, 0xff, 0xff, 0xff, 0x0f})
	f.Add(s.sealCursor(pagesOfResources, place{index: 3}, ""), []byte{0})
	f.Fuzz(func(t *testing.T, text string, plain []byte) {
		if _, err := s.openCursor(pagesOfResources, text, mark); err == nil && !sameBytes(text, good) {
			t.Errorf("%q opens", text)
		}
		sealed := base64.RawURLEncoding.EncodeToString(s.seal.Seal(plain, s.cursorContext(pagesOfResources, mark)))
		if at, err := s.openCursor(pagesOfResources, sealed, mark); err == nil && (at.index < 0 || at.index > math.MaxInt32) {
			t.Errorf("%x is place %+v", plain, at)
		}
		if _, err := s.openCursor(pagesOfTools, sealed, mark); err == nil {
			t.Errorf("%x opens as a cursor of another list", plain)
		}
		for _, other := range []string{"", "seen by bob"} {
			if _, err := s.openCursor(pagesOfResources, sealed, other); err == nil {
				t.Errorf("%x opens for a caller who sees another list", plain)
			}
		}
	})
}

// sameBytes reports whether two texts are the same in base64, which may hold line ends and has bits to spare.
func sameBytes(a, b string) bool {
	x, _ := base64.RawURLEncoding.DecodeString(a)
	y, _ := base64.RawURLEncoding.DecodeString(b)
	return bytes.Equal(x, y)
}
