// Package deliver sends events to callbacks. The way of an event:
//
//  1. Package desk keeps a subscription after its callback has answered a challenge, on any replica.
//  2. Package lease gives each replica some of the shards (shards.go). load.go loads their subscriptions, and polls the
//     store for changes by others; apply.go takes both.
//  3. Wake has a name looked at (names.go): the host says which of its subscriptions have a match, and the others stay
//     idle. A few goroutines serve all of them: one takes a subscription from queue.go, reads what is behind it
//     (pump.go), and starts an attempt for each event while budget.go has room for it. slow.go has other goroutines
//     step in for reads that take long.
//  4. attempt.go signs and posts, with a time and a signature of its own. A failure waits and is tried again; what was
//     tried is read again, so that rights are asked again and nothing waits in memory.
//  5. window.go advances the watermark; save.go writes it, many subscriptions at once. A subscription has at most
//     Window events that are sent and not written yet, so that a killed process repeats no more than these.
//
// A subscription costs no goroutine and no timer. There is one lock, which parts of the engine share, and nothing is
// read, sent or stored under it. The order of deliveries is not promised: several events of a subscription are on their
// way at once.
package deliver
