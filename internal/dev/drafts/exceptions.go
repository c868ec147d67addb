package main

import "regexp"

// exceptions are the drafts that are refused, by the first eight digits of their git blob, and why that is right.
var exceptions = map[string]string{
	"c47b7ce7": "a $ref names ResourceReference, which the draft does not define",
}

// expectedChanges are what apidiff calls incompatible with every revision that has it, and why nobody is hurt.
var expectedChanges = []struct {
	message *regexp.Regexp
	reason  string
}{
	{regexp.MustCompile(`^Latest: value changed from \d+ to \d+$`),
		"Latest says which revision is the newest that the package knows"},
	{regexp.MustCompile(`^(ServerHandler|ClientHandler|(Client)?NotificationHandler)\.\w+: added$`),
		"handlers embed the type of the same name with Unimplemented before it; mcp does"},
}

func expected(message string) bool {
	for _, e := range expectedChanges {
		if e.message.MatchString(message) {
			return true
		}
	}
	return false
}
