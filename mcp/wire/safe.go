package wire

import (
	"strings"
	"unicode/utf8"
)

// SafeText reports whether [Unsafe] finds nothing wrong with s as a path.
func SafeText(s string) bool { return Unsafe(s, true) == "" }

// Unsafe checks a decoded template variable, because user code may turn it into a file name. It returns what is wrong
// with s; "" if nothing is. Wrong is a slash at the beginning, a path element of dots and perhaps spaces (".", "..",
// and what Windows takes for them), a backslash, a control character, or invalid UTF-8. A percent escape of a dot, a
// slash, a backslash, a percent sign or a control character is wrong too, because user code may decode a second time.
// If path is set, the variable holds several segments of a URI: then a drive letter is wrong too. This is only a second
// line of defence: files are opened through os.Root anyway.
func Unsafe(s string, path bool) (reason string) {
	switch {
	case !utf8.ValidString(s):
		return "must be valid UTF-8"
	case strings.HasPrefix(s, "/"):
		return "must not begin with a slash"
	}
	parts := false // there may be a path element that is refused
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '.' || c == ':':
			parts = true
		case c < 0x20 || c == 0x7f:
			return "must not contain control characters"
		case c == '\\':
			return "must not contain a backslash"
		case c == '%' && hidesByte(s[i+1:]):
			return "must not contain the escape " + s[i:i+3]
		}
	}
	if !parts {
		return ""
	}
	for part := range strings.SplitSeq(s, "/") {
		switch {
		case path && len(part) >= 2 && isAlpha(part[0]) && part[1] == ':':
			return "must not contain a drive letter"
		case strings.IndexByte(part, '.') >= 0 && strings.Trim(part, ". ") == "":
			return "must not contain path elements of dots"
		}
	}
	return ""
}

// hidesByte reports whether s, the text after a percent sign, begins with the two digits of a byte that Unsafe does not
// allow as an escape.
func hidesByte(s string) bool {
	if len(s) < 2 || hexValue(s[0]) > 15 || hexValue(s[1]) > 15 {
		return false
	}
	c := hexValue(s[0])<<4 | hexValue(s[1])
	return c < 0x20 || c == 0x7f || strings.IndexByte(`./\%`, c) >= 0
}
