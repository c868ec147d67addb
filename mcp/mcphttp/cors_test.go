package mcphttp_test

import (
	"context"
	"errors"
	"flag"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

const page = "https://app.example"

// fields splits the values of a list header.
func fields(h http.Header, name string) []string {
	var list []string
	for item := range strings.SplitSeq(strings.ToLower(h.Get(name)), ",") {
		list = append(list, strings.TrimSpace(item))
	}
	return list
}

// A preflight of an allowed page is answered before anybody has to say who they are.
func TestPreflight(t *testing.T) {
	r := newRig(t, &mcphttp.Options{
		AllowedOrigins: []string{page}, AllowedHeaders: []string{"X-Api-Key"},
		Authenticate: func(*http.Request) (mcp.Caller, error) { return mcp.Caller{}, errors.New("nobody") },
	})
	for _, origin := range []string{page, "http://localhost:3000", "http://127.0.0.1", "http://[::1]:80"} {
		for _, method := range []string{"POST", "GET", "DELETE"} {
			w := r.do("OPTIONS", "", "Origin", origin, "Access-Control-Request-Method", method,
				"Access-Control-Request-Headers", "content-type,mcp-param-region, x-evil,mcp-param-a b", "Access-Control-Request-Private-Network", "true")
			h := w.Header()
			if w.Code != http.StatusNoContent || h.Get("Access-Control-Allow-Origin") != origin || w.Body.Len() > 0 {
				t.Errorf("%s from %s: %d %v", method, origin, w.Code, h)
			}
			if !slices.Contains(fields(h, "Access-Control-Allow-Methods"), strings.ToLower(method)) {
				t.Errorf("methods %q", h.Get("Access-Control-Allow-Methods"))
			}
			want := []string{
				"accept", "authorization", "content-type", "last-event-id", "mcp-method", "mcp-name", "mcp-protocol-version",
				"mcp-session-id", "x-api-key", "mcp-param-region",
			}
			if got := fields(h, "Access-Control-Allow-Headers"); !slices.Equal(got, want) {
				t.Errorf("headers %q, want %q", got, want)
			}
			vary := fields(h, "Vary")
			for _, name := range []string{"origin", "access-control-request-method", "access-control-request-headers"} {
				if !slices.Contains(vary, name) {
					t.Errorf("vary %q lacks %s", vary, name)
				}
			}
			if h.Get("Access-Control-Max-Age") != "7200" || h.Get("Access-Control-Allow-Private-Network") != "true" {
				t.Errorf("%v", h)
			}
			if h.Get("Access-Control-Allow-Credentials") != "" {
				t.Error("cookies are allowed, and nothing here reads them")
			}
		}
	}
	w := r.do("OPTIONS", "", "Origin", page, "Access-Control-Request-Method", "POST")
	if h := w.Header(); h.Get("Access-Control-Allow-Private-Network") != "" ||
		!slices.Contains(fields(h, "Access-Control-Allow-Headers"), "content-type") {
		t.Errorf("%v", h)
	}
	many := strings.Repeat("mcp-param-x,", 5000)
	w = r.do("OPTIONS", "", "Origin", page, "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers",
		many)
	if n := len(w.Header().Get("Access-Control-Allow-Headers")); n > 2000 {
		t.Errorf("%d bytes of headers are allowed", n)
	}
}

// Pages of other origins are refused, and learn nothing.
func TestPreflightRefused(t *testing.T) {
	t.Attr("requirements", "http-origin-status")
	r := newRig(t, &mcphttp.Options{AllowedOrigins: []string{page}})
	for _, origin := range []string{"null", "https://evil.example", page + ".evil.example",
		"http://localhost.evil.example"} {
		for _, method := range []string{"OPTIONS", "POST", "GET", "DELETE"} {
			w := r.do(method, "{}", "Origin", origin, "Access-Control-Request-Method", "POST")
			if w.Code != http.StatusForbidden {
				t.Errorf("%s from %s: %d", method, origin, w.Code)
			}
			for name := range w.Header() {
				if strings.HasPrefix(name, "Access-Control-") {
					t.Errorf("%s from %s: %s", method, origin, name)
				}
			}
		}
	}
	w := r.do("OPTIONS", "")
	if w.Code != http.StatusNoContent || w.Header().Get("Allow") != "POST, GET, DELETE, OPTIONS" || len(w.Header()) != 1 {
		t.Errorf("OPTIONS of no page: %d %v", w.Code, w.Header())
	}
}

// A page may read every answer, errors too, and the headers that it needs for the next request.
func TestPagesReadAnswers(t *testing.T) {
	refused := false
	r := newRig(t, &mcphttp.Options{AllowedOrigins: []string{page}, MaxStreams: 1,
		Authenticate: func(*http.Request) (mcp.Caller, error) {
			if refused {
				return mcp.Caller{}, errors.New("nobody")
			}
			return mcp.Caller{}, nil
		}})
	check := func(what string, w *httptest.ResponseRecorder, status int) {
		t.Helper()
		h := w.Header()
		exposed := fields(h, "Access-Control-Expose-Headers")
		if w.Code != status || h.Get("Access-Control-Allow-Origin") != page ||
			!slices.Contains(fields(h, "Vary"), "origin") ||
			!slices.Contains(exposed, "mcp-session-id") || !slices.Contains(exposed, "www-authenticate") {
			t.Errorf("%s: %d, want %d: %v", what, w.Code, status, h)
		}
	}
	body, headers := modern("server/discover", "", "")
	headers = append(headers, "Origin", page)
	call, callHeaders := modern("tools/call", "log", `"name":"log"`)
	check("discover", r.do("POST", body, headers...), 200)
	check("a stream", r.do("POST", strings.Replace(call, `"_meta":{`,
		`"_meta":{"io.modelcontextprotocol/logLevel":"info",`, 1), append(callHeaders, "Origin", page)...), 200)
	check("a bad header", r.do("POST", body, append(headers, "Mcp-Method", "x")...), 400)
	check("a bad type", r.do("POST", body, append(headers, "Content-Encoding", "gzip")...), 415)
	check("a bad body", r.do("POST", "{", headers...), 400)
	check("a bad method", r.do("PUT", body, headers...), 405)
	check("GET without a session", r.do("GET", "", "Origin", page), 405)
	s := r.initialize(t, "2025-11-25", "Origin", page)
	check("a session", r.do("POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, s...), 202)
	check("the end of a session", r.do("DELETE", "", s...), 204)
	check("a session that has ended", r.do("GET", "", s...), 404)
	refused = true
	w := r.do("POST", body, headers...)
	check("nobody", w, 401)
	if w.Header().Get("WWW-Authenticate") == "" {
		t.Error("no challenge")
	}
}

// What looks like an origin and is none would let nobody in, and is told at start.
func TestOriginsThatAreNone(t *testing.T) {
	var log logText
	bad := []string{"app.example", "https://app.example/", "https://", "https://a@app.example", "//app.example",
		"app.example:80"}
	newRig(t, &mcphttp.Options{AllowedOrigins: append(bad, page, "http://localhost:1", "chrome-extension://abc"),
		Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if n := strings.Count(log.String(), "level=WARN"); n != len(bad) {
		t.Errorf("%d warnings: %s", n, log.String())
	}
	for _, origin := range bad {
		fs := flag.NewFlagSet("x", flag.ContinueOnError)
		c := mcphttp.AddFlags(fs)
		if err := fs.Parse([]string{"-http", "localhost:0", "-allow-origin", origin}); err != nil {
			t.Fatal(err)
		}
		if err := c.Run(context.Background(), nil); err == nil || !strings.Contains(err.Error(), "scheme://host") {
			t.Errorf("%s: %v", origin, err)
		}
	}
}

// Flags that have no effect on stdio are an error there.
func TestFlagsOfHTTP(t *testing.T) {
	for _, args := range [][]string{{"-allow-origin", page}, {"-allow-host", "mcp.example"},
		{"-http", "localhost:0", "-unix", "x"}} {
		fs := flag.NewFlagSet("x", flag.ContinueOnError)
		c := mcphttp.AddFlags(fs)
		if err := fs.Parse(args); err != nil {
			t.Fatal(err)
		}
		if err := c.Run(context.Background(), nil); err == nil || !strings.Contains(err.Error(), "-unix") {
			t.Errorf("%q: %v", args, err)
		}
	}
}

// A person with a browser or curl is told what this is; clients get errors that they can read.
func TestExplain(t *testing.T) {
	t.Attr("requirements", "http-accept http-get")
	const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
	r := newRig(t, nil)
	for _, c := range []struct {
		name, method, body string
		headers            []string
		status             int
		allow, text        string
	}{
		{"browser", "GET", "", []string{"Accept", "", "Accept", browser}, 405, "POST",
			"GET needs the Mcp-Session-Id of a session"},
		{"browser without */*", "GET", "", []string{"Accept", "", "Accept", "text/html"}, 405, "POST", "GET needs"},
		{"curl", "GET", "", []string{"Accept", "", "Accept", "*/*"}, 405, "POST", "GET needs"},
		{"curl -d", "POST", "a=b", []string{"Accept", "", "Accept", "*/*", "Content-Type", "", "Content-Type",
			"application/x-www-form-urlencoded"}, 415, "", "The Content-Type must be application/json"},
		{"curl -X PUT", "PUT", "", []string{"Accept", "", "Accept", "*/*"}, 405, "POST, GET, DELETE, OPTIONS",
			"The method must be"},
		{"curl -I", "HEAD", "", []string{"Accept", "", "Accept", "*/*"}, 405, "POST, GET, DELETE, OPTIONS",
			"The method must be"},
		{"curl -X DELETE", "DELETE", "", []string{"Accept", "", "Accept", "*/*"}, 405, "POST", "DELETE needs"},
		{"html", "POST", "{}", []string{"Accept", "", "Accept", "text/html"}, 406, "", "Accept must list"},
	} {
		w := r.do(c.method, c.body, c.headers...)
		text := w.Body.String()
		if w.Code != c.status || w.Header().Get("Allow") != c.allow ||
			w.Header().Get("Content-Type") != "text/plain; charset=utf-8" {
			t.Errorf("%s: %d %v", c.name, w.Code, w.Header())
		}
		for _, part := range []string{c.text, "Model Context Protocol", "POST ", "GET ", "DELETE ",
			"https://modelcontextprotocol.io"} {
			if !strings.Contains(text, part) {
				t.Errorf("%s: no %q in %s", c.name, part, text)
			}
		}
	}
	for name, headers := range map[string][]string{
		"client of a stream": {"Accept", "", "Accept", "text/event-stream"},
		"client":             nil,
		"old client":         {"Accept", ""},
		"revision named":     {"Accept", "", "Accept", "*/*", "Mcp-Protocol-Version", "2025-11-25"},
	} {
		if w := r.do("GET", "", headers...); w.Code != 405 || !strings.Contains(w.Body.String(), `"error":{"code":-32600`) {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
}
