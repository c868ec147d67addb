package report

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/bench/internal/work"
)

func TestRatioIsOfRounds(t *testing.T) {
	// A busy round slows both servers down; the ratio within it stays.
	if got := Ratio([]float64{1, 10, 2}, []float64{4, 40, 8}); got != 4 {
		t.Errorf("got %v, want 4", got)
	}
	if got := Ratio([]float64{1}, nil); got != 0 {
		t.Errorf("without the peer: got %v, want 0", got)
	}
}

func TestMedian(t *testing.T) {
	for want, list := range map[float64][]float64{0: nil, 2: {3, 1, 2}, 2.5: {1, 2, 3, 9}} {
		if got := Median(list); got != want {
			t.Errorf("%v: got %v, want %v", list, got, want)
		}
	}
}

func TestMisses(t *testing.T) {
	r := Row{
		Name: "row", Measured: true, Allocs: 2.4, Bytes: 100,
		Target: Target{SDK: 10, MCPGo: 5, Of: work.Echo, Most: 1.5, Allocs: 2, Bytes: 100},
		Cost:   map[string][]float64{work.Ours: {2}, work.SDK: {20}, work.MCPGo: {10}, work.Echo: {2}},
	}
	if got := r.Misses(); got != nil {
		t.Errorf("all reached: got %q", got)
	}
	r.Allocs, r.Bytes = 2.6, 101
	r.Cost = map[string][]float64{work.Ours: {2}, work.SDK: {19}, work.MCPGo: {9}, work.Echo: {1}}
	want := []string{
		"row: 9.5 x go-sdk, want 10.0", "row: 4.5 x mcp-go, want 5.0", "row: 2.00 x the cost of echo, want 1.50 at most",
		"row: 2.6 allocations, want 2 at most", "row: 101 bytes allocated, want 100 at most",
	}
	if got := r.Misses(); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	r.Cost = map[string][]float64{work.Ours: {3e6}}
	r.Target, r.Measured = Target{SDK: 2, Size: 2.7e6}, false
	if got := r.Misses(); !slices.Equal(got, []string{"row: 3.00 MB, want 2.70 MB at most"}) {
		t.Errorf("size: got %q", got)
	}
	r.Cost = map[string][]float64{work.Ours: {600}}
	r.Target, r.Goroutines, r.MostGoroutines = Target{Size: 512}, 2.1, 2
	if got := r.Misses(); !slices.Equal(got, []string{"row: 600 B, want 512 B at most",
		"row: 2.1 goroutines, want 2 at most"}) {
		t.Errorf("memory: got %q", got)
	}
}

// What the noise of a row explains is no miss and nobody's win, and what it does not explain is.
func TestMissesBeyondTheError(t *testing.T) {
	one := slices.Repeat([]float64{1}, 8)
	for _, test := range []struct {
		theirs       []float64
		misses, wins bool
	}{
		{[]float64{0.6, 0.7, 0.9, 1.2, 0.9, 0.7, 1.2, 0.9}, false, false},
		{[]float64{0.3, 0.5, 0.7, 1.2, 0.7, 0.5, 1.2, 0.7}, true, true}, // noise explains no more than a fifth
		{[]float64{0.90, 0.91, 0.89, 0.90, 0.91, 0.89, 0.90, 0.90}, true, true},
	} {
		r := Row{Target: Target{SDK: 1, Of: work.Echo, Most: 1.05},
			Cost: map[string][]float64{work.Ours: one, work.SDK: test.theirs, work.Echo: test.theirs}}
		if got := r.Misses(); (len(got) == 2) != test.misses || !test.misses && got != nil {
			t.Errorf("%v: missed %q", test.theirs, got)
		}
		if got := mark(&r); strings.Contains(got, "WINS") != test.wins {
			t.Errorf("%v: %s", test.theirs, got)
		}
	}
}

// A row in which ours waits by itself is missed if it takes longer than that.
func TestLater(t *testing.T) {
	r := Row{Name: "row", Target: Target{Later: 12 * time.Millisecond},
		Cost: map[string][]float64{work.Ours: {21e6, 30e6}, work.SDK: {10e6, 19e6}}}
	if got := mark(&r); got != "" {
		t.Errorf("11 ms later: got %q", got)
	}
	r.Cost[work.Ours] = []float64{23e6, 32e6}
	if got := r.Misses(); !slices.Equal(got, []string{"row: 13.00ms later than go-sdk, want 12ms at most"}) {
		t.Errorf("13 ms later: got %q", got)
	}
}

// A row in which a peer needs less than ours says so.
func TestMark(t *testing.T) {
	r := Row{Cost: map[string][]float64{work.Ours: {2}, work.SDK: {1.9}, work.MCPGo: {4}}}
	if got := mark(&r); got != "go-sdk WINS" {
		t.Errorf("got %q", got)
	}
	if got := versus(&r, work.SDK, 0); got != "0.95" {
		t.Errorf("ratio %q", got)
	}
	r.Target.MCPGo = 3
	if got := mark(&r); got != "go-sdk WINS, MISS" {
		t.Errorf("got %q", got)
	}
	r.Cost[work.SDK], r.Target = []float64{2}, Target{}
	if got := mark(&r); got != "" {
		t.Errorf("got %q", got)
	}
}

func TestSlowerThanTheNoise(t *testing.T) {
	row := func(ours, before []float64) *Row {
		return &Row{Cost: map[string][]float64{work.Ours: ours, work.Before: before}}
	}
	for _, test := range []struct {
		name         string
		ours, before []float64
		want         bool
	}{
		{"a tenth more, steady", []float64{11, 22, 11, 22}, []float64{10, 20, 10, 20}, true},
		{"a tenth more in the median, noisy", []float64{11, 8, 14, 11}, []float64{10, 10, 10, 10}, false},
		{"less", []float64{9, 9, 9, 9}, []float64{10, 10, 10, 10}, false},
		{"three rounds", []float64{20, 20, 20}, []float64{10, 10, 10}, false},
		{"a size", []float64{20}, []float64{10}, true},
		{"no other checkout", []float64{20, 20, 20, 20}, nil, false},
	} {
		if got := row(test.ours, test.before).Slower(); got != test.want {
			t.Errorf("%s: got %v", test.name, got)
		}
	}
}
