package publicapi

import "testing"

// most is how many exported top-level names a package may have.
var most = map[string]int{"mcp": 70, "mcp/stats": 20}

// TestNames: what users read first is small.
func TestNames(t *testing.T) {
	for i, p := range publicPackages(t) {
		n := len(exported(p))
		t.Logf("%s has %d names", public[i], n)
		if limit, ok := most[public[i]]; ok && n > limit {
			t.Errorf("package %s has %d exported names, want %d at most: show one way of a thing, not two", public[i], n, limit)
		}
	}
}
