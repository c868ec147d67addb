package main

import (
	"slices"
	"testing"

	"github.com/mcpgen/mcpgen/bench/internal/report"
	"github.com/mcpgen/mcpgen/bench/internal/work"
)

// A run whose ratios differ much from round to round proves nothing. One whose ratios are alike does, also on a machine
// that gets slower, and so does one with more rounds.
func TestNoise(t *testing.T) {
	flat := slices.Repeat([]float64{1000}, 240)
	wild := []float64{100, 140, 80, 150, 70, 120}
	for name, test := range map[string]struct {
		ours, theirs []float64
		proves       bool
	}{
		"alike":           {[]float64{100, 101, 99, 102, 98, 100}, flat, true},
		"slower and both": {[]float64{100, 120, 140, 160, 180}, []float64{1000, 1200, 1400, 1600, 1800}, true},
		"wild":            {wild, flat, false},
		"wild and often":  {slices.Repeat(wild, 40), flat, true},
	} {
		cost := map[string][]float64{work.Ours: test.ours, work.SDK: test.theirs}
		if n := noiseOf([]table{{rows: []report.Row{{Cost: cost}}}}); (n <= mostNoise) != test.proves {
			t.Errorf("%s: a standard error of %v", name, n)
		}
	}
}
