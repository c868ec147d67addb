package wire

import "strings"

// reasonInvalid is the reason for a value that a method of its type refuses, unless the error has a public text.
const reasonInvalid = "is not a valid value"

// PublicText returns the part of err that clients may know: the texts of its outermost errors with a method PublicText,
// such as those of mcp.Public, in their order and separated by "; ". known, if it is not nil, returns the texts of
// further errors for clients. ok is false if there is no such text.
func PublicText(err error, known func(error) (string, bool)) (text string, ok bool) {
	var texts []string
	collectPublic(err, known, &texts)
	return strings.Join(texts, "; "), texts != nil
}

func collectPublic(err error, known func(error) (string, bool), texts *[]string) {
	if known != nil {
		if text, ok := known(err); ok {
			*texts = append(*texts, text)
			return
		}
	}
	switch e := err.(type) { //nolint:errorlint // looks at one error of the tree at a time
	case interface{ PublicText() string }:
		*texts = append(*texts, e.PublicText())
	case interface{ Unwrap() error }:
		collectPublic(e.Unwrap(), known, texts)
	case interface{ Unwrap() []error }:
		for _, part := range e.Unwrap() {
			collectPublic(part, known, texts)
		}
	}
}

// Refusal returns what clients are told if a function of the user refuses a value with err: the public text of err or,
// if it has none, the text in otherwise. If that is "", it is a fixed text.
func Refusal(err error, otherwise string) string {
	switch text, ok := PublicText(err, nil); {
	case ok:
		return text
	case otherwise == "":
		return reasonInvalid
	}
	return otherwise
}
