package conformance

import (
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

// resultsOf runs the required set of a revision once.
func resultsOf(t *testing.T, revision string) map[string]*result {
	t.Helper()
	if results[revision] == nil {
		results[revision] = judge(t, serverURL(t), "--requirements", revision)
	}
	return results[revision]
}

// TestRequired runs the required sets against one process at one URL.
func TestRequired(t *testing.T) {
	for _, set := range required {
		t.Run(set.revision, func(t *testing.T) {
			names, _ := serverScenarios(t, "--requirements", set.revision)
			all := resultsOf(t, set.revision)
			passed := 0
			for _, name := range names {
				r := all[name]
				switch {
				case r == nil:
					t.Errorf("%s did not run", name)
				case len(r.checks) == 0:
					t.Errorf("%s checked nothing", name)
				case r.failed():
					t.Errorf("%s failed: %s", name, strings.Join(r.of("FAILURE"), "; "))
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
