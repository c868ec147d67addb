package modcache

import "testing"

// TestFill: what has been filled needs no network.
func TestFill(t *testing.T) {
	if err := Fill("../../.."); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOPROXY", "off")
	if err := Fill("../../.."); err != nil {
		t.Error(err)
	}
}
