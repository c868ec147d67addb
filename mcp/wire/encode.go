package wire

import (
	"encoding/base64"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// EndObject finishes an object whose members all end in a comma: it turns the last comma into the brace, or adds the
// brace where there were no members.
func EndObject(b []byte) []byte { return end(b, '}') }

// EndArray finishes an array whose elements all end in a comma.
func EndArray(b []byte) []byte { return end(b, ']') }

func end(b []byte, c byte) []byte {
	if n := len(b); n > 0 && b[n-1] == ',' {
		b[n-1] = c
		return b
	}
	return append(b, c)
}

const hexDigits = "0123456789abcdef"

// AppendString appends s as a JSON string. Invalid UTF-8 becomes U+FFFD. Beyond what JSON demands it escapes U+2028 and
// U+2029, which end a line for some readers; it does not escape for HTML.
func AppendString(b []byte, s string) []byte {
	b = slices.Grow(b, len(s)+2)
	b = append(b, '"')
	for {
		n := cleanPrefix(s)
		b = append(b, s[:n]...)
		if n == len(s) {
			return append(b, '"')
		}
		s = s[n:]
		b, n = appendSpecial(b, s)
		s = s[n:]
	}
}

// cleanPrefix returns the length of the longest prefix of s that may be copied as it is.
func cleanPrefix(s string) int {
	for i := 0; ; {
		i = plainRun(s, i)
		if i == len(s) || s[i] < utf8.RuneSelf {
			return i
		}
		n := utf8Run(s[i:])
		if line := lineSeparator(s[i : i+n]); line >= 0 {
			return i + line
		}
		if n == 0 {
			return i
		}
		i += n
	}
}

// lineSeparator returns the index of the first U+2028 or U+2029 in s, or -1.
func lineSeparator(s string) int {
	for from := 0; ; {
		i := strings.Index(s[from:], "\u2028"[:2])
		if i < 0 {
			return -1
		}
		if i += from; i+2 < len(s) && s[i+2]&^1 == "\u2028"[2] {
			return i
		}
		from = i + 2
	}
}

// appendSpecial appends the character that s begins with, which cleanPrefix stopped at, and returns its length in s.
func appendSpecial(b []byte, s string) ([]byte, int) {
	c := s[0]
	if c < utf8.RuneSelf {
		return appendEscape(b, c), 1
	}
	r, n := utf8.DecodeRuneInString(s)
	if n == 1 {
		return append(b, "\ufffd"...), 1
	}
	return append(b, '\\', 'u', '2', '0', '2', hexDigits[r&15]), n
}

func appendEscape(b []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(b, '\\', c)
	case '\b':
		return append(b, '\\', 'b')
	case '\f':
		return append(b, '\\', 'f')
	case '\n':
		return append(b, '\\', 'n')
	case '\r':
		return append(b, '\\', 'r')
	case '\t':
		return append(b, '\\', 't')
	}
	return append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}

// AppendInt appends a number.
func AppendInt(b []byte, n int64) []byte { return strconv.AppendInt(b, n, 10) }

// AppendUint appends a number.
func AppendUint(b []byte, n uint64) []byte { return strconv.AppendUint(b, n, 10) }

// AppendBool appends true or false.
func AppendBool(b []byte, v bool) []byte { return strconv.AppendBool(b, v) }

// AppendFloat appends the shortest number that reads back as f, in the form of encoding/json. NaN and the infinities,
// which JSON cannot write, become null.
func AppendFloat(b []byte, f float64) []byte {
	abs := math.Abs(f)
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		return append(b, "null"...)
	case abs != 0 && (abs < 1e-6 || abs >= 1e21):
		return trimExponent(strconv.AppendFloat(b, f, 'e', -1, 64))
	}
	return strconv.AppendFloat(b, f, 'f', -1, 64)
}

// trimExponent turns e-09 at the end of b into e-9.
func trimExponent(b []byte) []byte {
	if n := len(b); n >= 4 && b[n-4] == 'e' && b[n-3] == '-' && b[n-2] == '0' {
		b[n-2] = b[n-1]
		return b[:n-1]
	}
	return b
}

// AppendBase64 appends data as a JSON string in the standard base64 alphabet with padding.
func AppendBase64(b, data []byte) []byte {
	b = slices.Grow(b, base64.StdEncoding.EncodedLen(len(data))+2)
	b = append(b, '"')
	b = appendBase64(b, data)
	return append(b, '"')
}

// AppendStrings appends an array of strings; nil is an empty array.
func AppendStrings(b []byte, list []string) []byte {
	b = append(b, '[')
	for _, s := range list {
		b = append(AppendString(b, s), ',')
	}
	return EndArray(b)
}

// AppendStringMap appends an object of strings, ordered by name; nil is an empty object.
func AppendStringMap(b []byte, m map[string]string) []byte {
	b = append(b, '{')
	for _, k := range sortedKeys(m) {
		b = append(AppendString(b, k), ':')
		b = append(AppendString(b, m[k]), ',')
	}
	return EndObject(b)
}

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
