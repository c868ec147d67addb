package stdio_test

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
	"github.com/mcpgen/mcpgen/mcp/stdio"
)

// twoTools returns a server with two tools, each on a page of its own.
func twoTools(opts mcp.Options) (*mcp.Server, error) {
	f := &mcprt.Features{
		Info:         protocol.Implementation{Name: "two", Version: "1"},
		Capabilities: protocol.ServerCapabilities{Tools: &protocol.ServerCapabilitiesTools{}},
	}
	for _, name := range []string{"first", "second"} {
		f.Tools = append(f.Tools, mcprt.Tool{
			Entry: &protocol.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)},
			Call: func(*mcprt.Call, []byte) (mcprt.ToolResult, error) {
				return mcprt.ToolResultOf(mcp.ToolText("done"), nil)
			},
		})
	}
	opts.Logger, opts.PageSize = slog.New(slog.DiscardHandler), 1
	return mcprt.NewServer(f, &opts)
}

// A program that is linked with nothing that encrypts, as this one, has pages. Only cursors that it has given out are
// valid.
func TestCursorsWithoutEncryption(t *testing.T) {
	t.Attr("requirements", "page-invalid")
	srv, err := twoTools(mcp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	go func() {
		_ = srv.Serve(t.Context(), stdio.Over(fromClient, toClient, nil))
		_ = toClient.Close()
	}()
	answers := json.NewDecoder(fromServer)
	list := func(cursor string) (names string, next string, failed bool) {
		t.Helper()
		meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
			`"io.modelcontextprotocol/clientCapabilities":{}}`
		params := "{" + meta + "}"
		if cursor != "" {
			params = fmt.Sprintf(`{"cursor":%q,%s}`, cursor, meta)
		}
		if _, err := fmt.Fprintf(toServer, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":%s}`+"\n",
			params); err != nil {
			t.Fatal(err)
		}
		var a struct {
			Result page
			Error  *struct{ Code int }
		}
		if err := answers.Decode(&a); err != nil {
			t.Fatal(err)
		}
		if a.Error != nil && a.Error.Code != -32602 {
			t.Errorf("%q is answered with %d", cursor, a.Error.Code)
		}
		for _, tool := range a.Result.Tools {
			names += tool.Name
		}
		return names, a.Result.NextCursor, a.Error != nil
	}
	names, next, _ := list("")
	if names != "first" || next == "" {
		t.Fatalf("the first page has %q, and then %q", names, next)
	}
	for range 2 { // a client may read a page again
		if names, last, _ := list(next); names != "second" || last != "" {
			t.Errorf("the second page has %q, and then %q", names, last)
		}
	}
	for _, bad := range []string{next[1:], next + "A", strings.Repeat("A", len(next))} {
		if names, _, failed := list(bad); !failed {
			t.Errorf("%q is taken as a cursor: %q", bad, names)
		}
	}
	_ = toServer.Close()
}

// page is a page of tools.
type page struct {
	Tools      []struct{ Name string }
	NextCursor string
}

// Keys need what encrypts; the error says what to write.
func TestKeysWithoutEncryption(t *testing.T) {
	_, err := twoTools(mcp.Options{Keys: [][]byte{make([]byte, 32)}})
	if err == nil || !strings.Contains(err.Error(), `_ "github.com/mcpgen/mcpgen/mcp/keys"`) {
		t.Errorf("got %v", err)
	}
}
