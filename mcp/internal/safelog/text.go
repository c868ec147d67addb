package safelog

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Text returns what a stranger has written as a log can hold it: at most limit bytes of it, and quoted without the
// quotes, as in Go, if there is anything in it that a terminal or a reader could take for something else: control
// characters, those of C1 and DEL too, what changes the direction of text, other characters without a shape, and bytes
// that are no UTF-8. Text that is short and plain costs nothing.
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
