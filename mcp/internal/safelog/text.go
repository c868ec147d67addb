package safelog

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Text returns s, a text of a client, in a form that is safe for a log. It returns at most limit bytes of s, followed
// by an ellipsis if s has more. If these bytes could mislead a terminal or a reader, they are escaped as in a Go
// string. This holds for control characters including C1 and DEL, characters that change the direction of text, other
// characters without a shape, and bytes that are no UTF-8. Escapes do not count for limit.
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
