package wire

import (
	"strings"
	"unicode/utf8"
)

// uriByte has the characters that may stand in a URI as themselves: the unreserved and the reserved ones of RFC 3986.
var uriByte = byteSet(alphanumeric + unreservedMarks + reserved)

// unreserved has the characters that never need an escape.
var unreserved = byteSet(alphanumeric + unreservedMarks)

// inPath has what AppendReserved leaves alone.
var inPath = byteSet(alphanumeric + unreservedMarks + ":/[]@!$&'()*+,;=")

const (
	alphanumeric    = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	unreservedMarks = "-._~"
	reserved        = ":/?#[]@!$&'()*+,;="
)

func byteSet(s string) (set [256]bool) {
	for i := 0; i < len(s); i++ {
		set[s[i]] = true
	}
	return set
}

// Unescape decodes percent escapes, once. It returns false for a bad escape, and if the result is not UTF-8 or contains
// a NUL. Text without escapes is returned as it is, without an allocation. A plus sign stays a plus sign.
func Unescape(s string) (string, bool) {
	i := strings.IndexByte(s, '%')
	if i < 0 {
		return s, cleanText(s)
	}
	b := make([]byte, 0, len(s))
	for ; i >= 0; i = strings.IndexByte(s, '%') {
		if i+2 >= len(s) {
			return "", false
		}
		hi, lo := hexValue(s[i+1]), hexValue(s[i+2])
		if hi > 15 || lo > 15 {
			return "", false
		}
		b = append(append(b, s[:i]...), hi<<4|lo)
		s = s[i+3:]
	}
	plain := string(append(b, s...))
	return plain, cleanText(plain)
}

func cleanText(s string) bool {
	return strings.IndexByte(s, 0) < 0 && utf8.ValidString(s)
}

// AppendSegment appends s as RFC 6570 expands {x}: all but the unreserved characters are percent-encoded, slashes too.
// For valid UTF-8 without NUL, Unescape gives s back.
func AppendSegment(b []byte, s string) []byte { return appendEscaped(b, s, &unreserved) }

// AppendReserved appends s as RFC 6570 expands {+x}, with two differences, so that Split can read the URI. It encodes
// question marks and number signs, and every percent sign, even one that begins an escape.
func AppendReserved(b []byte, s string) []byte { return appendEscaped(b, s, &inPath) }

// appendEscaped is not compiled into its callers, because each URI builder of generated code would hold the loop once
// for each variable.
//
//go:noinline
func appendEscaped(b []byte, s string, keep *[256]bool) []byte {
	const upper = "0123456789ABCDEF"
	for i := 0; i < len(s); i++ {
		if c := s[i]; keep[c] {
			b = append(b, c)
		} else {
			b = append(b, '%', upper[c>>4], upper[c&15])
		}
	}
	return b
}
