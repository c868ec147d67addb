package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp/internal/engine"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// rev is a revision of a protocol that nobody has published: 1 and 2 have a handshake, 3 and 4 have none, and 5 is not
// served.
type rev uint8

func (r rev) String() string { return "r" + string('0'+rune(r)) }

var madeUp = engine.NewEras(engine.Era[rev]{
	Served: []rev{1, 2, 3, 4}, Modern: 3, Batches: 1, OmitsUnknownIDs: 2, UnsupportedVersion: -7,
})

// message is a request with a method and the members of its params.
func message(t *testing.T, method, params string) wire.Message {
	t.Helper()
	m, bad := wire.ParseMessage([]byte(`{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{`+params+`}}`),
		engine.Limits)
	if bad != nil {
		t.Fatal(bad)
	}
	return m
}

const (
	declares = `"io.modelcontextprotocol/protocolVersion":`
	capable  = `"io.modelcontextprotocol/clientCapabilities":{}`
)

func meta(members string) string { return `"_meta":{` + members + `}` }

// Each request is judged by the version that it declares or, without one, by the session.
func TestAdmit(t *testing.T) {
	for _, c := range []struct {
		name, method, params string
		session              rev
		inBatch              bool
		want                 rev
		fault                string
	}{
		{name: "modern", method: "x", params: meta(declares + `"r3",` + capable), want: 3},
		{name: "the newest", method: "x", params: meta(declares + `"r4",` + capable), want: 4},
		{name: "modern beside a session", method: "x", session: 2, params: meta(declares + `"r3",` + capable), want: 3},
		{name: "modern initialize", method: "initialize", params: meta(declares + `"r3",` + capable), want: 3},
		{name: "unknown", method: "x", params: meta(declares + `"r9",` + capable), want: 3,
			fault: `-7 {"supported":["r4","r3"],"requested":"r9"}`},
		{name: "not served", method: "x", params: meta(declares + `"r5",` + capable), want: 3, fault: `"requested":"r5"`},
		{name: "legacy", method: "x", session: 2, params: meta(declares + `"r2",` + capable), want: 3,
			fault: `"requested":"r2"`},
		{name: "a mistake before the version", method: "x", params: meta(declares + `"r9"`), want: 3,
			fault: "clientCapabilities is required"},
		{name: "no text", method: "x", params: meta(declares + `7,` + capable), want: 3, fault: "must be a string"},
		{name: "capabilities", method: "x", params: meta(declares + `"r3","io.modelcontextprotocol/clientCapabilities":[]`),
			want: 3, fault: "clientCapabilities must be an object"},
		{name: "client", method: "x", params: meta(declares + `"r3","io.modelcontextprotocol/clientInfo":1,` + capable),
			want: 3, fault: "clientInfo must be an object"},
		{name: "level", method: "x", params: meta(declares + `"r3","io.modelcontextprotocol/logLevel":"x",` + capable),
			want: 3, fault: "logLevel is not a level"},
		{name: "modern in a batch", method: "x", session: 1, inBatch: true, params: meta(declares + `"r3",` + capable),
			want: 3, fault: "has no batches"},

		{name: "handshake", method: "initialize", params: `"protocolVersion":"r1"`, want: 1},
		{name: "handshake of a modern revision", method: "initialize", params: `"protocolVersion":"r4"`, want: 2},
		{name: "handshake of an unknown revision", method: "initialize", params: `"protocolVersion":"r9"`, want: 2},
		{name: "handshake without a version", method: "initialize", want: 2},
		{name: "second handshake", method: "initialize", session: 1, want: 1, fault: "already initialized"},
		{name: "handshake in a batch", method: "initialize", inBatch: true, fault: "part of a batch"},

		{name: "session", method: "x", session: 1, want: 1},
		{name: "ping", method: "ping", want: 2},
		{name: "too early", method: "x", want: 2, fault: "not initialized"},
		{name: "a version elsewhere", method: "x", params: declares + `"r3"`, want: 2, fault: "not initialized"},
		{name: "_meta is no object", method: "x", params: `"_meta":[]`, want: 2, fault: "not initialized"},
		{name: "_meta without a version", method: "x", session: 2, params: meta(capable), want: 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := message(t, c.method, c.params)
			said := madeUp.ReadMeta(m.Params)
			got, fault := madeUp.Admit(&m, &said, c.session, c.inBatch)
			if got != c.want {
				t.Errorf("revision %v, want %v", got, c.want)
			}
			text := ""
			if fault != nil {
				text = fmt.Sprintf("%d %s %s", fault.Code, fault.Data, fault.Message)
			}
			if (c.fault == "") != (fault == nil) || !strings.Contains(text, c.fault) {
				t.Errorf("fault %q, want %q", text, c.fault)
			}
		})
	}
}

func TestNotificationRevision(t *testing.T) {
	for params, want := range map[string][2]rev{
		``:                                 {2, 1},
		meta(declares + `"r4",` + capable): {4, 4},
		meta(declares + `"r9"`):            {3, 3},
	} {
		m := message(t, "x", params)
		said := madeUp.ReadMeta(m.Params)
		if got := [2]rev{madeUp.Notification(&said, 0), madeUp.Notification(&said, 1)}; got != want {
			t.Errorf("%s: without and with a session %v, want %v", params, got, want)
		}
	}
}

func TestEraRules(t *testing.T) {
	if got := strings.Join(madeUp.Versions(), " "); got != "r4 r3 r2 r1" {
		t.Errorf("versions %s", got)
	}
	if rev, ok := madeUp.Parse("r5"); ok || rev != 0 {
		t.Errorf("a revision that is not served is %v", rev)
	}
	for session, want := range map[rev]bool{0: false, 1: true, 2: false} {
		if fault := madeUp.Batch(session); (fault == nil) != want {
			t.Errorf("a batch in session %v: %v", session, fault)
		}
	}
	for _, c := range []struct {
		session      rev
		modern, null bool
	}{{0, false, true}, {1, false, true}, {2, false, false}, {0, true, false}} {
		if got := madeUp.NullID(c.session, c.modern); got != c.null {
			t.Errorf("session %v, modern %v: null %v", c.session, c.modern, got)
		}
	}
	for text, want := range map[string]bool{
		`{"params":{"_meta":{` + declares + `7}}}`: true, `{"params":{}}`: false, `{"params":7}`: false, `[`: false,
	} {
		if engine.DeclaresVersion([]byte(text)) != want {
			t.Errorf("%s declares: %v", text, !want)
		}
	}
}

// A reader gives what ReadMeta gives, whatever came before, and allocates nothing for what it has seen.
func TestMetaReader(t *testing.T) {
	t.Attr("requirements", "progress-token")
	var r engine.MetaReader[rev]
	texts := []string{`{}`, `{` + meta(declares+`"r3",`+capable) + `}`,
		`{` + meta(declares+`"r3","progressToken":1,`+capable) + `}`,
		`{` + meta(declares+`"r3","progressToken":2,`+capable) + `}`, `{` + meta(declares+`"r9"`) + `}`, `{"_meta":7}`}
	for _, first := range texts {
		for _, second := range texts {
			r.Read(madeUp, []byte(first))
			if got, want := r.Read(madeUp, []byte(second)), madeUp.ReadMeta([]byte(second)); got != want {
				t.Errorf("%s after %s: %v, want %v", second, first, got, want)
			}
		}
	}
	params := []byte(texts[1])
	r.Read(madeUp, params)
	if n := testing.AllocsPerRun(100, func() { r.Read(madeUp, params) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestOpen(t *testing.T) {
	request := `{"jsonrpc":"2.0","id":1,"method":"x","params":{` + meta(declares+`"r3"`) + `}}`
	for text, want := range map[string]struct {
		batch, fault, declared bool
	}{
		request: {declared: true}, `[` + request + `]`: {batch: true}, `{"jsonrpc":"2.0","id":1}`: {fault: true},
		`{`: {fault: true},
		`{"jsonrpc":"2.0","id":1,"result":{` + meta(declares+`"r3"`) + `}}`: {},
	} {
		e := madeUp.Open([]byte(text))
		version, declared := e.DeclaredVersion()
		if e.Batch != want.batch || (e.Fault != nil) != want.fault || declared != want.declared || string(e.Text) != text {
			t.Errorf("%s: batch %v, fault %v, declares %q", text, e.Batch, e.Fault, version)
		}
		if (e.MetaFault() != nil) != want.declared { // it has no capabilities
			t.Errorf("%s: %v", text, e.MetaFault())
		}
	}
}
