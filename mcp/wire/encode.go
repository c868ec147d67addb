package wire

import (
	"encoding/base64"
	"encoding/binary"
	"math"
	"math/bits"
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

// AppendString appends s as a JSON string. Invalid UTF-8 becomes U+FFFD. It also escapes U+2028 and U+2029, which JSON
// does not demand, because some readers take them for the end of a line. It does not escape for HTML.
func AppendString(b []byte, s string) []byte {
	b = append(slices.Grow(b, len(s)+2+wordSize), '"')
	for i := 0; ; {
		b, i = appendPlain(b, s, i)
		if i == len(s) {
			return append(b, '"')
		}
		switch c := s[i]; {
		case c < utf8.RuneSelf:
			b = appendEscape(b, c)
			i++
			continue
		case c-0xc2 < 0xe0-0xc2 && i+1 < len(s) && s[i+1]^0x80 < 0x40: // two bytes, as in most European words
			b = append(b, c, s[i+1])
			i += 2
			continue
		}
		n := cleanRun(s[i:])
		b = append(b, s[i:i+n]...)
		i += n
		if n == 0 {
			b, n = appendSpecial(b, s[i:])
			i += n
		}
	}
}

// appendPlain appends s from i on up to the first byte that is not plain ASCII, and returns that byte's index. It
// copies whole words of 8 bytes, even if only the beginning of the last one is plain. Most strings have only a few
// words, or an escape every few words, so this is cheaper than a call of copy.
func appendPlain(b []byte, s string, i int) (out []byte, end int) {
	for len(s)-i >= wordSize {
		w := load64(s[i : i+wordSize])
		n := len(b)
		if cap(b)-n < wordSize {
			b = slices.Grow(b, len(s)-i+wordSize)
		}
		binary.LittleEndian.PutUint64(b[n:n+wordSize], w)
		if m := special(w); m != 0 {
			plain := bits.TrailingZeros64(m) >> 3
			return b[:n+plain], i + plain
		}
		b = b[:n+wordSize]
		i += wordSize
	}
	if rest := len(s) - i; rest > 0 && len(s) >= wordSize {
		// The last word of s overwrites bytes at the end of b with the same ones, if all of the word is plain.
		if w := load64(s[len(s)-wordSize:]); special(w) == 0 {
			b = slices.Grow(b, rest)[:len(b)+rest]
			binary.LittleEndian.PutUint64(b[len(b)-wordSize:], w)
			return b, len(s)
		}
	}
	end = plainRun(s, i)
	return append(b, s[i:end]...), end
}

// maxRun is how many bytes of a text cleanRun looks at.
const maxRun = 1 << 10

// cleanRun returns how many bytes at the beginning of s are characters outside ASCII that may be copied as they are. It
// looks only at a part of s: otherwise a text with many characters that may not be copied would take quadratic time.
func cleanRun(s string) int {
	n := utf8Run(s[:min(len(s), maxRun)])
	if line := lineSeparator(s[:n]); line >= 0 {
		return line
	}
	return n
}

// lineSeparator returns the index of the first U+2028 or U+2029 in s, or -1.
func lineSeparator(s string) int {
	for from := 0; ; {
		i := strings.IndexByte(s[from:], "\u2028"[0])
		if i < 0 {
			return -1
		}
		if i += from; i+2 < len(s) && s[i+1] == "\u2028"[1] && s[i+2]&^1 == "\u2028"[2] {
			return i
		}
		from = i + 1
	}
}

// appendSpecial appends the character that s begins with, which cleanRun stopped at, and returns its length in s.
func appendSpecial(b []byte, s string) ([]byte, int) {
	r, n := utf8.DecodeRuneInString(s)
	if n == 1 {
		return append(b, "\ufffd"...), 1
	}
	return append(b, '\\', 'u', '2', '0', '2', hexDigits[r&15]), n
}

// shortEscapes are the escapes of one letter, by the character.
var shortEscapes = ['\\' + 1]byte{'"': '"', '\\': '\\', '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't'}

func appendEscape(b []byte, c byte) []byte {
	if int(c) < len(shortEscapes) && shortEscapes[c] != 0 {
		return append(b, '\\', shortEscapes[c])
	}
	return append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}

// AppendInt appends a number.
func AppendInt(b []byte, n int64) []byte { return strconv.AppendInt(b, n, 10) }

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
