package mcphttp_test

import (
	"encoding/json"
	"expvar"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/stats"
)

var (
	metricName = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)
	sampleLine = regexp.MustCompile(`^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{([^{}]*)\})? (-?[0-9]+(?:\.[0-9]+)?)$`)
	oneLabel   = regexp.MustCompile(`^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\\\|\\"|\\n)*)"$`)
)

// parseMetrics reads a text of version 0.0.4 and reports what Prometheus or its linter would object to. The keys of the
// result are samples as they are written, such as mcp_streams{kind="listen"}.
func parseMetrics(t testing.TB, text string) map[string]float64 {
	t.Helper()
	samples := map[string]float64{}
	seen := map[string]bool{}
	name, kind, help := "", "", ""
	if !strings.HasSuffix(text, "\n") {
		t.Error("the text does not end in a newline")
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if rest, ok := strings.CutPrefix(line, "# HELP "); ok {
			name, help, _ = strings.Cut(rest, " ")
			if kind = ""; help == "" || seen[name] {
				t.Errorf("%q: no text, or not the first of its metric", line)
			}
			seen[name] = true
			continue
		}
		if rest, ok := strings.CutPrefix(line, "# TYPE "); ok {
			var of string
			if of, kind, _ = strings.Cut(rest, " "); of != name || kind != "counter" && kind != "gauge" {
				t.Errorf("%q: not a type of %s", line, name)
			}
			if strings.HasSuffix(name, "_total") != (kind == "counter") {
				t.Errorf("%s is a %s", name, kind)
			}
			continue
		}
		m := sampleLine.FindStringSubmatch(line)
		if m == nil || m[1] != name || kind == "" {
			t.Errorf("%q: not a sample of %s, which is a %q", line, name, kind)
			continue
		}
		if m[2] != "" {
			var before string
			for l := range strings.SplitSeq(m[2], ",") {
				pair := oneLabel.FindStringSubmatch(l)
				if pair == nil || pair[1] == before {
					t.Errorf("%q: not a label, or twice", l)
				}
				before = l
			}
		}
		n, err := strconv.ParseFloat(m[3], 64)
		key := strings.TrimSuffix(line, " "+m[3])
		if _, twice := samples[key]; err != nil || twice || kind == "counter" && n < 0 {
			t.Errorf("%q: %v, or twice", line, err)
		}
		samples[key] = n
	}
	return samples
}

// scrape returns the numbers of r as Prometheus gets them.
func (r *rig) scrape(t testing.TB) map[string]float64 {
	t.Helper()
	h, err := mcphttp.Metrics(r.srv, nil)
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://localhost/metrics", nil))
	if w.Code != 200 || w.Header().Get("Content-Type") != "text/plain; version=0.0.4; charset=utf-8" {
		t.Fatalf("%d %v", w.Code, w.Header())
	}
	return parseMetrics(t, w.Body.String())
}

// The rules of the linter of Prometheus, as far as they apply to a table without histograms.
func TestMetricNames(t *testing.T) {
	units := []string{"seconds", "bytes"}
	for _, m := range stats.Metrics() {
		parts := strings.Split(m.Name, "_")
		switch {
		case !metricName.MatchString(m.Name) || parts[0] != "mcp":
			t.Errorf("%s: not a name", m.Name)
		case slices.Contains(units, m.Unit) != (slices.Contains(parts, m.Unit) && slices.Contains(units, m.Unit)):
			t.Errorf("%s: a base unit, %s, is not in the name", m.Name, m.Unit)
		case strings.HasSuffix(m.Name, "_total") != (m.Kind == stats.Counter):
			t.Errorf("%s: a %v", m.Name, m.Kind)
		case m.Unit == "" || !strings.HasSuffix(m.Meaning, "."):
			t.Errorf("%s: no unit or no sentence", m.Name)
		}
		for _, part := range parts {
			if slices.Contains([]string{"milliseconds", "ms", "kb", "kilobytes", "count", "sum", "bucket", "gauge", "counter"},
				part) {
				t.Errorf("%s: %s in a name", m.Name, part)
			}
		}
		for _, l := range m.Labels {
			if l.Name == "le" || l.Name == "quantile" || strings.Contains(m.Name, "_"+l.Name+"_") {
				t.Errorf("%s: the label %s", m.Name, l.Name)
			}
		}
	}
}

// Metrics are for those who call the server by its address or name.
func TestMetricsHost(t *testing.T) {
	r := newRig(t, nil)
	h, err := mcphttp.Metrics(r.srv, &mcphttp.Options{AllowedHosts: []string{"mcp.example.com"}})
	if err != nil {
		t.Fatal(err)
	}
	for host, status := range map[string]int{
		"localhost:9090": 200, "127.0.0.1": 200, "10.1.2.3:9090": 200, "[fd00::1]:9090": 200, "MCP.example.com": 200,
		"evil.example": 403, "10.1.2.3.evil.example": 403, "": 403, "[10.1.2.3": 403,
	} {
		req := httptest.NewRequest(http.MethodGet, "http://x/metrics", nil)
		req.Host = host
		w := httptest.NewRecorder()
		h.ServeHTTP(w, req)
		if w.Code != status {
			t.Errorf("%q: %d, want %d", host, w.Code, status)
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "http://localhost/metrics", strings.NewReader("{}")))
	if w.Code != 405 || w.Header().Get("Allow") != "GET, HEAD" {
		t.Errorf("POST: %d %v", w.Code, w.Header())
	}
	if _, err := mcphttp.Metrics(r.srv, &mcphttp.Options{MaxBody: -1}); err == nil {
		t.Error("an option out of range")
	}
	if _, err := mcphttp.Metrics(noServer{}, nil); err == nil {
		t.Error("no server")
	}
}

// What expvar publishes are the numbers of the table.
func TestVar(t *testing.T) {
	r := newRig(t, nil)
	body, headers := modern("tools/call", "who", `"name":"who"`)
	want(t, r.do("POST", body, headers...), 200)
	var v expvar.Var = mcphttp.Expvar(r.srv)
	var got map[string]any
	if err := json.Unmarshal([]byte(v.String()), &got); err != nil {
		t.Fatal(err)
	}
	if n := fmt.Sprint(got["mcp_requests_total"]); n != "map[tools/call ok:1]" {
		t.Errorf("requests: %s", n)
	}
	for _, m := range stats.Metrics() {
		_, number := got[m.Name].(float64)
		if object, ok := got[m.Name].(map[string]any); !ok && !number || number != (len(m.Labels) == 0) ||
			len(m.Labels) == 1 && len(object) != len(m.Labels[0].Values) {
			t.Errorf("%s: %v", m.Name, got[m.Name])
		}
	}
	if len(got) != len(stats.Metrics()) {
		t.Errorf("%d members", len(got))
	}
}
