// Package sessiontest tests an implementation of [replica.SessionStore] against what its documentation promises:
//
//	func TestSessions(t *testing.T) {
//		url := startStore(t)
//		sessiontest.Run(t, func(t *testing.T) replica.SessionStore { return connect(t, url) })
//	}
//
// A test waits for what must happen, for at most 30 seconds, and never asserts how long something takes.
package sessiontest

import (
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp/replica"
)

// patience is how long a test waits for what must happen; tests of this package make it shorter.
var patience = 30 * time.Second

// Run tests a store. Each call of newStore returns another handle of the same store, as another replica would open it.
// It may always return the same handle if that serves all replicas. newStore closes a handle by t.Cleanup. The ids of
// the records are random, so other records do not matter.
func Run(t *testing.T, newStore func(t *testing.T) replica.SessionStore) {
	t.Helper()
	for _, c := range []struct {
		name string
		test func(*fixture)
	}{
		{"one record", testOneRecord},
		{"changed", testChanged},
		{"deleted", testDeleted},
		{"versions do not return", testVersions},
		{"ids", testIDs},
		{"records", testRecords},
		{"records are copies", testCopies},
		{"many create", testManyCreate},
		{"many change", testManyChange},
		{"good once", testOnce},
		{"expiry", testExpiry},
		{"end of ctx", testEnd},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(newFixture(t, newStore)) })
	}
}

// Faults are ways to disturb a store. A test whose faults are nil is left out.
type Faults struct {
	// Stop ends the store as if its process had been killed, and Start starts it again at the same address.
	Stop, Start func(t *testing.T)
	// Pause makes the store hang with its connections open, and Resume lets it go on.
	Pause, Resume func(t *testing.T)
}

// RunFaults tests a store that fails. newStore is that of [Run].
func RunFaults(t *testing.T, newStore func(t *testing.T) replica.SessionStore, f Faults) {
	t.Helper()
	if f.Stop != nil && f.Start != nil {
		t.Run("restart", func(t *testing.T) { testRestart(newFixture(t, newStore), f.Stop, f.Start) })
	}
	if f.Pause != nil && f.Resume != nil {
		t.Run("store hangs", func(t *testing.T) { testHang(newFixture(t, newStore), f.Pause, f.Resume) })
	}
}
