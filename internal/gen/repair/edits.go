package repair

import (
	"cmp"
	"os"
	"slices"

	"github.com/mcpgen/mcpgen/internal/diag"
)

// Apply makes the edits of the diagnostics that are to be repaired now, in the texts that source returns, and returns
// the files that it has written. They are none if there is nothing to repair.
func Apply(all *diag.List, source func(file string) ([]byte, error)) ([]string, error) {
	var files []string
	for file, list := range chosen(repairable(all)) {
		if err := rewrite(file, list, source); err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	return files, nil
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
