package gen

import (
	"context"
	"maps"
	"slices"

	"github.com/mcpgen/mcpgen/internal/gen/repair"
)

// fixRounds limits how often Fix generates again, because a repair may reveal another mistake.
const fixRounds = 8

// Fix applies the edits of diagnostics and generates again, until there are no more edits. It returns the last result,
// and the sorted names of the files that it has changed.
func Fix(ctx context.Context, opts Options) (*Result, []string, error) {
	changed := map[string]bool{}
	for round := 0; ; round++ {
		r, err := Packages(ctx, opts)
		if err != nil {
			return nil, nil, err
		}
		if round == fixRounds {
			return r, slices.Sorted(maps.Keys(changed)), nil
		}
		files, err := repair.Apply(r.Diags, r.Source)
		if err != nil {
			return nil, nil, err
		}
		if len(files) == 0 {
			return r, slices.Sorted(maps.Keys(changed)), nil
		}
		for _, file := range files {
			changed[file] = true
		}
	}
}
