package wire

import "strings"

// reasonInvalid is the reason for a value that a method of its type refuses, unless the error has a public text.
const reasonInvalid = "is not a valid value"

// PublicText returns the part of err that clients may know: the texts of its outermost errors with a method PublicText,
// such as those of mcp.Public, in their order and separated by "; ". textOf may be nil. Otherwise it is called first
// for each error, and returns a text for clients and whether there is one. ok is false if no text was found.
func PublicText(err error, textOf func(error) (string, bool)) (text string, ok bool) {
	var texts []string
	collectPublic(err, textOf, &texts)
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

// Refusal returns what clients are told if a function of the user refuses a value with err: the public text of err. If
// err has none, Refusal returns fallback, or a fixed text if fallback is "".
func Refusal(err error, fallback string) string {
	switch text, ok := PublicText(err, nil); {
	case ok:
		return text
	case fallback == "":
		return reasonInvalid
	}
	return fallback
}
