package safelog

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Text makes what a stranger has written safe for a log. It returns at most limit bytes of s, and an ellipsis if there
// are more. The text is escaped as in a Go string if it has anything that a terminal or a reader could take for
// something else: control characters, those of C1 and DEL too, what changes the direction of text, other characters
// without a shape, and bytes that are no UTF-8. Text that is short and plain is returned as it is.
func Text(s string, limit int) string {
	cut := len(s) > limit
	if cut {
		for limit > 0 && !utf8.RuneStart(s[limit]) {
			limit--
		}
		s = s[:limit]
	}
	if strings.ContainsFunc(s, unprintable) {
		s = strconv.Quote(s)
		s = s[1 : len(s)-1]
	}
	if cut {
		s += "…"
	}
	return s
}

func unprintable(r rune) bool { return r == utf8.RuneError || !strconv.IsPrint(r) }
