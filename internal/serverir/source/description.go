package source

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Description turns a doc comment into a description for models: the leading Go name is dropped, lines
// of a paragraph are joined, paragraphs stay apart.
func Description(doc, name string) string {
	var paragraphs []string
	for p := range strings.SplitSeq(strings.TrimSpace(doc), "\n\n") {
		if p = strings.TrimSpace(p); p != "" {
			paragraphs = append(paragraphs, joinLines(p))
		}
	}
	return dropName(strings.Join(paragraphs, "\n\n"), name)
}

// joinLines joins the lines of a paragraph, but leaves lists and code as they are.
func joinLines(p string) string {
	lines := strings.Split(p, "\n")
	for _, line := range lines {
		if line == "" || strings.ContainsAny(line[:1], " \t-*#") {
			return p
		}
	}
	return strings.Join(lines, " ")
}

// dropName turns "Motd returns the …" into "Returns the …", and "Motd is the …" into "The …".
func dropName(text, name string) string {
	rest, found := strings.CutPrefix(text, name+" ")
	if !found {
		return text
	}
	for _, verb := range []string{"is ", "are "} {
		rest = strings.TrimPrefix(rest, verb)
	}
	r, n := utf8.DecodeRuneInString(rest)
	return string(unicode.ToUpper(r)) + rest[n:]
}

// TypeDescription turns "Is the line …" into "The line …": comments of types say what a value is.
func TypeDescription(text string) string {
	for _, verb := range []string{"Is ", "Are "} {
		if rest, found := strings.CutPrefix(text, verb); found && rest != "" {
			r, n := utf8.DecodeRuneInString(rest)
			return string(unicode.ToUpper(r)) + rest[n:]
		}
	}
	return text
}
