package era_test

import (
	"slices"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
)

// Servers offer all revisions up to the newest one that is served, and each of them is either legacy or modern.
func TestRevisions(t *testing.T) {
	all := era.Revisions()
	if !slices.IsSorted(all) || all[len(all)-1] != era.NewestServed {
		t.Fatalf("revisions %v, want the oldest first and %v last", all, era.NewestServed)
	}
	var newest []string
	for _, rev := range slices.Backward(all) {
		newest = append(newest, rev.String())
	}
	if got := era.Table.Versions(); !slices.Equal(got, newest) {
		t.Errorf("the table serves %q, want %q", got, newest)
	}
	at := slices.IndexFunc(all, era.IsModern)
	if at < 1 || all[at-1] != era.NewestLegacy || all[at] != era.OldestModern {
		t.Errorf("of %v the %d-th is the first modern one, want that after %v", all, at, era.NewestLegacy)
	}
	for _, rev := range all {
		if want := rev >= protocol.Revision20260728; era.IsModern(rev) != want {
			t.Errorf("%v is modern: %v", rev, !want)
		}
	}
}

// A handshake makes a legacy session, whatever version the client asks for.
func TestNegotiate(t *testing.T) {
	for version, want := range map[string]protocol.Revision{
		"2024-11-05": protocol.Revision20241105, "2025-06-18": protocol.Revision20250618,
		"2026-07-28": era.NewestLegacy, "2099-01-01": era.NewestLegacy, "": era.NewestLegacy,
	} {
		if got := era.Table.Negotiate(version); got != want {
			t.Errorf("for %q: %v, want %v", version, got, want)
		}
	}
}

// Only one revision has batches.
func TestBatches(t *testing.T) {
	for _, rev := range era.Revisions() {
		if may := era.Table.Batch(rev) == nil; may != (rev == protocol.Revision20250326) {
			t.Errorf("sessions of %v may send batches: %v", rev, may)
		}
	}
}

// A lazy value is made once for each revision.
func TestLazy(t *testing.T) {
	var l era.Lazy[string]
	made := 0
	build := func(rev protocol.Revision) string { made++; return rev.String() }
	for range 2 {
		for _, rev := range protocol.Revisions() {
			if got := *l.Get(rev, build); got != rev.String() {
				t.Errorf("for %v: %q", rev, got)
			}
		}
	}
	if made != len(protocol.Revisions()) {
		t.Errorf("made %d times for %d revisions", made, len(protocol.Revisions()))
	}
	if first := l.Get(protocol.Latest, build); first != l.Get(protocol.Latest, build) {
		t.Error("two values for one revision")
	}
}
