package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/mcpgen/mcpgen/mcp/stats"
)

// post sends a request of 2026-07-28 to the program feedreplica, and looks for a text in the answer. Name is that of a
// tool, if the request calls one.
func post(ctx context.Context, addr, method, name, params, want string) error {
	body := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{"_meta":{` +
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},` +
		`"io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"}},` + params + `}}`
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+addr+"/mcp", strings.NewReader(body))
	if err != nil {
		return err
	}
	for header, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method, "Mcp-Name": name, "Fleet-User": "bench",
	} {
		if value != "" {
			r.Header.Set(header, value)
		}
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer res.Body.Close() //nolint:errcheck // it was only read
	text, err := io.ReadAll(res.Body)
	if err == nil && !bytes.Contains(text, []byte(want)) {
		err = fmt.Errorf("%s: %s: %.300s", method, res.Status, text)
	}
	return err
}

// statsOf asks the program feedreplica for its numbers.
func statsOf(addr string) (s stats.Webhooks, err error) {
	res, err := http.Get("http://" + addr + "/stats")
	if err != nil {
		return s, err
	}
	defer res.Body.Close() //nolint:errcheck // it was only read
	return s, json.NewDecoder(res.Body).Decode(&s)
}
