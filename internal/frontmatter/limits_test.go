package frontmatter

import (
	"strings"
	"testing"
)

// What is too large, too deep or half of something is an error and neither read nor a panic.
func TestLimits(t *testing.T) {
	deep := ""
	for i := range 20 {
		deep += strings.Repeat(" ", i) + "a:\n"
	}
	for text, want := range map[string]string{
		"a: " + strings.Repeat("x", 70_000):                       "the frontmatter has 70004 bytes; 65536 are read",
		"a: " + strings.Repeat("[", 20) + strings.Repeat("]", 20): "more than 16 levels",
		deep + strings.Repeat(" ", 20) + "b: 1":                   "more than 16 levels",
		`a: "\U00110000"`:                                         "\\u or \\U stands before no character",
		`a: "\u00"`:                                               "did not find expected hexadecimal number",
		"a: 'x'\n  b: 2":                                          "line 3: " + noMember,
		"  a: 1\nb: 2":                                            "line 3: the line is indented less than those before it",
		"a: |\n    x\n  y":                                        "line 4: " + noMember,
		"a: [&x]":                                                 "cannot be read: quote the text",
	} {
		m, err := Read("---\n" + text + "\n---\n")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v %v, want %s", text, m, err, want)
		}
	}
	m, err := Read("\ufeff---\na: 1e999\n---\n")
	if text, _ := m.Get("a").(string); err != nil || text != "1e999" {
		t.Errorf("a number that is too large: %v %v", m, err)
	}
}
