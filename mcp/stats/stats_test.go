package stats_test

import (
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp/stats"
)

// Each row of the table has a name of its own that tells its kind, and as many values for each number as labels. Each
// labelled number that has a fixed set of values is there from the beginning.
func TestMetrics(t *testing.T) {
	seen := make(map[string]bool)
	for _, m := range stats.Metrics() {
		if seen[m.Name] {
			t.Errorf("%s is there twice", m.Name)
		}
		seen[m.Name] = true
		if strings.HasSuffix(m.Name, "_total") != (m.Kind == stats.Counter) {
			t.Errorf("%s is a %s", m.Name, m.Kind)
		}
		numbers, want := 0, 1
		for _, l := range m.Labels {
			want *= len(l.Values)
		}
		m.Each(new(stats.Snapshot), func(n float64, values ...string) {
			numbers++
			if len(values) != len(m.Labels) || n != 0 {
				t.Errorf("%s: %v by %q", m.Name, n, values)
			}
		})
		if numbers != want {
			t.Errorf("%s has %d numbers, want %d", m.Name, numbers, want)
		}
	}
}
