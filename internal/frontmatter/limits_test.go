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
		`a: "\U00110000"`:                                         "is no escape",
		`a: "\u00"`:                                               "is no escape",
		"a: 'x'\n  b: 2":                                          "indented further than the member before it",
		"  a: 1\nb: 2":                                            "indented less than the lines before it",
		"a: |\n    x\n  y":                                        "indented less than the first line of the text",
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
