package wire

import (
	"testing"
	"unicode/utf8"
)

// The bytes at which a rule of UTF-8 begins or ends, and some that no rule mentions.
var edges = []byte{
	0x00, 0x22, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xa8, 0xa9, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf,
	0xe0, 0xe1, 0xe2, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff,
}

func TestUTF8AgainstStandardLibrary(t *testing.T) {
	t.Attr("requirements", "msg-utf8")
	for _, a := range edges {
		for _, b := range edges {
			for _, c := range edges {
				for _, d := range edges {
					checkRun(t, []byte{a, b, c, d, 'x'})
					checkRun(t, []byte{a, b, c, d})
				}
				checkRun(t, []byte{a, b, c})
			}
			checkRun(t, []byte{a, b})
		}
		checkRun(t, []byte{a})
	}
}

func checkRun(t *testing.T, text []byte) {
	t.Helper()
	want := 0
	for want < len(text) && text[want] >= utf8.RuneSelf {
		r, size := utf8.DecodeRune(text[want:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		want += size
	}
	if got := utf8Run(text); got != want || utf8Run(string(text)) != want {
		t.Fatalf("% x: a run of %d, want %d", text, got, want)
	}
}

// Every byte at every place of a word, among neighbours that differ from the marks by one bit or a borrow.
func TestPlainRun(t *testing.T) {
	for _, neighbour := range []byte{'a', ' ', '!', '#', '[', ']', 0x7f} {
		for at := range 17 {
			for c := range 256 {
				text := make([]byte, 17)
				for i := range text {
					text[i] = neighbour
				}
				text[at] = byte(c)
				want := len(text)
				if c < 0x20 || c == '"' || c == '\\' || c >= 0x80 {
					want = at
				}
				if got := plainRun(text, 0); got != want || plainRun(string(text), 0) != want {
					t.Fatalf("%q: %d, want %d", text, got, want)
				}
				end, escaped := stringEnd(append(text, '"', 'x', '"'), 0)
				want = len(text)
				switch {
				case c == '"':
					want = at
				case c == '\\' && at == len(text)-1:
					want += 2
				}
				if end != want || escaped != (c == '\\') {
					t.Fatalf("%q: the string ends at %d, %v, want %d", text, end, escaped, want)
				}
			}
		}
	}
}
