package transcript

import (
	"bytes"
	"context"
	"flag"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp/mcptest"
	"github.com/mcpgen/mcpgen/mcp/transport"
)

// What a client of mcptest says of itself, and the member of _meta that has it where it may be left out.
const (
	itself = `{"name":"mcptest","version":"1"}`
	member = `"io.modelcontextprotocol/clientInfo":` + itself + `,`
)

// others are what clients with other names say; "" is nothing where that is allowed, and no name elsewhere.
var others = map[string]string{
	"nobody": "",
	"famous": `{"name":"ChatGPT","version":"26.11.0","title":"ChatGPT","websiteUrl":"https://chatgpt.com"}`,
	"long":   `{"name":"` + strings.Repeat("claude-code ", 40) + `","version":"` + strings.Repeat("9", 100) + `"}`,
}

// runNamed is Run by clients with other names, who get the same answers: the transcript has none that tells a client
// its name.
func runNamed(t *testing.T, file string, start Start, script Script, opts []mcptest.Option) {
	t.Helper()
	if f := flag.Lookup("update"); f != nil && f.Value.String() == "true" {
		return
	}
	for kind, info := range others {
		t.Run(kind, func(t *testing.T) {
			mcptest.Record(t, file, func(t *testing.T) mcptest.Server {
				return renamed{start(t), info}
			}, script, opts...)
		})
	}
}

// renamed is a server whose clients say something else of themselves.
type renamed struct {
	mcptest.Server
	info string
}

// Serve implements mcptest.Server.
func (r renamed) Serve(ctx context.Context, c transport.Conn) error {
	return r.Server.Serve(ctx, renamedConn{c, r.info})
}

type renamedConn struct {
	transport.Conn
	info string
}

// ReadMessage implements transport.Conn.
func (c renamedConn) ReadMessage(buf []byte) ([]byte, error) {
	text, err := c.Conn.ReadMessage(buf)
	if err != nil {
		return text, err
	}
	info := c.info
	if info == "" {
		text = bytes.Replace(text, []byte(member), nil, 1)
		info = `{"name":"","version":""}`
	}
	return bytes.Replace(text, []byte(itself), []byte(info), 1), nil
}
