package goname

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// UpperFirst puts the first letter of s in upper case.
func UpperFirst(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

// Unexported makes a name of the package's own: Note gives note, HTTPLog gives httpLog, URI gives uri.
func Unexported(s string) string {
	words := splitName(s)
	if len(words) == 0 {
		return s
	}
	return strings.ToLower(words[0]) + s[len(words[0]):]
}

// splitName cuts a Go name into its words: ListHTTPLogs gives List, HTTP, Logs.
func splitName(s string) []string {
	var words []string
	runes := []rune(s)
	start := 0
	for i := 1; i < len(runes); i++ {
		lowUp := !unicode.IsUpper(runes[i-1]) && unicode.IsUpper(runes[i])
		upEnd := unicode.IsUpper(runes[i-1]) && unicode.IsUpper(runes[i]) && i+1 < len(runes) && unicode.IsLower(runes[i+1])
		if lowUp || upEnd || runes[i] == '_' {
			words = append(words, strings.Trim(string(runes[start:i]), "_"))
			start = i
		}
	}
	words = append(words, strings.Trim(string(runes[start:]), "_"))
	return slices.DeleteFunc(words, func(w string) bool { return w == "" })
}

// JoinLower joins the words of a Go name in lower case: kebab-case with "-", snake_case with "_".
func JoinLower(goName, sep string) string {
	return strings.ToLower(strings.Join(splitName(goName), sep))
}

// SameName reports whether two names are the same but for case and underscores.
func SameName(a, b string) bool {
	plain := func(s string) string { return strings.ToLower(strings.ReplaceAll(s, "_", "")) }
	return plain(a) == plain(b)
}
