package jenutil

import (
	"strings"
	"testing"
)

func TestSnippets(t *testing.T) {
	for want, got := range map[string]string{
		"b = append(b, ',')":            AppendText(",").GoString(),
		"b = append(b, `{\"uri\":`...)": AppendText(`{"uri":`).GoString(),
		"b = append(b, \"a`b\"...)":     AppendText("a`b").GoString(),
		"*wire.Decoder":                 Decoder().GoString(),
		"// one two\n// three":          Doc("one two\nthree", DocWidth-len("// one two")).GoString(),
		"// first\n//\n// second para":  Doc("first\n\nsecond para", 0).GoString(),
	} {
		if got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}

func TestWrap(t *testing.T) {
	lines := Wrap(strings.Repeat("word ", 60)+"\n\n"+strings.Repeat("x", 200)+" \x00 y", 40)
	for _, l := range lines {
		if len(l) > 40 && strings.Contains(l, " ") {
			t.Errorf("line of %d bytes: %q", len(l), l)
		}
		if strings.ContainsAny(l, "\x00\n") {
			t.Errorf("control character in %q", l)
		}
	}
	if Wrap(" \n", 40) != nil {
		t.Error("empty text has lines")
	}
}
