package main

import "regexp"

// reasons say why a mutant may survive. The first row that fits counts; owner, what and line are regular
// expressions for the function, the change and the text of the line.
var reasons = []struct{ owner, what, line, why string }{
	{
		"", "delete declaration", `_ += signature_of_.*|_ signature_of_.*`,
		"A guard: it speaks when the user's function changes, not when the generated file does. cmd/mcpgen/testdata/script/guards.txtar shows that.",
	},
	{"", `change constant \d\d+ to \d+`, `.*make\(\[\]byte, 0, \d+\).*`,
		"The capacity of a buffer that grows where it has to."},
	{"route.*", "change constant 1 to 2", "return -1",
		"Every number that is no index says that nothing fits; callers ask for one index or for one below zero."},
	{"route.*", "delete statement", "return -1",
		"What Split refuses has no scheme that a case names; returning at once is only faster."},
	{"", "change constant 1 to 2", `.*FormatFloat\(.*, 'f', -1, (64|32)\).*`,
		"Every precision below zero is the shortest that reads back."},
	{"", "change constant 1 to 2", `v\.Length\(.*, -1\)`, "Every bound below zero is no bound."},
	{"partVars", "change constant 0 to 1", `v\.Length\("number".*`,
		"A variable that is a whole segment is never empty: the router finds nothing there."},
	{"", "change constant 10 to 11", `.*FormatInt\(int64\(rank\), 10\).*`,
		"The only value that is written is 1, which is the same in both bases; 10 is the default and left out."},
	{"watch.*", "delete statement", "return nil, err",
		"The runtime checks the variables before it calls a watcher; a function that ignored its error would still be wrong."},
}

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
