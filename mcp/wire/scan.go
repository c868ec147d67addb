package wire

import (
	"bytes"
	"math/bits"
	"unicode/utf8"
)

const (
	wordSize = 8

	lsb = 0x0101010101010101
	msb = 0x8080808080808080
)

// special finds the bytes of w that end a run of plain string text: controls, quotes, backslashes and everything
// outside ASCII. In the result, the top bit of each such byte is set. Only the lowest set bit is reliable: a borrow can
// set bits above it falsely.
func special(w uint64) uint64 {
	// With one bit changed, the quote stands where the controls end, and one comparison finds both.
	low := w ^ lsb*('"'^' ')
	slash := w ^ lsb*'\\'
	return ((low - lsb*(' '+1)) | (slash - lsb) | w) & msb
}

// plainRun returns the index of the first special byte of s at or after i, or len(s).
func plainRun[T string | []byte](s T, i int) int {
	for len(s)-i >= 8 {
		if m := special(load64(s[i : i+8])); m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
		i += 8
	}
	for i < len(s) {
		if c := s[i]; c < 0x20 || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return i
		}
		i++
	}
	return i
}

// load64 reads eight bytes, the first one lowest. The compiler makes one load of it.
func load64[T string | []byte](s T) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// scanString checks a string, whose opening quote is at i-1. It returns the index of the closing quote, and whether
// there were escapes. After a mistake reason is not empty, and end is the index of the mistake.
func scanString(text []byte, i int) (end int, escaped bool, reason string) {
	for {
		i = plainRun(text, i)
		if i >= len(text) {
			return i, escaped, reasonEnd
		}
		switch c := text[i]; {
		case c == '"':
			return i, escaped, ""
		case c == '\\':
			n, why := scanEscape(text[i:])
			if why != "" {
				return i, true, why
			}
			escaped = true
			i += n
		case c < 0x20:
			return i, escaped, "control character in a string"
		default:
			n := utf8Run(text[i:])
			if n == 0 {
				return i, escaped, "invalid UTF-8"
			}
			i += n
		}
	}
}

// scanEscape checks the escape that text starts with and returns its length: 2, 6, or 12 for a surrogate pair. After a
// mistake n is 0, and reason is not empty.
func scanEscape(text []byte) (n int, reason string) {
	if len(text) < 2 {
		return 0, reasonEnd
	}
	switch text[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2, ""
	case 'u':
	default:
		return 0, "unknown escape in a string"
	}
	r, ok := hex4(text[2:])
	switch {
	case !ok:
		return 0, "bad \\u escape in a string"
	case r < 0xd800 || r > 0xdfff:
		return 6, ""
	case r > 0xdbff || len(text) < 12 || text[6] != '\\' || text[7] != 'u':
		return 0, "lone surrogate in a string"
	}
	if low, ok := hex4(text[8:]); !ok || low < 0xdc00 || low > 0xdfff {
		return 0, "lone surrogate in a string"
	}
	return 12, ""
}

// hex4 reads four hexadecimal digits.
func hex4(text []byte) (r rune, ok bool) {
	if len(text) < 4 {
		return 0, false
	}
	for _, c := range text[:4] {
		v := hexValue(c)
		if v > 15 {
			return 0, false
		}
		r = r<<4 | rune(v)
	}
	return r, true
}

// hexValue returns the value of a hexadecimal digit, or 255.
func hexValue(c byte) byte {
	switch {
	case isDigit(c):
		return c - '0'
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10
	}
	return 255
}

func isDigit(c byte) bool { return c-'0' <= 9 }

// skipSpace returns the index of the first byte at or after i that is not JSON white space.
func skipSpace(text []byte, i int) int {
	for i < len(text) && text[i] <= ' ' {
		if c := text[i]; c != ' ' && c != '\n' && c != '\r' && c != '\t' {
			return i
		}
		i++
	}
	return i
}

// scanNumber returns the index after the number that starts at i, or -1 if there is none by the JSON grammar.
func scanNumber(text []byte, i int) int {
	if i < len(text) && text[i] == '-' {
		i++
	}
	if i >= len(text) || !isDigit(text[i]) {
		return -1
	}
	if text[i] == '0' {
		i++
	} else {
		i = skipDigits(text, i)
	}
	if i < len(text) && text[i] == '.' {
		first := i + 1
		if i = skipDigits(text, first); i == first {
			return -1
		}
	}
	if i < len(text) && text[i]|0x20 == 'e' {
		i++
		if i < len(text) && (text[i] == '+' || text[i] == '-') {
			i++
		}
		first := i
		if i = skipDigits(text, first); i == first {
			return -1
		}
	}
	return i
}

func skipDigits(text []byte, i int) int {
	for i < len(text) && isDigit(text[i]) {
		i++
	}
	return i
}

// stringEnd finds the closing quote of a string, whose opening quote is at i-1, without checking the content. end is -1
// if there is no closing quote. Most strings are short, so the first 64 bytes are searched in words of 8 bytes.
func stringEnd(text []byte, i int) (end int, escaped bool) {
	for stop := i + 64; i+8 <= len(text) && i < stop; i += 8 {
		w := load64(text[i : i+8])
		quote, slash := w^lsb*'"', w^lsb*'\\'
		m := ((quote-lsb)&^quote | (slash-lsb)&^slash) & msb
		if m == 0 {
			continue
		}
		i += bits.TrailingZeros64(m) >> 3
		if text[i] == '"' {
			return i, false
		}
		return longStringEnd(text, i)
	}
	return longStringEnd(text, i)
}

// longStringEnd is stringEnd for the part of a string that begins at i. Each byte is searched at most twice, whatever
// the number of escapes.
func longStringEnd(text []byte, i int) (end int, escaped bool) {
	for quote := -1; i < len(text); {
		if quote < i {
			n := bytes.IndexByte(text[i:], '"')
			if n < 0 {
				return -1, escaped
			}
			quote = i + n
		}
		slash := bytes.IndexByte(text[i:quote], '\\')
		if slash < 0 {
			return quote, escaped
		}
		escaped = true
		i += slash + 2
	}
	return -1, escaped
}

// valueEnd returns the index after the value that starts at i, without checking the inside. It returns -1 if no value
// begins there, or if the text ends before the value does.
func valueEnd(text []byte, i int) int {
	depth := 0
	for i < len(text) {
		switch c := text[i]; c {
		case '"':
			end, _ := stringEnd(text, i+1)
			if end < 0 {
				return -1
			}
			i = end + 1
		case '{', '[':
			depth++
			i++
			continue
		case '}', ']':
			if depth == 0 {
				return -1
			}
			depth--
			i++
		case ' ', '\t', '\n', '\r', ',', ':':
			if depth == 0 {
				return -1
			}
			i++
			continue
		default:
			i = scalarEnd(text, i)
		}
		if depth == 0 {
			return i
		}
	}
	return -1
}

// scalarEnd returns the index of the first byte after i that cannot belong to a number or literal.
func scalarEnd(text []byte, i int) int {
	for i++; i < len(text); i++ {
		switch text[i] {
		case ' ', '\t', '\n', '\r', ',', ':', '}', ']', '{', '[', '"':
			return i
		}
	}
	return i
}
