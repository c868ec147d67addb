package main

import (
	"testing"

	"github.com/mcpgen/mcpgen/bench/internal/report"
	"github.com/mcpgen/mcpgen/bench/internal/work"
)

// A run whose slices differ much proves nothing, and one whose slices are alike does.
func TestNoise(t *testing.T) {
	of := func(slices ...float64) float64 {
		return noiseOf([]table{{rows: []report.Row{{Cost: map[string][]float64{work.Ours: slices}}}}})
	}
	if n := of(100, 101, 99, 102, 98, 100); n > mostNoise {
		t.Errorf("slices that are alike have a noise of %v", n)
	}
	if n := of(100, 140, 80, 150, 70, 120); n <= mostNoise {
		t.Errorf("slices that differ much have a noise of %v", n)
	}
}
