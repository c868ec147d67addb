package robustness

import (
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"unicode"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

// TestLogsOfStrangers: what anybody can have written into the log is bounded, in length and in number, and what is left
// out is counted; a refusal does not repeat what was sent.
func TestLogsOfStrangers(t *testing.T) {
	long := strings.Repeat("x", 60<<10)
	for name, header := range map[string]http.Header{
		"host":   {"Host": {long + ".example"}},
		"origin": {"Origin": {"https://" + long + ".example"}},
		"caller": {"User": {""}, "Authorization": {long}},
	} {
		t.Run(name, func(t *testing.T) {
			log := &journal{more: make(chan struct{})}
			v := newVictim(t, &mcp.Options{Logger: slog.New(slog.NewTextHandler(log, nil))},
				&mcphttp.Options{Authenticate: func(r *http.Request) (mcp.Caller, error) {
					return mcp.Caller{}, fmt.Errorf("no token: %s", r.Header.Get("Authorization"))
				}})
			for range 2000 {
				if w := v.do(http.MethodPost, "{}", header); w.Code < 400 || w.Body.Len() > 1000 {
					t.Fatalf("%d with %d bytes", w.Code, w.Body.Len())
				}
			}
			log.await(t, `left_out=(\d+)`)
			if text, _ := log.all(); len(text) > 200<<10 {
				t.Errorf("%d bytes are logged", len(text))
			}
		})
	}
}

// TestAuditOfListen: one listen of many URIs writes a bounded number of records, and counts the rest.
func TestAuditOfListen(t *testing.T) {
	var uris []string
	for i := range 5_000 {
		uris = append(uris, fmt.Sprintf(`"none:///%d"`, i))
	}
	log := &journal{more: make(chan struct{})}
	v := newVictim(t, &mcp.Options{Audit: slog.New(slog.NewJSONHandler(log, nil))}, nil)
	e := v.onStdio()
	e.send([]byte(`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":` +
		`{"resourceSubscriptions":[` + strings.Join(uris, ",") + `]},` + modernMeta + `}}`))
	if text, _ := log.all(); strings.Count(text, "\n") > 200 || !strings.Contains(text, `"target":"4900 more URIs"`) {
		t.Errorf("%d records: %.300s", strings.Count(text, "\n"), text)
	}
}

// TestAuditText: what a stranger writes into an audit record is escaped, in every format of records.
func TestAuditText(t *testing.T) {
	log := &journal{more: make(chan struct{})}
	v := newVictim(t, &mcp.Options{Audit: slog.New(slog.NewJSONHandler(log, nil))}, nil)
	e := v.onStdio()
	const hostile = "a\u0085b\u009b31mc\u202ed\u2066e\u200ff\u007fg\u2028h\ufeffi"
	for _, text := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + hostile + `"}}`,
		`{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"item:///` + hostile + `"}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo","_meta":{` +
			`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},` +
			`"io.modelcontextprotocol/clientInfo":{"name":"` + hostile + `","version":"` + hostile + `"}}}}`,
	} {
		e.await(text)
	}
	text, _ := log.all()
	if strings.Count(text, `\\u202e`) < 4 {
		t.Errorf("nothing hostile is there: %s", text)
	}
	for _, r := range text {
		if r != '\n' && !unicode.IsPrint(r) {
			t.Errorf("%U in %s", r, text)
		}
	}
}
