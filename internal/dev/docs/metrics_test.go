package docs

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp/stats"
)

const (
	metricsPage  = "docs/metrics.md"
	metricsBegin = "| metric | type | unit | divided by | meaning |\n|---|---|---|---|---|\n"
)

// metricsTable is the table of docs/metrics.md.
func metricsTable() string {
	var b strings.Builder
	b.WriteString(metricsBegin)
	for _, m := range stats.Metrics() {
		var labels []string
		for _, l := range m.Labels {
			switch {
			case l.Values == nil, len(l.Values) > 6: // in a table of their own
				labels = append(labels, "`"+l.Name+"`")
			default:
				labels = append(labels, "`"+l.Name+"`: "+strings.Join(l.Values, ", "))
			}
		}
		fmt.Fprintf(&b, "| `%s` | %v | %s | %s | %s |\n", m.Name, m.Kind, m.Unit, strings.Join(labels, "; "), m.Meaning)
	}
	return b.String()
}

// The page lists what the program exports: each metric, and each reason of a refusal.
func TestMetricsPage(t *testing.T) {
	text := page(t, metricsPage)
	before, rest, ok := strings.Cut(text, metricsBegin)
	if !ok {
		t.Fatalf("%s has no table", metricsPage)
	}
	_, after, _ := strings.Cut(rest, "\n\n")
	want := before + metricsTable() + "\n" + after
	if *update {
		if err := os.WriteFile(filepath.Join(root, metricsPage), []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
	} else if text != want {
		t.Errorf("%s is not what the table says; go test ./internal/dev/docs -update writes it", metricsPage)
	}
	others := 0
	for _, m := range stats.Metrics() {
		m.Each(new(stats.Snapshot), func(float64, ...string) { others++ })
	}
	if n := fmt.Sprintf("and %d others", others); !strings.Contains(text, n) {
		t.Errorf("%s does not say %q", metricsPage, n)
	}
	refusals := slices.IndexFunc(stats.Metrics(), func(m stats.Metric) bool { return m.Name == "mcp_refusals_total" })
	for _, reason := range stats.Metrics()[refusals].Labels[0].Values {
		if n := strings.Count(text, "\n| `"+reason+"` | "); n != 1 {
			t.Errorf("%s explains the reason %v %d times", metricsPage, reason, n)
		}
	}
}
