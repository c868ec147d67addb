package robustness

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
	"github.com/mcpgen/mcpgen/mcp/stdio"
)

// TestSlowCallsOnStdio: once a call has been slow the next ones are read without waiting to see whether they are slow
// too, so that a ping behind hundreds of them is answered at once. Time is that of a bubble, and stands still while
// anybody works.
func TestSlowCallsOnStdio(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const calls = 250
		begun := make(chan struct{}, calls)
		v := newVictim(t, &mcp.Options{MaxInFlight: calls + 1}, nil, func(f *mcprt.Features) {
			f.Tools[0].Call = func(c *mcprt.Call, _ []byte) (mcprt.ToolResult, error) {
				begun <- struct{}{}
				<-c.Done()
				return mcprt.ToolResult{}, c.Err()
			}
		})
		in, toServer := io.Pipe()
		fromServer, out := io.Pipe()
		served := make(chan error, 1)
		go func() { served <- v.srv.Serve(t.Context(), stdio.Over(in, out, nil)) }()
		lines := bufio.NewScanner(fromServer)
		say := func(text string) { _, _ = io.WriteString(toServer, text+"\n") }
		say(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{` + openParams + `}}`)
		lines.Scan()
		start := time.Now()
		for i := range calls {
			say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo"}}`, i+1))
		}
		say(`{"jsonrpc":"2.0","id":"ping","method":"ping"}`)
		if !lines.Scan() || !strings.Contains(lines.Text(), `"id":"ping"`) {
			t.Errorf("before the answer to the ping comes %s", lines.Text())
		}
		if d := time.Since(start); d > 10*time.Millisecond {
			t.Errorf("the ping was answered after %v", d)
		}
		for range calls {
			<-begun
		}
		go func() { _, _ = io.Copy(io.Discard, fromServer) }()
		_ = v.srv.Close()
		_ = toServer.Close()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
}
