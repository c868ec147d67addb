package build

import (
	"testing"

	"github.com/mcpgen/mcpgen/internal/ir"
)

func TestParseURIProblems(t *testing.T) {
	tests := []struct {
		text string
		code string // of the first problem; "" for none
		at   string // the text that its range covers
	}{
		{"notes:///{name}", "", ""},
		{"notes:///motd", "", ""},
		{"urn:isbn:{n}", "", ""},
		{"x://h/{a}-{b}.{c}", "", ""},
		{"x:///{a,b}", "", ""},
		{"x:///{+path}", "", ""},
		{"x:///{a}{/rest*}", "", ""},
		{"x:///{a}{.ext}", "", ""},
		{"x:///{a}{;v}", "", ""},
		{"x:///{a}{?q,r*}{&s}", "", ""},
		{"x:///a/{+path}/raw", "", ""},
		{"/search/{q}", "MCP201", "/search/{q}"},
		{"{scheme}:///x", "MCP201", "{scheme}:///x"},
		{"x:///a b", "MCP201", " "},
		{"x:///a%zz", "MCP201", "%"},
		{"x:///a#b", "MCP201", "#"},
		{"x:///{a", "MCP202", "{"},
		{"x:///{a{b}", "MCP202", "{"},
		{"x:///a}", "MCP202", "}"},
		{"x:///{a}{b}", "MCP203", "{b}"},
		{"x:///{?a}/b", "MCP203", "/b"},
		{"x:///{&a}", "MCP203", "{&a}"},
		{"x:///{?a}{?b}", "MCP203", "{?b}"},
		{"x:///{+a}/{+b}", "MCP204", "{+b}"},
		{"x:///v{+a}", "MCP204", "{+a}"},
		{"x:///{note-id}", "MCP205", "note-id"},
		{"x:///{x:3}", "MCP205", "x:3"},
		{"x:///{#x}", "MCP205", "{#x}"},
		{"x:///{=x}", "MCP205", "{=x}"},
		{"x:///{}", "MCP205", "}"},
		{"x:///{a}/{a}", "MCP205", "a"},
		{"x:///{a*}", "MCP205", "a*"},
		{"x:///a?b=1", "", ""},
		{"x:///a?b={c}", "MCP203", "?"},
		{"x:///{a}?b=1", "MCP203", "?"},
		{"urn:a{/b}", "MCP204", "{/b}"},
	}
	for _, tt := range tests {
		_, _, problems := parseURI(tt.text)
		code, at := "", ""
		if len(problems) > 0 {
			code, at = problems[0].Code, tt.text[problems[0].Start:problems[0].End]
		}
		if code != tt.code || at != tt.at {
			t.Errorf("parseURI(%q): %s at %q, want %s at %q", tt.text, code, at, tt.code, tt.at)
		}
	}
}

func FuzzParseURI(f *testing.F) {
	for _, s := range []string{"notes:///{name}", "x:///{+a}/{b}{?c,d*}", "a:{b", "{", "x:///{/a*}{;b}{.c}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tmpl, vars, problems := parseURI(text)
		for _, p := range problems {
			if p.Start < 0 || p.End > len(text) || p.Start > p.End {
				t.Fatalf("problem outside the text: %+v", p)
			}
		}
		if tmpl == nil || len(problems) > 0 {
			return
		}
		placed := 0
		for _, seg := range tmpl.Segments {
			for i, part := range seg {
				if part.Var >= 0 {
					placed++
					if i > 0 && seg[i-1].Var >= 0 {
						t.Fatalf("variables touch in %q", text)
					}
				}
			}
		}
		if placed+len(tmpl.Query) != len(vars) {
			t.Fatalf("%q: %d variables placed, %d parsed", text, placed+len(tmpl.Query), len(vars))
		}
	})
}

func TestOverlap(t *testing.T) {
	tests := []struct{ a, b, witness string }{
		{"notes:///{id}", "notes:///{slug}", "notes:///a"},
		{"notes:///{id}", "other:///{id}", ""},
		{"notes:///{id}", "notes:///{id}/raw", ""},
		{"x:///{a}/b", "x:///c/{d}", "x:///c/b"},
		{"x:///{+p}", "x:///{a}", ""}, // one segment is more specific
		{"x:///{+p}/z", "x:///{+q}/z", "x:///a/z"},
		{"x:///{a}.txt", "x:///note{b}", "x:///note.txt"},
		{"x:///{a}.txt", "x:///{b}-txt", ""},
		{"x:///v{a}", "x:///{a}v", "x:///vv"},
		{"x:///ab{a}", "x:///cd{a}", ""},
	}
	for _, tt := range tests {
		a, _, _ := parseURI(tt.a)
		b, _, _ := parseURI(tt.b)
		got, ambiguous := overlap(a, b)
		if ambiguous != (tt.witness != "") || len(got) != len(tt.witness) {
			t.Errorf("overlap(%s, %s) = %q %v, want %q", tt.a, tt.b, got, ambiguous, tt.witness)
		}
		for _, text := range []string{tt.a, tt.b} {
			if ambiguous && !matches(t, text, got) {
				t.Errorf("witness %q does not match %s", got, text)
			}
		}
	}
}

// matches says whether uri matches the template, by the decision tree.
func matches(t *testing.T, text, uri string) bool {
	t.Helper()
	tmpl, _, problems := parseURI(text)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return walk(buildRoutes([]*ir.Resource{{Template: tmpl}}), []*ir.Resource{{Template: tmpl}}, uri) == 0
}
