package everything_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/transport"
)

// row is a request, and what its answer must have and must not have. The id is that of a row of docs/requirements.md.
type row struct {
	id string
	// on are the revisions, by letters: A is 2024-11-05.
	on string
	// method and params are the request; params are members of an object.
	method, params string
	// want and never are regular expressions.
	want, never string
}

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
	`"io.modelcontextprotocol/clientInfo":{"name":"NAME","version":"1"},` +
	`"io.modelcontextprotocol/clientCapabilities":{}}`

// asker is a client that asks in one revision.
type asker struct {
	t    *testing.T
	conn transport.Conn
	rev  protocol.Revision
	name string // of the client
	last int
}

// TestRows has the requirements that one request shows: each subtest is called after the row that it proves.
func TestRows(t *testing.T) {
	srv := newServer(t)
	t.Cleanup(func() { _ = srv.Close() })
	for i, rev := range protocol.Revisions() {
		a := connect(t, srv, rev, "t")
		letter := string(rune('A' + i))
		for _, r := range rows {
			if strings.Contains(r.on, letter) {
				t.Run(r.id+"/"+rev.String(), func(t *testing.T) {
					t.Attr("requirements", r.id)
					a.judge(t, r)
				})
			}
		}
	}
}

// connect opens a connection, and a session in revisions that have one.
func connect(t *testing.T, srv interface {
	Serve(ctx context.Context, c transport.Conn) error
}, rev protocol.Revision, name string) *asker {
	t.Helper()
	client, server := transport.Pipe(nil)
	done := make(chan error, 1)
	go func() { done <- srv.Serve(context.Background(), server) }()
	t.Cleanup(func() {
		_ = client.Close()
		<-done
	})
	a := &asker{t: t, conn: client, rev: rev, name: name}
	if !protocol.HasMethod(rev, protocol.MethodServerDiscover) {
		a.ask(protocol.MethodInitialize, fmt.Sprintf(
			`"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":%q,"version":"1"}`, rev, name))
	}
	return a
}

// ask returns the response to a request. Notifications before it are not looked at.
func (a *asker) ask(method, params string) string {
	a.last++
	if protocol.HasMethod(a.rev, protocol.MethodServerDiscover) && !strings.Contains(params, `"_meta"`) {
		params = strings.TrimSuffix(strings.Replace(modernMeta, "NAME", a.name, 1)+","+params, ",")
	}
	text := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s}}`, a.last, method, params)
	if err := a.conn.WriteMessage([]byte(text)); err != nil {
		a.t.Fatal(err)
	}
	for {
		b, err := a.conn.ReadMessage(nil)
		if err != nil {
			a.t.Fatal(err)
		}
		if strings.Contains(string(b), fmt.Sprintf(`"id":%d,`, a.last)) {
			return string(b)
		}
	}
}

// What a client calls itself changes nothing of what it gets.
func TestNamesOfClients(t *testing.T) {
	t.Attr("requirements", "meta-client-info ask-user prompt-list-stable res-list-stable tool-list-stable "+
		"tool-order")
	srv := newServer(t)
	t.Cleanup(func() { _ = srv.Close() })
	for _, rev := range protocol.Revisions() {
		one, other := connect(t, srv, rev, "t"), connect(t, srv, rev, "ChatGPT")
		for _, r := range rows {
			if strings.HasSuffix(r.method, "/list") && !strings.HasPrefix(r.method, "tasks/") {
				if a, b := one.ask(r.method, r.params), other.ask(r.method, r.params); a != b {
					t.Errorf("%s %s: %s for one name, %s for another", rev, r.method, a, b)
				}
			}
		}
	}
}

// What a connection has asked before changes nothing of its lists.
func TestListsAreStable(t *testing.T) {
	t.Attr("requirements", "prompt-list-stable res-list-stable tool-list-stable")
	srv := newServer(t)
	t.Cleanup(func() { _ = srv.Close() })
	for i, rev := range protocol.Revisions() {
		one := connect(t, srv, rev, "t")
		for _, r := range rows {
			if strings.Contains(r.on, string(rune('A'+i))) {
				one.ask(r.method, r.params)
			}
		}
		for _, method := range []string{protocol.MethodToolsList, protocol.MethodPromptsList, protocol.MethodResourcesList,
			protocol.MethodResourcesTemplatesList} {
			other := connect(t, srv, rev, "t")
			other.last = one.last
			if a, b := one.ask(method, ""), other.ask(method, ""); a != b {
				t.Errorf("%s %s: %s after other requests, %s before", rev, method, a, b)
			}
		}
	}
}

func (a *asker) judge(t *testing.T, r row) {
	got := a.ask(r.method, r.params)
	if !regexp.MustCompile(r.want).MatchString(got) {
		t.Errorf("%s {%s}: got %s, want %s", r.method, r.params, got, r.want)
	}
	if r.never != "" && regexp.MustCompile(r.never).MatchString(got) {
		t.Errorf("%s {%s}: got %s, with %s", r.method, r.params, got, r.never)
	}
}
