package uritemplate

import (
	"slices"
	"testing"
)

// FuzzVars: Vars finds the variables that Parse does.
func FuzzVars(f *testing.F) {
	for _, text := range []string{
		"notes:///{name}", "notes:///motd", "urn:isbn:{n}", "x://h/{a}-{b}.{c}", "x:///{a,b}", "x:///{+path}",
		"x:///{a}{/rest*}", "x:///{a}{.ext}", "x:///{a}{;v}", "x:///{a}{?q,r*}{&s}", "x:///a/{+path}/raw", "x:///{",
		"x:///{}",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := Vars(text) // must not panic, whatever the text
		tmpl, vars, problems := Parse(text)
		if tmpl == nil || len(problems) > 0 {
			return
		}
		var want []Var
		for _, v := range vars {
			plain := *v
			plain.Escape = ""
			want = append(want, plain)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	})
}
