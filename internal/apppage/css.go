package apppage

import (
	"fmt"
	"strings"
)

// sheet reads one style sheet, or the value of a style attribute.
type sheet struct {
	*reader
	at        int    // where the page refers to it
	dir, text string // the directory that its addresses are relative to
	out       strings.Builder
	done      int // what is written of text
	// depth is that of parentheses within image-set(), whose texts are addresses; 0 outside.
	depth int
}

// css is a style sheet with the files that it refers to from a directory.
func (r *reader) css(at int, text, dir string) string {
	s := &sheet{reader: r, at: at, dir: dir, text: text}
	for i := 0; i < len(text); {
		i = s.token(i)
	}
	s.out.WriteString(text[s.done:])
	return replaceFold(s.out.String(), "</style", `<\/style`)
}

// token reads the token at i, and returns where it ends.
func (s *sheet) token(i int) int {
	rest := s.text[i:]
	switch c := rest[0]; {
	case strings.HasPrefix(rest, "/*"):
		return behind(s.text, i+2, "*/")
	case isQuote(c):
		value, end := quoted(s.text, i)
		if s.depth == 1 {
			s.address(i, end, value, `"`, `"`)
		}
		return end
	case c == '\\':
		return min(i+2, len(s.text))
	case c == '(' && s.depth > 0:
		s.depth++
	case c == ')' && s.depth > 0:
		s.depth--
	case c == '@':
		return s.rule(i)
	case isWord(c) || c == '-':
		return s.word(i)
	}
	return i + 1
}

// word reads a name, or a function with an address.
func (s *sheet) word(i int) int {
	end := span(s.text, i, func(c byte) bool { return isWord(c) || c == '-' })
	if end == len(s.text) || s.text[end] != '(' {
		return end
	}
	switch name := strings.ToLower(s.text[i:end]); name {
	case "url":
		value, to := urlOf(s.text, end+1)
		s.address(i, to, value, `url("`, `")`)
		return to
	case "image-set", "-webkit-image-set":
		s.depth = 1
		return end + 1
	}
	return end
}

// rule reads the beginning of an at-rule. The addresses of namespaces are not files.
func (s *sheet) rule(i int) int {
	rest := s.text[i:]
	if hasFold(rest, "@namespace") {
		return behind(s.text, i, ";")
	}
	if !hasFold(rest, "@import") || len(rest) == len("@import") || isWord(rest[len("@import")]) {
		return i + 1
	}
	from := skipSpace(s.text, i+len("@import"))
	value, end := "", from
	switch {
	case from == len(s.text):
	case isQuote(s.text[from]):
		value, end = quoted(s.text, from)
	case hasFold(s.text[from:], "url("):
		value, end = urlOf(s.text, from+len("url("))
	}
	if s.local(s.at, value, false) {
		s.problem(s.at, fmt.Sprintf("a style sheet imports %s", value), "refer to it with a link element of the page")
	}
	return max(end, i+1)
}

// address replaces the part of the sheet that refers to a file by the file as an address.
func (s *sheet) address(from, to int, value, open, end string) {
	if !s.local(s.at, value, false) {
		return
	}
	if data, ok := s.dataURL(s.at, s.dir, value); ok {
		s.out.WriteString(s.text[s.done:from] + open + data + end)
		s.done = to
	}
}

// quoted returns the text of a string that begins at a position, and where it ends.
func quoted(text string, from int) (string, int) {
	for i := from + 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case text[from]:
			return plain(text[from+1 : i]), i + 1
		case '\n': // the string is wrong, and ends here
			return "", i
		}
	}
	return "", len(text)
}

// urlOf returns the address behind url( and where the function ends.
func urlOf(text string, from int) (string, int) {
	i := skipSpace(text, from)
	if i < len(text) && isQuote(text[i]) {
		value, end := quoted(text, i)
		if end = skipSpace(text, end); end < len(text) && text[end] == ')' {
			return value, end + 1
		}
		return "", end
	}
	start := i
	for i < len(text) && text[i] != ')' {
		if text[i] == '\\' {
			i++
		}
		i++
	}
	if i >= len(text) {
		return "", len(text)
	}
	return plain(strings.TrimRight(text[start:i], " \t\r\n\f")), i + 1
}

// plain returns a text without the backslashes of style sheets. Escapes that are code points are left.
func plain(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && !isLetter(s[i+1]) && (s[i+1] < '0' || '9' < s[i+1]) {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// replaceFold replaces an ASCII text that begins with <, ignoring case.
func replaceFold(s, old, replacement string) string {
	parts := strings.Split(s, "<")
	for i, part := range parts {
		switch {
		case i == 0: // before the first <
		case hasFold(part, old[1:]):
			parts[i] = replacement + part[len(old)-1:]
		default:
			parts[i] = "<" + part
		}
	}
	return strings.Join(parts, "")
}
