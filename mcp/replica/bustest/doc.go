// Package bustest tests an implementation of [replica.Bus] against what its documentation promises:
//
//	func TestBus(t *testing.T) {
//		url := startBroker(t)
//		bustest.Run(t, func(t *testing.T) replica.Bus { return connect(t, url) })
//	}
//
// A test waits for what must happen, for at most 30 seconds, and never asserts how long something takes.
package bustest

import (
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp/replica"
)

// patience is how long a test waits for what must happen; tests of this package make it shorter.
var patience = 30 * time.Second

// Run tests a bus. Each call of newBus returns another handle of the same channel of the same broker, as another
// replica would open it. It may always return the same handle if that serves all replicas, as within one process.
// newBus closes a handle by t.Cleanup. Nothing else may use the channel.
func Run(t *testing.T, newBus func(t *testing.T) replica.Bus) {
	t.Helper()
	for _, c := range []struct {
		name string
		test func(t *testing.T, newBus func(t *testing.T) replica.Bus)
	}{
		{"echo", testEcho},
		{"live", testLive},
		{"frames", testFrames},
		{"one at a time", testOneAtATime},
		{"frames are copies", testCopies},
		{"many publishers", testManyPublishers},
		{"many subscriptions", testManySubscriptions},
		{"end", testEnd},
		{"end while frames flow", testEndInFlow},
		{"subscribe again", testAgain},
		{"publish does not wait", testPublishDoesNotWait},
		{"slow receiver", testSlowReceiver},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, newBus) })
	}
}

// Faults are ways to disturb the broker. A test whose faults are nil is left out.
type Faults struct {
	// Stop ends the broker as if its machine had failed, and Start starts it again at the same address.
	Stop, Start func(t *testing.T)
	// Pause makes the broker hang with its connections open, and Resume lets it go on.
	Pause, Resume func(t *testing.T)
	// Cut ends all connections of handles, while the broker goes on.
	Cut func(t *testing.T)
}

// RunFaults tests a bus on a broker that fails. newBus is that of [Run].
func RunFaults(t *testing.T, newBus func(t *testing.T) replica.Bus, f Faults) {
	t.Helper()
	if f.Stop != nil && f.Start != nil {
		t.Run("restart", func(t *testing.T) { testRestart(t, newBus, f) })
		t.Run("broker away", func(t *testing.T) { testAway(t, newBus, f.Stop, f.Start) })
	}
	if f.Pause != nil && f.Resume != nil {
		t.Run("broker hangs", func(t *testing.T) { testHang(t, newBus, f) })
	}
	if f.Cut != nil {
		t.Run("cut", func(t *testing.T) { testCut(t, newBus, f.Cut) })
	}
}
