package conformance

import (
	"maps"
	"os"
	"strings"
	"testing"
)

// required are the revisions whose sets the server must pass, with the number of scenarios in each.
var required = []struct {
	revision  string
	scenarios int
}{
	{"2025-11-25", 30},
	{"2026-07-28", 37},
}

// results are those of the required sets and of what the suite runs along with them, by revision.
var results = make(map[string]map[string]*result)

// hasty are scenarios that wait for events for about a second and no longer, whatever the timeout. A machine that is
// busy with other tests may need longer.
var hasty = []string{"server-stateless"}

// resultsOf runs the required set of a revision once. Hasty scenarios that did not pass among the others run alone
// again.
func resultsOf(t *testing.T, revision string) map[string]*result {
	t.Helper()
	if results[revision] != nil {
		return results[revision]
	}
	results[revision] = runSuite(t, serverURL(t), "--requirements", revision)
	for _, name := range hasty {
		r := results[revision][name]
		for again := 0; again < 3 && r != nil && r.verdict() != passes; again++ {
			t.Logf("%s in a hurry: %s", name, strings.Join(r.of("FAILURE", "WARNING"), "; "))
			r = runSuite(t, serverURL(t), "--scenario", name, "--spec-version", revision)[name]
			results[revision][name] = r
		}
	}
	return results[revision]
}

// ofExtensions are the results of the scenarios of extensions.
var ofExtensions map[string]*result

// resultsOfExtensions runs the scenarios of extensions once.
func resultsOfExtensions(t *testing.T) map[string]*result {
	t.Helper()
	if ofExtensions == nil {
		all := make(map[string]*result)
		for name, revision := range others {
			maps.Copy(all, runSuite(t, serverURL(t), "--scenario", name, "--spec-version", revision, "--force"))
		}
		ofExtensions = all
	}
	return ofExtensions
}

// TestRequired runs the required sets against one process at one URL.
func TestRequired(t *testing.T) {
	for _, set := range required {
		t.Run(set.revision, func(t *testing.T) {
			names := scenarios(t, forServers, "--requirements", set.revision)
			all := resultsOf(t, set.revision)
			passed := 0
			for _, name := range names {
				r := all[name]
				switch {
				case r == nil:
					t.Errorf("%s did not run", name)
				case len(r.checks) == 0:
					t.Errorf("%s checked nothing", name)
				case r.verdict() != passes:
					t.Errorf("%s: %s: %s", name, r.verdict(), strings.Join(r.of("FAILURE", "WARNING", "SKIPPED"), "; "))
				default:
					passed++
				}
			}
			if passed != set.scenarios {
				t.Errorf("%d scenarios passed, want %d", passed, set.scenarios)
			}
		})
	}
}

// TestLockFile: the lock file pins contents, not the registry that one of us happens to use.
func TestLockFile(t *testing.T) {
	text, err := os.ReadFile("package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), `"resolved"`) {
		t.Error("package-lock.json names a registry; .npmrc tells npm to leave that out")
	}
}
