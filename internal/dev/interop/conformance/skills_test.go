package conformance

import (
	"strings"
	"testing"
)

// TestSkills runs the scenarios of the extension io.modelcontextprotocol/skills. The suite skips every check of a
// server that does not declare the extension, so that each of these must have found something to check. What it skips
// by itself is named here with the reason.
func TestSkills(t *testing.T) {
	skipped := map[string]string{}
	for _, name := range []string{"enumeration", "manifest", "directory"} {
		name = "sep-2640-skills-" + name
		t.Run(name, func(t *testing.T) {
			r := resultsOfExtensions(t)[name]
			if r == nil || len(r.of("SUCCESS")) == 0 {
				t.Fatalf("nothing was checked: %+v", r)
			}
			if bad := r.of("FAILURE", "WARNING"); len(bad) > 0 {
				t.Error(strings.Join(bad, "\n"))
			}
			for _, c := range r.checks {
				if c.Status == "SKIPPED" && skipped[c.ID] == "" {
					t.Errorf("%s was skipped: %s", c.ID, c.ErrorMessage)
				}
			}
			t.Logf("%d checks passed", len(r.of("SUCCESS")))
		})
	}
}
