package wire

import (
	"strings"
	"unicode/utf8"
)

// SafeText screens a decoded template variable that user code may turn into a file name or pass on. It returns false
// for text that begins with a slash or a drive letter, has a path part of only dots and spaces (".", "..", and what
// Windows takes for them), a backslash, a control character or invalid UTF-8, and for text that still holds percent
// escapes of such things, which a second decoding would let loose. It is a net, not a sandbox: files are opened through
// os.Root all the same.
func SafeText(s string) bool {
	if !utf8.ValidString(s) || strings.HasPrefix(s, "/") {
		return false
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c < 0x20 || c == 0x7f || c == '\\':
			return false
		case c == '%' && hidesByte(s[i+1:]):
			return false
		}
	}
	for part := range strings.SplitSeq(s, "/") {
		if !safePart(part) {
			return false
		}
	}
	return true
}

func safePart(part string) bool {
	if len(part) >= 2 && isAlpha(part[0]) && part[1] == ':' {
		return false
	}
	return strings.IndexByte(part, '.') < 0 || strings.Trim(part, ". ") != ""
}

// hidesByte reports whether s, which follows a percent sign, encodes a byte that SafeText refuses or another percent
// sign.
func hidesByte(s string) bool {
	if len(s) < 2 || hexValue(s[0]) > 15 || hexValue(s[1]) > 15 {
		return false
	}
	c := hexValue(s[0])<<4 | hexValue(s[1])
	return c < 0x20 || c == 0x7f || strings.IndexByte(`./\%`, c) >= 0
}
