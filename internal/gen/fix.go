package gen

import (
	"cmp"
	"context"
	"os"
	"slices"

	"github.com/mcpgen/mcpgen/internal/diag"
)

// fixRounds is how often Fix looks again: a repair may uncover another mistake.
const fixRounds = 8

// Fix applies the fixes for machines that the diagnostics bring, and looks again, until none is left. It
// returns what the last look found and the files that it changed, sorted.
func Fix(ctx context.Context, opts Options) (*Result, []string, error) {
	changed := map[string]bool{}
	for round := 0; ; round++ {
		r, err := Packages(ctx, opts)
		if err != nil {
			return nil, nil, err
		}
		edits := chosen(repairable(r.Diags))
		if len(edits) == 0 || round == fixRounds {
			return r, keys(changed), nil
		}
		for file, list := range edits {
			if err := rewrite(file, list, r.Source); err != nil {
				return nil, nil, err
			}
			changed[file] = true
		}
	}
}

// repairable are the diagnostics to repair now. What a note proposes may only be the consequence of a mistake, so notes
// wait until there is none.
func repairable(all *diag.List) []diag.Diagnostic {
	mistakes := all.AtLeast(diag.Warning).Sorted()
	fixable := func(d diag.Diagnostic) bool { return len(d.Edits) > 0 }
	if all.HasErrors() || slices.ContainsFunc(mistakes, fixable) {
		return mistakes
	}
	return all.Sorted()
}

func keys(set map[string]bool) []string {
	var out []string
	for k := range set {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// chosen returns the edits to make now, by file and in order. The edits of a diagnostic go together; one
// that would overlap with an earlier one waits for the next round.
func chosen(all []diag.Diagnostic) map[string][]diag.Edit {
	out := map[string][]diag.Edit{}
	for _, d := range all {
		var fresh []diag.Edit
		clash := false
		for _, e := range d.Edits {
			if slices.Contains(out[e.File], e) {
				continue
			}
			clash = clash || slices.ContainsFunc(out[e.File], func(o diag.Edit) bool {
				return e.Start < o.End &&
					o.Start < e.End || e.Start == o.Start
			})
			fresh = append(fresh, e)
		}
		if clash {
			continue
		}
		for _, e := range fresh {
			out[e.File] = append(out[e.File], e)
		}
	}
	for file := range out {
		slices.SortFunc(out[file], func(a, b diag.Edit) int { return cmp.Compare(a.Start, b.Start) })
	}
	return out
}

// rewrite makes the edits in the text that was looked at.
func rewrite(file string, edits []diag.Edit, source func(string) ([]byte, error)) error {
	text, err := source(file)
	if err != nil {
		return err
	}
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	return os.WriteFile(file, edited(text, edits), info.Mode().Perm())
}

// edited makes edits, which are in order and do not overlap.
func edited(text []byte, edits []diag.Edit) []byte {
	var out []byte
	at := 0
	for _, e := range edits {
		out = append(append(out, text[at:e.Start]...), e.New...)
		at = e.End
	}
	return append(out, text[at:]...)
}
