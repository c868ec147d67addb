package promql

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/promql/promqltest"
	exporter "go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/sdk/metric"

	"github.com/mcpgen/mcpgen/golden/jobs"
	"github.com/mcpgen/mcpgen/golden/notes"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
	mcpotel "github.com/mcpgen/mcpgen/otel"
)

const (
	dashboard = "../../../docs/telemetry/dashboard.json"
	alerts    = "../../../docs/telemetry/alerts.yml"
	// scrapes is how often the numbers are read, a minute apart.
	scrapes = 4
)

// Every query of the dashboard finds something. So does each side of the comparison of an alert, which itself finds
// nothing while all is well.
func TestQueries(t *testing.T) {
	storage := promqltest.LoadedStorage(t, "load 1m\n"+series(t, sources(t)))
	engine := promqltest.NewTestEngine(t, false, 0, promqltest.DefaultMaxSamplesPerQuery)
	p := parser.NewParser(promqltest.TestParserOpts)
	queries := slices.Concat(expressions(t, dashboard, `"expr": (".*"),?`), expressions(t, alerts, `expr: '(.*)'`))
	for _, text := range queries {
		expr, err := p.ParseExpr(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		sides := []parser.Expr{expr}
		if c, ok := expr.(*parser.BinaryExpr); ok && c.Op.IsComparisonOperator() {
			sides = []parser.Expr{c.LHS, c.RHS}
		}
		for _, side := range sides {
			q, err := engine.NewInstantQuery(t.Context(), storage, nil, side.String(),
				time.UnixMilli(0).Add((scrapes-1)*time.Minute))
			if err != nil {
				t.Fatalf("%s: %v", side, err)
			}
			r := q.Exec(t.Context())
			if found, isVector := r.Value.(promql.Vector); r.Err != nil || isVector && len(found) == 0 {
				t.Errorf("%s finds nothing: %v", side, r.Err)
			}
			q.Close()
		}
	}
}

// expressions returns the queries of a file.
func expressions(t *testing.T, file, pattern string) (out []string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(string(text), -1) {
		expr := m[1]
		if plain, err := strconv.Unquote(expr); err == nil {
			expr = plain
		}
		out = append(out, expr)
	}
	if len(out) < 8 {
		t.Fatalf("%s has only %d queries", file, len(out))
	}
	return out
}

// source is a server that is scraped, and what its clients do before each scrape.
type source struct {
	instance string
	numbers  http.Handler
	work     func()
}

// sources are golden/notes, of which some requests fail, and golden/jobs, which has tasks.
func sources(t *testing.T) []source {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "folder.md"), 0o700); err != nil { // a note that cannot be read
		t.Fatal(err)
	}
	n, err := notes.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = n.Close() })
	registry := prometheus.NewRegistry()
	reader, err := exporter.New(exporter.WithRegisterer(registry))
	if err != nil {
		t.Fatal(err)
	}
	observer := mcpotel.New(&mcpotel.Options{MeterProvider: metric.NewMeterProvider(metric.WithReader(reader))})
	srv, err := notes.NewNotesServer(notes.NotesImpl{Notes: n}, &mcp.Options{Observer: observer})
	if err != nil {
		t.Fatal(err)
	}
	c := mcptest.New(t, srv)
	work := func() {
		_, _ = c.Do("tools/call", []byte(`{"name":"search","arguments":{"query":"a"}}`))
		_, _ = c.Do("tools/call", []byte(`{"name":"search","arguments":{"unknown":1}}`))
		_, _ = c.Do("resources/read", []byte(`{"uri":"notes:///folder"}`))
		_, _ = c.Do("resources/read", []byte(`{"uri":"notes:///nothing"}`))
	}
	other, err := jobs.NewJobsServer(jobs.JobsImpl{Archive: new(jobs.Archive)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return []source{
		{"notes", metrics(t, srv), work}, {"jobs", metrics(t, other), func() {}},
		{"otel", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}), func() {}},
	}
}

func metrics(t *testing.T, srv mcphttp.Server) http.Handler {
	t.Helper()
	h, err := mcphttp.Metrics(srv, nil)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

var sample = regexp.MustCompile(`(?m)^([a-z_]+)(?:\{(.*)\})? ([^ \n]+)$`)

// series scrapes the sources, and returns their series in the form of promqltest.
func series(t *testing.T, all []source) string {
	t.Helper()
	values := map[string][]string{}
	for i := range scrapes {
		for _, s := range all {
			s.work()
		}
		for _, s := range all {
			w := httptest.NewRecorder()
			s.numbers.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet,
				"http://localhost"+mcphttp.MetricsPath, http.NoBody))
			if w.Code != http.StatusOK {
				t.Fatalf("%s: %d %s", s.instance, w.Code, w.Body)
			}
			for _, m := range sample.FindAllStringSubmatch(w.Body.String(), -1) {
				labels := `instance="` + s.instance + `"`
				if m[2] != "" {
					labels += "," + m[2]
				}
				name := m[1] + "{" + labels + "}"
				for len(values[name]) < i {
					values[name] = append(values[name], "_")
				}
				values[name] = append(values[name], m[3])
			}
		}
	}
	var b strings.Builder
	for name, list := range values {
		fmt.Fprintf(&b, "  %s %s\n", name, strings.Join(list, " "))
	}
	return b.String()
}
