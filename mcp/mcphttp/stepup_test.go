package mcphttp_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
)

// withScopes adds scopes to the tools of a rig: routed is for everybody to see, and log is hidden.
func withScopes(f *mcprt.Features) {
	for i := range f.Tools {
		switch f.Tools[i].Entry.Name {
		case "routed":
			f.Tools[i].Guard = &mcprt.Guard{Access: mcprt.Access{Scopes: []string{"a"},
				AnyScope: [][]string{{"b", "c"}}, Shown: true}}
		case "log":
			f.Tools[i].Guard = &mcprt.Guard{Access: mcprt.Access{Scopes: []string{"hidden"}}}
		case "who":
			f.Tools[i].Guard = &mcprt.Guard{Access: mcprt.Access{AnyRole: [][]string{{"boss"}}, Shown: true}}
		}
	}
}

// A caller who lacks scopes of a listed feature gets 403 with all scopes of the operation. What is hidden stays so, and
// what scopes do not mend has no challenge.
func TestStepUp(t *testing.T) {
	t.Attr("requirements", "auth-scope-users auth-insufficient tool-access")
	opts := &mcphttp.Options{
		Authenticate: tokens,
		StepUp: func(_ context.Context, granted []string, needs [][]string) string {
			return fmt.Sprintf(`Bearer error="insufficient_scope", scope="%v %v"`, granted, needs)
		},
	}
	r := newRigWith(t, opts, nil, withScopes)
	const challenge = `Bearer error="insufficient_scope", scope="[a] [[a] [b c]]"`
	caller := []string{"Authorization", "x ann a 1h"}
	call := func(name string) string { return `"name":"` + name + `","arguments":{}` }
	body, headers := modern("tools/call", "routed", call("routed"))
	w := r.do("POST", body, append(headers, caller...)...)
	want(t, w, 403, "forbidden: it needs b or c")
	if got := w.Header().Get("WWW-Authenticate"); got != challenge {
		t.Errorf("challenge %q, want %q", got, challenge)
	}
	for name, status := range map[string]int{"log": 200, "who": 200, "nothing": 200} {
		body, headers = modern("tools/call", name, call(name))
		w = r.do("POST", body, append(headers, caller...)...)
		want(t, w, status, `"error"`)
		if got := w.Header().Get("WWW-Authenticate"); got != "" {
			t.Errorf("%s: challenge %q", name, got)
		}
	}

	session := r.initialize(t, "2025-03-26", caller...)
	legacy := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{` + call("routed") + `}}`
	w = r.do("POST", legacy, session...)
	want(t, w, 403, "forbidden")
	if got := w.Header().Get("WWW-Authenticate"); got != challenge {
		t.Errorf("in a session: challenge %q", got)
	}
	want(t, r.do("POST", "["+legacy+"]", session...), 200, "forbidden") // others of the batch may have results

	opts.StepUp = nil
	body, headers = modern("tools/call", "routed", call("routed"))
	want(t, newRigWith(t, opts, nil, withScopes).do("POST", body, append(headers, caller...)...), 200, "forbidden")

	all, hidden := mcphttp.Scopes(r.srv)
	if !slices.Equal(all, []string{"a", "b", "c", "hidden"}) || !slices.Equal(hidden, []string{"hidden"}) {
		t.Errorf("scopes %q, hidden %q", all, hidden)
	}
}

// The error of Authenticate decides about the status, and what is not the fault of the caller has no challenge.
func TestChallengeStatus(t *testing.T) {
	t.Attr("requirements", "auth-status")
	for status, header := range map[int]string{0: "Bearer", 400: "", 403: "", 503: ""} {
		r := newRig(t, &mcphttp.Options{Authenticate: func(*http.Request) (mcp.Caller, error) {
			return mcp.Caller{}, &mcphttp.ChallengeError{Status: status, Err: errors.New("secret")}
		}})
		body, headers := modern("tools/call", "who", `"name":"who"`)
		w := r.do("POST", body, headers...)
		if status == 0 {
			status = 401
		}
		want(t, w, status)
		if got := w.Header().Get("WWW-Authenticate"); got != header || strings.Contains(w.Body.String(), "secret") {
			t.Errorf("%d: challenge %q, want %q, %s", status, got, header, w.Body)
		}
	}
}

// contextKey is a key of values that middleware adds.
type contextKey struct{}

// Middleware sees what has passed the checks of the host, and its context reaches Authenticate and ends requests.
func TestMiddleware(t *testing.T) {
	seen := 0
	r := newRig(t, &mcphttp.Options{
		Middleware: func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				seen++
				d := time.Minute
				if r.Header.Get("Mcp-Method") == "subscriptions/listen" {
					d = time.Second
				}
				ctx, cancel := context.WithTimeout(context.WithValue(r.Context(), contextKey{}, "ann"), d)
				defer cancel()
				next.ServeHTTP(w, r.WithContext(ctx))
			})
		},
		Authenticate: func(r *http.Request) (mcp.Caller, error) {
			who, _ := r.Context().Value(contextKey{}).(string)
			return mcp.Caller{Subject: who}, nil
		},
	})
	body, headers := modern("tools/call", "who", `"name":"who"`)
	want(t, r.do("POST", body, append(headers, "Host", "evil.example")...), 403)
	want(t, r.do("POST", body, headers...), 200, "caller=ann")
	body, headers = modern("subscriptions/listen", "", `"notifications":{"resourcesListChanged":true}`)
	want(t, r.do("POST", body, headers...), 200)
	if seen != 2 {
		t.Errorf("middleware has seen %d requests, want 2", seen)
	}
}

// Routes of the program are behind the check of the host, not behind that of the origin.
func TestCommandRoutes(t *testing.T) {
	r := newRig(t, nil)
	fs := flag.NewFlagSet("", flag.ContinueOnError)
	c := mcphttp.AddFlags(fs)
	if err := fs.Parse([]string{"-http", "127.0.0.1:0"}); err != nil {
		t.Fatal(err)
	}
	hello := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") })
	c.Routes = map[string]http.Handler{"GET /hello/": hello, "/": hello}
	c.Options.Card = &mcphttp.Card{Name: "io.github.ada/notes", URL: "https://mcp.example.com/notes", Description: "Notes"}
	addresses := make(chan string, 10)
	c.Options.Logger = slog.New(addressed(addresses))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- c.Run(ctx, r.srv) }()
	address := <-addresses
	for _, x := range []struct {
		path, host string
		status     int
	}{
		{"/hello/world", "", 200},
		{"/other", "", 200},
		{"/hello/world", "evil.example", 403},
		{"/livez", "", 200},
		{"/mcp/server-card", "", 200},
		{"/notes/server-card", "", 200},
		{"/.well-known/ai-catalog.json", "", 200},
		{"/.well-known/ai-catalog.json", "evil.example", 403},
	} {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+x.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = x.host
		req.Header.Set("Origin", "https://page.example")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != x.status {
			t.Errorf("%s of %q: %d, want %d", x.path, x.host, resp.StatusCode, x.status)
		}
	}
	http.DefaultClient.CloseIdleConnections()
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}

	for _, pattern := range []string{"/mcp", "GET"} {
		c.Routes = map[string]http.Handler{pattern: hello}
		if err := c.Run(t.Context(), r.srv); err == nil || !strings.Contains(err.Error(), pattern) {
			t.Errorf("pattern %q: %v", pattern, err)
		}
	}
}
