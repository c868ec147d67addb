package gen

import (
	"context"
	"maps"
	"slices"

	"github.com/mcpgen/mcpgen/internal/gen/repair"
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
