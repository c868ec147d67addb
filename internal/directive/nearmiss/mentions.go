package nearmiss

import (
	"strings"
	"unicode"
)

// Mentions reports whether a source file may have a directive, or a line that was meant as one. It may be wrong in
// one direction only.
func Mentions(src []byte) bool {
	text := string(src)
	if strings.Contains(text, "/*") {
		for line := range strings.Lines(text) {
			_, after, _ := strings.Cut(line, "/*")
			if suspect(line) || suspect(after) {
				return true
			}
		}
	}
	for {
		i := strings.Index(text, "//")
		if i < 0 {
			return false
		}
		text = text[i+2:]
		line, _, _ := strings.Cut(text, "\n")
		if suspect(line) {
			return true
		}
	}
}

// suspect reports whether a line of a comment begins like a directive or a near miss.
func suspect(line string) bool {
	line = strings.TrimLeft(line, " \t*+@#!/$-:.~\\")
	line = strings.TrimPrefix(line, "go:")
	if hasPrefixFold(line, "mcp") || hasPrefixFold(line, "gomcp") {
		return true
	}
	n := strings.IndexFunc(line, func(r rune) bool { return !unicode.IsLetter(r) })
	if n > 0 && (near(strings.ToLower(line[:n])) || strings.HasPrefix(line[n:], "cp") ||
		strings.HasPrefix(line[n:], "p")) {
		return line[:n] == "m" || line[:n] == "mc" || strings.HasPrefix(strings.TrimLeft(line[n:], " \t"), ":")
	}
	return false
}
