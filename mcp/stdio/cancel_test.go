package stdio_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
	"github.com/mcpgen/mcpgen/mcp/stdio"
)

// yielding is an audit that lets others run between the end of a handler and its response.
type yielding struct{ slog.Handler }

func (yielding) Enabled(context.Context, slog.Level) bool { return true }

func (yielding) Handle(context.Context, slog.Record) error {
	runtime.Gosched()
	return nil
}

// cancelServer has a tool that returns at once, while another goroutine reads on.
func cancelServer(t *testing.T) *mcp.Server {
	srv, err := mcprt.NewServer(&mcprt.Features{
		Info:         protocol.Implementation{Name: "cancel", Version: "1"},
		Capabilities: protocol.ServerCapabilities{Tools: &protocol.ServerCapabilitiesTools{}},
		Tools: []mcprt.Tool{{
			Entry: &protocol.Tool{Name: "go", InputSchema: json.RawMessage(`{"type":"object"}`)},
			Guard: &mcprt.Guard{Limit: mcprt.Limit{Timeout: time.Hour}},
			Call: func(*mcprt.Call, []byte) (mcprt.ToolResult, error) {
				return mcprt.ToolResultOf(mcp.ToolText("gone"), nil)
			},
		}},
	}, &mcp.Options{Logger: slog.New(slog.DiscardHandler), Audit: slog.New(yielding{slog.DiscardHandler})})
	if err != nil {
		t.Fatal(err)
	}
	return srv
}

// Once the server has processed a cancellation, which the response to a later ping shows, no response of the cancelled
// request is written. 100,000 calls are cancelled while their responses are made.
func TestNoResponseAfterCancellation(t *testing.T) {
	t.Attr("requirements", "cancel-races stdio-cancel")
	calls := 100_000
	if testing.Short() {
		calls = 10_000
	}
	srv := cancelServer(t)
	fromClient, toServer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	fromServer, toClient, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() {
		served <- srv.Serve(t.Context(), stdio.Over(fromClient, toClient, nil))
		_ = toClient.Close()
	}()
	room := make(chan struct{}, 50) // calls whose ping is not answered
	go func() {
		defer toServer.Close()
		_, _ = io.WriteString(toServer, `{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25",`+
			`"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`+"\n"+
			`{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
		for id := 1; id <= calls; id++ {
			room <- struct{}{}
			if _, err := fmt.Fprintf(toServer, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"go"}}`+"\n"+
				`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`+"\n"+
				`{"jsonrpc":"2.0","id":"p%d","method":"ping"}`+"\n", id, id, id); err != nil {
				return
			}
		}
	}()
	answered, late := readCancelled(fromServer, room)
	if err := <-served; err != nil {
		t.Error(err)
	}
	if late > 0 {
		t.Errorf("%d responses after their cancellation, of %d", late, calls)
	}
	t.Logf("%d of %d calls answered", answered, calls)
	for _, c := range []io.Closer{fromClient, fromServer, srv} {
		_ = c.Close()
	}
}

// readCancelled reads until the end, and counts the responses to calls, and those that come after the response to the
// ping behind their cancellation.
func readCancelled(from io.Reader, room <-chan struct{}) (answered, late int) {
	ponged := make(map[int]bool)
	lines := bufio.NewScanner(from)
	for lines.Scan() {
		line := lines.Text()
		var id int
		if n, _ := fmt.Sscanf(line, `{"jsonrpc":"2.0","id":"p%d"`, &id); n == 1 {
			ponged[id] = true
			<-room
			continue
		}
		if n, _ := fmt.Sscanf(line, `{"jsonrpc":"2.0","id":%d`, &id); n == 1 {
			answered++
			if ponged[id] {
				late++
			}
		}
	}
	return answered, late
}
