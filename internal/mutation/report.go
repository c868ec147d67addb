package main

import (
	"fmt"
	"io"
	"strings"
)

// report is what was found out about one package.
type report struct {
	folder  string
	mutants []*mutant
}

// count tells how many mutants have a fate.
func (r *report) count(f fate) (n int) {
	for _, m := range r.mutants {
		if m.fate == f {
			n++
		}
	}
	return n
}

func (r *report) summary() string {
	return fmt.Sprintf("%s: %d mutants, %d noticed by the compiler, %d by tests, %d survive",
		r.folder, len(r.mutants), r.count(byCompiler), r.count(byTests), r.count(survived))
}

// list writes every mutant and who noticed it.
func (r *report) list(w io.Writer) {
	for _, m := range r.mutants {
		who := [...]string{"SURVIVES", "compiler", "tests"}[m.fate]
		_, _ = fmt.Fprintf(w, "%s %s: %s\n", who, m, m.note)
	}
}

// markdown is the page docs/mutation.md.
func markdown(reports []*report) []byte {
	var b strings.Builder
	b.WriteString(`# The mutation test

Written by ` + "`make mutation`" + `; do not edit. Each statement, condition, constant, list element and pair of arguments of a generated
file is changed or taken out, one at a time. A change that neither the compiler nor the tests of the package notice shows a
line that is not needed, or not tested. Those that may stay have a reason here, kept in ` + "`internal/mutation/reasons.go`" + `.

| package | mutants | noticed by the compiler | noticed by tests | survive |
| --- | ---: | ---: | ---: | ---: |
`)
	for _, r := range reports {
		fmt.Fprintf(&b, "| `%s` | %d | %d | %d | %d |\n", r.folder, len(r.mutants), r.count(byCompiler), r.count(byTests),
			r.count(survived))
	}
	for _, r := range reports {
		b.WriteString("\n## Survivors of `" + r.folder +
			"`\n\n| function | change | line | reason |\n| --- | --- | --- | --- |\n")
		for _, m := range r.mutants {
			if m.fate == survived {
				fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", code(m.owner()), m.what, code(m.text), m.reason)
			}
		}
	}
	return []byte(b.String())
}

// code shows text as code in a cell of a table.
func code(s string) string {
	if s == "" {
		return ""
	}
	if len(s) > 100 {
		s = s[:100] + "…"
	}
	s = strings.ReplaceAll(s, "|", "\\|")
	if strings.Contains(s, "`") {
		return "`` " + s + " ``"
	}
	return "`" + s + "`"
}
