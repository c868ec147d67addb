package mcp

import (
	"encoding/base64"
	"math"
	"testing"
)

// FuzzCursor opens anything as a cursor: what this server has not sealed for this list is an error, and even what a
// holder of the key has sealed never gives a place that the list cannot look up.
func FuzzCursor(f *testing.F) {
	s := asker(f, &Options{Logger: silent()})
	good := s.sealCursor(pagesOfResources, place{index: 3, from: "next"})
	f.Add(good, []byte("\x03next"))
	f.Add("", []byte{})
	f.Add(good[:len(good)-2], []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
	f.Add(good+"=", []byte{0x80})
	f.Add(s.sealCursor(pagesOfTools, place{}), []byte{0xff, 0xff, 0xff, 0xff, 0x0f})
	f.Fuzz(func(t *testing.T, text string, plain []byte) {
		if _, err := s.openCursor(pagesOfResources, text); err == nil && text != good {
			t.Errorf("%q opens", text)
		}
		sealed := base64.RawURLEncoding.EncodeToString(s.seal.Seal(plain, s.cursorContext(pagesOfResources)))
		if at, err := s.openCursor(pagesOfResources, sealed); err == nil && (at.index < 0 || at.index > math.MaxInt32) {
			t.Errorf("%x is place %+v", plain, at)
		}
		if _, err := s.openCursor(pagesOfTools, sealed); err == nil {
			t.Errorf("%x opens as a cursor of another list", plain)
		}
	})
}
