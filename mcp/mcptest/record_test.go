package mcptest

import (
	"strings"
	"testing"
)

// A difference is told with what came before and with the place inside a message.
func TestDifference(t *testing.T) {
	old := "-> {\"id\":1}\n<- {\"id\":1,\"result\":{\"list\":[{\"a/b\":1},{\"x\":true}]}}\n"
	for name, c := range map[string]struct{ text, want string }{
		"value":   {strings.Replace(old, "true", "false", 1), "after -> {\"id\":1}\nwant  <- {"},
		"place":   {strings.Replace(old, "true", "false", 1), "\nat /result/list/1/x: want true, got false"},
		"escaped": {strings.Replace(old, `"a/b":1`, `"a/b":2`, 1), "\nat /result/list/0/a~1b: want 1, got 2"},
		"missing": {strings.Replace(old, `"x":true`, "", 1), "\nat /result/list/1/x: want true, got nothing"},
		"added":   {strings.Replace(old, `"x":true`, `"w":0,"x":true`, 1), "\nat /result/list/1/w: want nothing, got 0"},
		"length": {strings.Replace(old, `,{"x":true}`, "", 1),
			"\nat /result/list: want [{\"a/b\":1},{\"x\":true}], got [{\"a/b\":1}]"},
		"end":  {"-> {\"id\":1}\n", "want  <- {\"id\":1,\"result\":{\"list\":[{\"a/b\":1},{\"x\":true}]}}\ngot   "},
		"text": {"hello", "want  -> {\"id\":1}\ngot   hello"},
	} {
		if got := difference(old, c.text); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q is not in\n%s", name, c.want, got)
		}
	}
	if got := difference(old, old); got != "" {
		t.Errorf("equal texts differ: %s", got)
	}
}

// What is sealed or random is recorded as a fixed word.
func TestMask(t *testing.T) {
	const text = `{"nextCursor":"AAAAAAAAAAAAAAAAAAAAAAAA","requestState":"bbbbbbbbbbbbbbbbbbbbbbbb"} (ref 7f3a)`
	if got, want := mask(text), `{"nextCursor":"SEALED","requestState":"SEALED"} (ref 0000)`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// The parts of a file are found by their names; what is before the first is a comment.
func TestSections(t *testing.T) {
	got := sections("comment\n\n-- a --\n1\n2\n-- b --\n-- c\n")
	if len(got) != 2 || got["a"] != "1\n2\n" || got["b"] != "-- c\n" {
		t.Errorf("%q", got)
	}
}
