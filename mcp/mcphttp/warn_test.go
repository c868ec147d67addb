package mcphttp_test

import (
	"context"
	"flag"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
)

// book keeps what is logged, and calls serving when a command serves.
type book struct {
	mu      sync.Mutex
	lines   []string
	serving func()
}

func (b *book) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lines = append(b.lines, string(p))
	if strings.Contains(string(p), "mcphttp: serving") {
		b.serving()
	}
	return len(p), nil
}

// scoped is a server whose features have guards.
func scoped(t *testing.T, g *mcprt.Guard) *mcp.Server {
	t.Helper()
	srv, err := mcprt.NewServer(&mcprt.Features{
		Info:         protocol.Implementation{Name: "t", Version: "1"},
		Capabilities: protocol.ServerCapabilities{Tools: &protocol.ServerCapabilitiesTools{}},
		Tools: []mcprt.Tool{{
			Entry: &protocol.Tool{Name: "x", InputSchema: []byte(`{"type":"object"}`)}, Guard: g,
			Call: func(*mcprt.Call, []byte) (mcprt.ToolResult, error) { return mcprt.ToolResultOf(mcp.ToolText(""), nil) },
		}},
	}, &mcp.Options{Logger: slog.New(slog.DiscardHandler), Keys: [][]byte{make([]byte, 32)}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = srv.Close() })
	return srv
}

// A server that lets everybody in, or has features for nobody, says so once when it starts.
func TestStartWarns(t *testing.T) {
	t.Attr("requirements", "http-localhost http-auth")
	authenticate := func(*http.Request) (mcp.Caller, error) { return mcp.Caller{}, nil }
	scopes := &mcprt.Guard{Access: mcprt.Access{Scopes: []string{"a"}}}
	for name, c := range map[string]struct {
		addr         string
		guard        *mcprt.Guard
		authenticate func(*http.Request) (mcp.Caller, error)
		want         string // what the warnings have, in order, with a comma between them
	}{
		"loopback":               {addr: "127.0.0.1:0"},
		"localhost":              {addr: "localhost:0"},
		"every interface":        {addr: ":0", want: "every client that reaches this address may call"},
		"every interface, knows": {addr: ":0", authenticate: authenticate},
		"scopes":                 {addr: "127.0.0.1:0", guard: scopes, want: "scopes or roles are not offered"},
		"scopes of any": {addr: "127.0.0.1:0",
			guard: &mcprt.Guard{Access: mcprt.Access{AnyScope: [][]string{{"a"}}}}, want: "scopes or roles are not offered"},
		"roles": {addr: "127.0.0.1:0",
			guard: &mcprt.Guard{Access: mcprt.Access{AnyRole: [][]string{{"a"}}}}, want: "scopes or roles are not offered"},
		"scopes, knows":          {addr: "127.0.0.1:0", guard: scopes, authenticate: authenticate},
		"a guard without scopes": {addr: "127.0.0.1:0", guard: &mcprt.Guard{}},
		"scopes, every interface": {addr: ":0", guard: scopes,
			want: "every client that reaches this address may call,scopes or roles are not offered"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			log := &book{serving: cancel}
			fs := flag.NewFlagSet("", flag.PanicOnError)
			command := mcphttp.AddFlags(fs)
			_ = fs.Parse([]string{"-http", c.addr})
			command.Options.Authenticate = c.authenticate
			command.Options.Logger = slog.New(slog.NewTextHandler(log, nil))
			if err := command.Run(ctx, scoped(t, c.guard)); err != nil {
				t.Fatal(err)
			}
			var warnings []string
			for _, line := range log.lines {
				if strings.Contains(line, "level=WARN") {
					warnings = append(warnings, line)
					if !strings.Contains(line, "Options.Authenticate") {
						t.Errorf("names no option: %s", line)
					}
				}
			}
			want := strings.Split(c.want, ",")
			if c.want == "" {
				want = nil
			}
			if len(warnings) != len(want) {
				t.Fatalf("warnings %q, want %q", warnings, want)
			}
			for i, part := range want {
				if !strings.Contains(warnings[i], part) {
					t.Errorf("warning %q, want %q", warnings[i], part)
				}
			}
		})
	}
}

// The line of the start names the paths that are served.
func TestServingPaths(t *testing.T) {
	t.Attr("requirements", "http-endpoint")
	for want, args := range map[string][]string{
		"path=/mcp tls=false\n":          {"-http", "127.0.0.1:0"},
		"path=/mcp tls=false sse=/sse\n": {"-http", "127.0.0.1:0", "-sse"},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		log := &book{serving: cancel}
		fs := flag.NewFlagSet("", flag.PanicOnError)
		command := mcphttp.AddFlags(fs)
		_ = fs.Parse(args)
		command.Options.Logger = slog.New(slog.NewTextHandler(log, nil))
		if err := command.Run(ctx, scoped(t, nil)); err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(log.lines, func(line string) bool { return strings.HasSuffix(line, want) }) {
			t.Errorf("%v: %q", args, log.lines)
		}
	}
}
