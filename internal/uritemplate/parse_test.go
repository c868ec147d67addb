package uritemplate

import (
	"regexp"
	"testing"
)

func TestProblems(t *testing.T) {
	tests := []struct {
		text string
		what Mistake // of the first problem; 0 for none
		at   string  // the text that its range covers
	}{
		{"notes:///{name}", 0, ""},
		{"notes:///motd", 0, ""},
		{"urn:isbn:{n}", 0, ""},
		{"x://h/{a}-{b}.{c}", 0, ""},
		{"x:///{a,b}", 0, ""},
		{"x:///{+path}", 0, ""},
		{"x:///{a}{/rest*}", 0, ""},
		{"x:///{a}{.ext}", 0, ""},
		{"x:///{a}{;v}", 0, ""},
		{"x:///{a}{?q,r*}{&s}", 0, ""},
		{"x:///a/{+path}/raw", 0, ""},
		{"/search/{q}", NoURI, "/search/{q}"},
		{"{scheme}:///x", NoURI, "{scheme}:///x"},
		{"x:///a b", NoURI, " "},
		{"x:///a%zz", NoURI, "%"},
		{"x:///a#b", NoURI, "#"},
		{"x:///{a", Unbalanced, "{"},
		{"x:///{a{b}", Unbalanced, "{"},
		{"x:///a}", Unbalanced, "}"},
		{"x:///{a}{b}", Unmatched, "{b}"},
		{"x:///{?a}/b", Unmatched, "/b"},
		{"x:///{&a}", Unmatched, "{&a}"},
		{"x:///{?a}{?b}", Unmatched, "{?b}"},
		{"x:///{+a}/{+b}", Spanning, "{+b}"},
		{"x:///{+a,b}", Spanning, "{+a,b}"},
		{"x:{+a,b}", Spanning, "{+a,b}"},
		{"x:///v{+a}", Spanning, "{+a}"},
		{"x:///{note-id}", Expression, "note-id"},
		{"x:///{x:3}", Expression, "x:3"},
		{"x:///{#x}", Expression, "{#x}"},
		{"x:///{=x}", Expression, "{=x}"},
		{"x:///{}", Expression, "}"},
		{"x:///{a}/{a}", Expression, "a"},
		{"x:///{a*}", Expression, "a*"},
		{"x:///a?b=1", 0, ""},
		{"x:///a?b={c}", Unmatched, "?"},
		{"x:///{a}?b=1", Unmatched, "?"},
		{"urn:a{/b}", Spanning, "{/b}"},
	}
	for _, tt := range tests {
		_, _, problems := Parse(tt.text)
		var what Mistake
		at := ""
		if len(problems) > 0 {
			what, at = problems[0].Mistake, tt.text[problems[0].Start:problems[0].End]
		}
		if what != tt.what || at != tt.at {
			t.Errorf("Parse(%q): %v at %q, want %v at %q", tt.text, what, at, tt.what, tt.at)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"notes:///{name}", "x:///{+a}/{b}{?c,d*}", "a:{b", "{", "x:///{/a*}{;b}{.c}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tmpl, vars, problems := Parse(text)
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
		a, _, _ := Parse(tt.a)
		b, _, _ := Parse(tt.b)
		got, ambiguous := Overlap(a, b)
		if ambiguous != (tt.witness != "") || len(got) != len(tt.witness) {
			t.Errorf("Overlap(%s, %s) = %q %v, want %q", tt.a, tt.b, got, ambiguous, tt.witness)
		}
		for _, text := range []string{tt.a, tt.b} {
			if ambiguous && !pattern(text).MatchString(got) {
				t.Errorf("witness %q does not match %s", got, text)
			}
		}
	}
}

// pattern matches the URIs of a template, which has plain variables and {+x} only.
func pattern(template string) *regexp.Regexp {
	text := regexp.QuoteMeta(template)
	text = regexp.MustCompile(`\\\{\\\+\w+\\\}`).ReplaceAllString(text, `.+`)
	text = regexp.MustCompile(`\\\{\w+\\\}`).ReplaceAllString(text, `[^/]+`)
	return regexp.MustCompile("^" + text + "$")
}
