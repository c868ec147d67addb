package wire

import (
	"math"
	"math/bits"
	"unicode/utf8"
)

// rawDepth is the deepest value that AppendRaw writes. Checking needs no recursion, so it only bounds what a peer must
// endure.
const rawDepth = 10_000

// AppendRaw appends a JSON value without the white space around and between its tokens, so that no line break can get
// into a message. What Check refuses becomes null; size is not limited.
func AppendRaw(b, raw []byte) []byte {
	if check(raw, Limits{Bytes: math.MaxInt32, Depth: rawDepth}) != nil {
		return append(b, "null"...)
	}
	for i := 0; i < len(raw); {
		switch raw[i] {
		case ' ', '\t', '\n', '\r':
			i++
		case '"':
			end, _ := stringEnd(raw, i+1)
			b = append(b, raw[i:end+1]...)
			i = end + 1
		default:
			end := tokenRun(raw, i)
			b = append(b, raw[i:end]...)
			i = end
		}
	}
	return b
}

// tokenRun returns the index of the first white space or quote at or after i.
func tokenRun(raw []byte, i int) int {
	for i < len(raw) && raw[i] > ' ' && raw[i] != '"' {
		i++
	}
	return i
}

// plainPrefix is plainRun for a string from its beginning.
func plainPrefix(s string) int {
	i := 0
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
func load64(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}
