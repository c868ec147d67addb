package mcptest_test

import (
	"context"
	"flag"
	"runtime"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
	"github.com/mcpgen/mcpgen/mcp/transport"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

var _ = flag.Bool("update", false, "write the files of testdata again")

// late answers a request, and sends a notification about it when other goroutines have run for a while.
type late struct{}

func (late) Serve(_ context.Context, c transport.Conn) error {
	return serve(c, func(m *wire.Message) error {
		if !m.IsRequest() {
			return nil
		}
		b := wire.AppendResult(nil, m.ID)
		if string(m.Method) == protocol.MethodInitialize {
			version, _ := wire.Lookup(m.Params, "protocolVersion")
			b = append(append(append(b, `{"protocolVersion":`...), version...), `,"capabilities":{},`+
				`"serverInfo":{"name":"late","version":"1"}}}`...)
			return c.WriteMessage(append(b, '\n'))
		}
		about := append(wire.AppendID([]byte(`{"jsonrpc":"2.0","method":"late","params":{"id":`), m.ID), "}}\n"...)
		if err := c.WriteMessage(append(b, "{}}\n"...)); err != nil {
			return err
		}
		go func() {
			for range 1000 {
				runtime.Gosched()
			}
			_ = c.WriteMessage(about)
		}()
		return nil
	})
}

// What a request causes is recorded before the next message, however late the server says it.
func TestRecordOfLateMessages(t *testing.T) {
	start := func(*testing.T) mcptest.Server { return late{} }
	mcptest.Record(t, "late", start, func(c *mcptest.Client, _ protocol.Revision) {
		for range 3 {
			_, _ = c.Do("late", nil)
		}
	})
}
