// Package logtest tests an implementation of [event.Log] against what its documentation promises:
//
//	func TestLog(t *testing.T) {
//		logtest.Run(t, func(t *testing.T) event.Log { return open(t) })
//	}
package logtest

import (
	"testing"

	"github.com/mcpgen/mcpgen/mcp/event"
)

// Run runs all tests. Each call of open returns a handle of the same log: a new handle if the log is durable, else
// always the same one. The tests use event names of their own.
func Run(t *testing.T, open func(t *testing.T) event.Log) {
	for _, row := range []struct {
		name string
		run  func(f *fixture)
	}{
		{"Order", testOrder},
		{"Names", testNames},
		{"Duplicate", testDuplicate},
		{"Retention", testRetention},
		{"Size", testSize},
		{"Context", testContext},
		{"Concurrent", testConcurrent},
		{"Shared", testShared},
	} {
		t.Run(row.name, func(t *testing.T) {
			f := &fixture{T: t, one: open(t)}
			f.two = f.one
			if f.one.Lasting() {
				f.two = open(t)
			}
			row.run(f)
		})
	}
}
