// Package transcript compares the messages of a golden server and its client with a committed transcript, one section
// for each revision of the protocol.
package transcript

import (
	"flag"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
)

var _ = flag.Bool("update", false, "rewrite the golden transcripts")

// Script is what a client says in one revision. It must wait for everything that it causes, so that the order of
// messages is the same on every run.
type Script = func(c *mcptest.Client, rev protocol.Revision)

// Start returns a fresh server for each revision.
type Start = func(t *testing.T) mcptest.Server

// Run is [mcptest.Record]: testdata/NAME.txtar has a section for each revision; opts are for all clients. Clients with
// other names get the same answers.
func Run(t *testing.T, name string, start Start, script Script, opts ...mcptest.Option) {
	t.Helper()
	mcptest.Record(t, name, start, script, opts...)
	runNamed(t, name, start, script, opts)
}

// RunHTTP is Run over Streamable HTTP. testdata/http_NAME.txtar has each request followed by all of its response, so
// that it does not matter which of two streams is faster. start must return a generated server.
func RunHTTP(t *testing.T, name string, start Start, script Script, opts ...mcptest.Option) {
	t.Helper()
	comment := "Requests of " + t.Name() + ", each with its response; -> to the server, <- from it."
	mcptest.Compare(t, "http_"+name, comment, func(t *testing.T, rev protocol.Revision) func() string {
		srv, ok := start(t).(mcphttp.Server)
		if !ok {
			t.Fatal("no generated server")
		}
		w := newWeb(srv, rev)
		script(mcptest.New(t, w, append(opts, mcptest.WithRevision(rev), mcptest.WithTimeout(time.Hour))...), rev)
		return w.text // with the end of the session
	})
}

// Both is Run and RunHTTP.
func Both(t *testing.T, name string, start Start, script Script, opts ...mcptest.Option) {
	t.Helper()
	Run(t, name, start, script, opts...)
	RunHTTP(t, name, start, script, opts...)
}
