// Package taskstoretest tests an implementation of [task.Store] against what its documentation promises:
//
//	func TestTasks(t *testing.T) {
//		file := filepath.Join(t.TempDir(), "tasks.sqlite")
//		taskstoretest.Run(t, func(t *testing.T) task.Store { return open(t, file) })
//	}
//
// The tests give all times by arguments. They wait for what must happen, for at most 30 seconds, and never assert how
// long something takes.
package taskstoretest

import (
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp/task"
)

// patience is how long a test waits for what must happen; tests of this package make it shorter.
var patience = 30 * time.Second

// Run tests a store. Each call of newStore returns another handle of the same store, as another replica would open it.
// It may always return the same handle if that serves all replicas. newStore closes a handle by t.Cleanup. All records
// of the store are removed: do not test a store that is in use.
//
// If newStore returns a new handle each time and it has a method Close() error, a test also closes one before
// t.Cleanup.
func Run(t *testing.T, newStore func(t *testing.T) task.Store) {
	t.Helper()
	for _, c := range []struct {
		name string
		test func(*fixture)
	}{
		{"one record", testOneRecord},
		{"no record", testNoRecord},
		{"exists", testExists},
		{"changed", testChanged},
		{"versions grow", testVersions},
		{"heads", testHeads},
		{"records", testRecords},
		{"large records", testLarge},
		{"too large records", testTooLarge},
		{"records are copies", testCopies},
		{"limits", testLimits},
		{"ended make room", testEndedMakeRoom},
		{"bytes", testBytes},
		{"room is given back", testRoomIsGivenBack},
		{"many create", testManyCreate},
		{"many swap", testManySwap},
		{"many change", testManyChange},
		{"claimable", testClaimable},
		{"stands still", testStill},
		{"lease", testLease},
		{"oldest first", testOldest},
		{"except principals", testExcept},
		{"fence", testFence},
		{"many claim", testManyClaim},
		{"claim against swap", testClaimAgainstSwap},
		{"expiry", testExpiry},
		{"many expire", testManyExpire},
		{"pages", testPages},
		{"principals", testPrincipals},
		{"end of ctx", testEnd},
		{"close", func(f *fixture) { testClose(f, newStore) }},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(newFixture(t, newStore)) })
	}
}

// Faults are ways to disturb a store. A test whose faults are nil is left out.
type Faults struct {
	// Stop ends the store as if its process had been killed, and Start starts it again at the same address.
	Stop, Start func(t *testing.T)
	// Pause makes the store hang, and Resume lets it go on.
	Pause, Resume func(t *testing.T)
}

// RunFaults tests a store that fails. newStore is that of [Run].
func RunFaults(t *testing.T, newStore func(t *testing.T) task.Store, f Faults) {
	t.Helper()
	if f.Stop != nil && f.Start != nil {
		t.Run("restart", func(t *testing.T) { testRestart(newFixture(t, newStore), f.Stop, f.Start) })
	}
	if f.Pause != nil && f.Resume != nil {
		t.Run("store hangs", func(t *testing.T) { testHang(newFixture(t, newStore), f.Pause, f.Resume) })
	}
}
