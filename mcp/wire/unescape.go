package wire

import (
	"bytes"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// appendUnescaped appends the text between two quotes with its escapes resolved. On text that was not checked, bad
// escapes become U+FFFD.
func appendUnescaped(b, raw []byte) []byte {
	for {
		i := bytes.IndexByte(raw, '\\')
		if i < 0 {
			return append(b, raw...)
		}
		b = append(b, raw[:i]...)
		r, n := unescapeOne(raw[i:])
		b = utf8.AppendRune(b, r)
		raw = raw[i+n:]
	}
}

// unescapeOne returns the character that the escape at the start of raw stands for, and the length of the escape.
func unescapeOne(raw []byte) (r rune, n int) {
	if len(raw) < 2 {
		return utf8.RuneError, len(raw)
	}
	switch c := raw[1]; c {
	case '"', '\\', '/':
		return rune(c), 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	}
	r, ok := hex4(raw[2:])
	if raw[1] != 'u' || !ok {
		return utf8.RuneError, 2
	}
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	if len(raw) >= 12 && raw[6] == '\\' && raw[7] == 'u' {
		if low, ok := hex4(raw[8:]); ok {
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				return pair, 12
			}
		}
	}
	return utf8.RuneError, 6
}

// unescapedString is appendUnescaped into a new string, with one allocation.
func unescapedString(raw []byte) string {
	var small [256]byte
	if len(raw) <= len(small) {
		return string(appendUnescaped(small[:0], raw))
	}
	var s strings.Builder
	s.Grow(unescapedLen(raw))
	for {
		i := bytes.IndexByte(raw, '\\')
		if i < 0 {
			s.Write(raw)
			return s.String()
		}
		s.Write(raw[:i])
		r, n := unescapeOne(raw[i:])
		s.WriteRune(r)
		raw = raw[i+n:]
	}
}

// unescapedLen returns the number of bytes that appendUnescaped appends for raw.
func unescapedLen(raw []byte) int {
	total := len(raw)
	for {
		i := bytes.IndexByte(raw, '\\')
		if i < 0 {
			return total
		}
		r, n := unescapeOne(raw[i:])
		total += utf8.RuneLen(r) - n
		raw = raw[i+n:]
	}
}
