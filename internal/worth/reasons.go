package main

import "regexp"

// reasons say why a mutant may survive. The first row that fits counts; owner, what and line are regular
// expressions for the function, the change and the text of the line.
var reasons = []struct{ owner, what, line, why string }{}

// explain gives the survivors their reasons and returns those without one.
func explain(reports []*report) (open []*mutant) {
	for _, r := range reports {
		for _, m := range r.mutants {
			if m.fate != survived {
				continue
			}
			for _, row := range reasons {
				if fits(row.owner, m.owner()) && fits(row.what, m.what) && fits(row.line, m.text) {
					m.reason = row.why
					break
				}
			}
			if m.reason == "" {
				open = append(open, m)
			}
		}
	}
	return open
}

// fits reports whether all of s matches an expression; an empty one matches everything.
func fits(expr, s string) bool {
	return expr == "" || regexp.MustCompile("^(?:"+expr+")$").MatchString(s)
}
