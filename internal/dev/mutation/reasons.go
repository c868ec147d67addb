package main

import "regexp"

// reasons say why a mutant may survive. The first row that fits counts; owner, what and line are regular
// expressions for the function, the change and the text of the line.
var reasons = []struct{ owner, what, line, why string }{
	{
		"", "delete declaration", `var _ (methods_of_|values_of_|func\().*`,
		"A signature guard: it fails when the function of the user changes, not when the generated " +
			"file does. cmd/mcpgen/testdata/script/guards.txtar shows it.",
	},
	{"", "delete declaration", `type _ wire\..*`,
		"The handshake: it fails when the file and the mcp packages do not fit together. internal/dev/contract shows it."},
	{"", `change constant \d\d+ to \d+`, `.*make\(\[\]byte, 0, \d+\).*`,
		"The initial capacity of a buffer that grows if needed."},
	{"route.*", "change constant 1 to 2", "return -1",
		"Every number that is no index means that no resource matches; callers compare with one index or test " +
			"for a negative number."},
	{"route.*", "delete statement", "return -1",
		"A URI that Split refuses has a scheme that no case names; returning at once is only faster."},
	{"", "change constant 1 to 2", `.*FormatFloat\(.*, 'f', -1, (64|32)\).*`,
		"Every negative precision means the shortest text that parses to the same value."},
	{"", "change constant 1 to 2", `v\.Length\(.*, -1\)`, "Every negative bound means no bound."},
	{"readPartVars", "change constant 0 to 1", `v\.Length\("number".*`,
		"A variable that is a whole segment is never empty, because the router does not match an empty segment."},
	{"", "change constant 10 to 11", `.*FormatInt\(int64\(rank\), 10\).*`,
		"The only value that is written is 1, which is the same in both bases; 10 is the default and is left out."},
	{"topic.*", "delete statement|change constant.*", `v\.Written\("(host|colour|addr)".*|if x\.Addr != nil \{`,
		"Every address and every colour has a text; tests of package server have values that have none."},
	{"topic.*", "swap arguments", "return append.*",
		"Topics of different variables stay different, and that is all that they are for."},
	{"topic(Logs|Find|Maybe)", "delete statement", "return b, err",
		"The error of the variables is what the function returns in the end; returning at once is only faster."},
	{"topicLogs", "change constant", `if v\.Time\(2, "since".*`,
		"The name is for the error of a wrong value, which readLogsVars has refused before."},
	{"watch.*", "delete statement", "return nil, err",
		"The runtime checks the variables before it calls a watch function; a function that ignored the error " +
			"would still be wrong."},
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
