package wire

import "strings"

// reasonInvalid is said of a value that a method of its type refuses, unless the error of the method is public.
const reasonInvalid = "is not a valid value"

// PublicText returns what of err clients may know: the texts of its outermost parts with a method PublicText, which
// mcp.Public gives them, in their order and separated by "; ". The function known, if it is not nil, names further
// errors with a text for clients. It is false if there is none.
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

// Refusal is what clients are told of a value that a function of the user refuses with err: the public part of its
// text, or otherwise; "" for a fixed text.
func Refusal(err error, otherwise string) string {
	switch text, ok := PublicText(err, nil); {
	case ok:
		return text
	case otherwise == "":
		return reasonInvalid
	}
	return otherwise
}
