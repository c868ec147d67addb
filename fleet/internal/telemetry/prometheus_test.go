package telemetry

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/fleet/internal/fleet"
	"github.com/mcpgen/mcpgen/internal/dev/freeport"
	"github.com/mcpgen/mcpgen/internal/dev/proc"
)

// soon is how long anything may take that happens at all.
const soon = 2 * time.Minute

// config is that of a Prometheus that reads the targets from files of the folder.
const config = `global: {scrape_interval: 1s, evaluation_interval: 1s}
rule_files: [%q]
scrape_configs:
- {job_name: mcp, file_sd_configs: [{files: [mcp.json], refresh_interval: 1s}]}
- {job_name: otel, metrics_path: /otel, file_sd_configs: [{files: [otel.json], refresh_interval: 1s}]}
`

// watched is a fleet and the Prometheus that reads its numbers, with the alerts as its rules.
type watched struct {
	*fleet.Fleet
	t       *testing.T
	dir     string
	replica string // the program
	addr    string // of Prometheus
}

// watch starts a fleet of three and a Prometheus for it.
func watch(t *testing.T) *watched {
	t.Helper()
	bin, err := exec.LookPath("prometheus")
	if err != nil {
		t.Skip("prometheus is not installed (make setup installs it where apt-get is)")
	}
	rules, err := filepath.Abs(alerts)
	if err != nil {
		t.Fatal(err)
	}
	w := &watched{t: t, dir: t.TempDir()}
	w.replica, err = fleet.BuildReplica(t.Context(), w.dir, fleet.Variant{Name: "replica"})
	if err != nil {
		t.Fatal(err)
	}
	w.Fleet, err = fleet.Start(t.Context(), fleet.Config{Dir: w.dir, Program: w.replica, Engine: fleet.NATS, Replicas: 3,
		Tasks: fleet.SQLite, Flags: []string{"-replicas", "3", "-otel"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	if w.addr, err = freeport.Find(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.target()
	w.put("prometheus.yml", fmt.Appendf(nil, config, rules))
	p, err := proc.Start(filepath.Join(w.dir, "log"), nil, bin, "--config.file="+filepath.Join(w.dir, "prometheus.yml"),
		"--storage.tsdb.path="+filepath.Join(w.dir, "data"), "--web.listen-address="+w.addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	if err := proc.Await(t.Context(), p, soon, w.evaluated); err != nil {
		t.Fatal(err)
	}
	return w
}

// target tells Prometheus where the replicas are now.
func (w *watched) target() {
	w.t.Helper()
	var numbers, requests []string
	for _, r := range w.Replicas {
		numbers, requests = append(numbers, r.MetricsAddr()), append(requests, r.Addr())
	}
	for name, at := range map[string][]string{"mcp.json": numbers, "otel.json": requests} {
		text, err := json.Marshal([]map[string]any{{"targets": at}})
		if err != nil {
			w.t.Fatal(err)
		}
		w.put(name, text)
	}
}

// put writes a file that Prometheus may read at the same time.
func (w *watched) put(name string, text []byte) {
	w.t.Helper()
	file := filepath.Join(w.dir, name)
	if err := os.WriteFile(file+".new", text, 0o600); err != nil {
		w.t.Fatal(err)
	}
	if err := os.Rename(file+".new", file); err != nil {
		w.t.Fatal(err)
	}
}

// get reads what Prometheus answers into data.
func (w *watched) get(path string, data any) error {
	req, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, "http://"+w.addr+"/api/v1/"+path, nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	out := struct {
		Error string
		Data  any
	}{Data: data}
	if err := json.NewDecoder(res.Body).Decode(&out); err != nil {
		return fmt.Errorf("%s: %w", res.Status, err)
	}
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", res.Status, out.Error)
	}
	return nil
}

// by finds the labels by which a query divides what it finds.
var by = regexp.MustCompile(`sum by \(([^)]*)\)`)

// query fails unless a query finds something, and each label by which it is divided.
func (w *watched) query(text string) {
	w.t.Helper()
	var data struct {
		Result []struct{ Metric map[string]string }
	}
	if err := w.get("query?query="+url.QueryEscape(text), &data); err != nil || len(data.Result) == 0 {
		w.t.Errorf("%s finds nothing: %v", text, err)
		return
	}
	labels := map[string]bool{"le": true} // a quantile has it no more
	for _, r := range data.Result {
		for name := range r.Metric {
			labels[name] = true
		}
	}
	if m := by.FindStringSubmatch(text); m != nil {
		for name := range strings.SplitSeq(m[1], ", ") {
			if !labels[name] {
				w.t.Errorf("%s finds nothing with the label %s", text, name)
			}
		}
	}
}

// rule is an alert, as Prometheus has it.
type rule struct {
	Name, Query, Health, LastError string

	State string // inactive, pending or firing
}

// rules returns the alerts by their names.
func (w *watched) rules() map[string]rule {
	w.t.Helper()
	all, err := w.readRules()
	if err != nil {
		w.t.Fatal(err)
	}
	return all
}

func (w *watched) readRules() (map[string]rule, error) {
	var data struct{ Groups []struct{ Rules []rule } }
	err := w.get("rules", &data)
	out := map[string]rule{}
	for _, g := range data.Groups {
		for _, r := range g.Rules {
			out[r.Name] = r
		}
	}
	return out, err
}

// evaluated returns an error until Prometheus has evaluated its rules for the first time.
func (w *watched) evaluated() error {
	all, err := w.readRules()
	if err == nil && len(all) == 0 {
		err = errors.New("no rules yet")
	}
	for name, r := range all {
		if r.Health == "unknown" {
			err = fmt.Errorf("rule %s is not evaluated yet", name)
		}
	}
	return err
}

// await waits until an alert is active, and does something meanwhile, again and again.
func (w *watched) await(alert string, do func()) {
	w.t.Helper()
	for begun := time.Now(); w.rules()[alert].State == "inactive"; time.Sleep(200 * time.Millisecond) {
		do()
		if time.Since(begun) > soon {
			w.t.Fatalf("%s is not active: %+v", alert, w.rules()[alert])
		}
	}
}
