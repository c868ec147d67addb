package conformance

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/conformance.md again")

const report = "../../../../docs/conformance.md"

// others are the scenarios of extensions, which no required set runs, with the revision to ask for.
var others = map[string]string{
	"sep-2640-skills-directory":   "2026-07-28",
	"sep-2640-skills-enumeration": "2026-07-28",
	"sep-2640-skills-manifest":    "2026-07-28",
}

// reasons say why a scenario does not pass. One that is not here must.
var reasons = map[string]string{
	"server-sse-polling":         "the suite needs a tool that closes its stream on purpose; the server closes no stream of a running call",
	"tasks-status-notifications": "the suite skips it for every server, because the notifications that it checks are sent on another stream now",
}

// TestReport: docs/conformance.md tells the result of every scenario, and a reason where it is not a pass.
func TestReport(t *testing.T) {
	var b strings.Builder
	b.WriteString(`# Conformance

Results of the official suite, ` + "`@modelcontextprotocol/conformance@0.2.0-alpha.12`" +
		`, for golden/everything, with one process at one
URL. ` + "`make conformance`" + ` runs the suite again and fails if a result differs from this page. A scenario passes if all of its checks
ran and none failed; checks that the suite did not run are counted as skipped.

`)
	used := make(map[string]bool)
	for _, set := range required {
		names := scenarios(t, forServers, "--requirements", set.revision)
		all := resultsOf(t, set.revision)
		fmt.Fprintf(&b, "## Required for %s\n\n", set.revision)
		writeTable(t, &b, names, all, used)
		fmt.Fprintf(&b, "## Run with %s, not scored\n\n", set.revision)
		writeTable(t, &b, rest(all, names), all, used)
	}
	older := runSuite(t, serverURL(t), "--suite", "all", "--spec-version", "2025-06-18")
	b.WriteString("## Run with 2025-06-18\n\nThe client of the suite negotiates 2025-11-25 nevertheless; the messages are validated by the older schema.\n\n")
	writeTable(t, &b, rest(older, nil), older, used)
	b.WriteString("## Extensions in no required set\n\n")
	extra := resultsOfExtensions(t)
	writeTable(t, &b, rest(extra, nil), extra, used)
	writeForeign(t, &b)
	for name := range reasons {
		if !used[name] {
			t.Errorf("there is a reason for %s, which passes", name)
		}
	}
	if *update {
		if err := os.WriteFile(report, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(report)
	if err != nil || string(text) != b.String() {
		t.Errorf("%s is not what the suite finds now; run this test with -update (%v)", report, err)
	}
}

// TestEveryScenarioIsReported: a newer suite with other scenarios does not go unnoticed.
func TestEveryScenarioIsReported(t *testing.T) {
	text, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	for _, heading := range []string{forServers, forClients, forAuthorizations} {
		for _, name := range scenarios(t, heading) {
			if !strings.Contains(string(text), "| "+name+" |") {
				t.Errorf("%s does not mention %s", report, name)
			}
		}
	}
}

// writeForeign writes what the suite has for other programs than servers.
func writeForeign(t *testing.T, b *strings.Builder) {
	t.Helper()
	b.WriteString("## Not for servers\n\n| scenario | result | why |\n|---|---|---|\n")
	for _, of := range []struct{ heading, why string }{
		{forClients, "tests a client; mcpgen generates servers"},
		{forAuthorizations, "tests an authorization server; mcpgen generates none"},
	} {
		for _, name := range scenarios(t, of.heading) {
			fmt.Fprintf(b, "| %s | not run | %s |\n", name, of.why)
		}
	}
}

// rest returns the scenarios of all that are not in names, sorted.
func rest(all map[string]*result, names []string) []string {
	var list []string
	for name := range all {
		if !slices.Contains(names, name) {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// writeTable writes a row for each scenario.
func writeTable(t *testing.T, b *strings.Builder, names []string, all map[string]*result, used map[string]bool) {
	t.Helper()
	b.WriteString("| scenario | result | why |\n|---|---|---|\n")
	for _, name := range names {
		r := all[name]
		if r == nil {
			t.Errorf("%s did not run", name)
			continue
		}
		fmt.Fprintf(b, "| %s | %s | %s |\n", name, r.verdict(), why(t, r, used))
	}
	b.WriteString("\n")
}

// passes is the verdict on a scenario that found nothing and skipped nothing.
const passes = "passes"

// verdict is the result in a few words. Checks that only inform count as none.
func (r *result) verdict() string {
	made, failed, skipped := len(r.of("SUCCESS", "FAILURE", "WARNING")), len(r.of("FAILURE")), len(r.of("SKIPPED"))
	switch {
	case r.failed():
		return fmt.Sprintf("fails %d of %d checks", failed, made+skipped)
	case made == 0:
		return "skipped"
	case skipped > 0:
		return fmt.Sprintf("skipped %d of %d checks", skipped, made+skipped)
	case len(r.of("WARNING")) > 0:
		return "passes with warnings"
	}
	return passes
}

// why is the reason for a result that is not a pass.
func why(t *testing.T, r *result, used map[string]bool) string {
	t.Helper()
	if r.verdict() == passes {
		return ""
	}
	text, ok := reasons[r.scenario]
	if !ok {
		t.Errorf("%s %s: %s", r.scenario, r.verdict(), strings.Join(r.of("FAILURE", "WARNING", "SKIPPED"), "; "))
	}
	used[r.scenario] = true
	return text
}
