package mcphttp_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

func TestHosts(t *testing.T) {
	t.Attr("requirements", "http-origin")
	var log logText
	r := newRig(t, &mcphttp.Options{AllowedHosts: []string{"mcp.example"},
		Logger: slog.New(slog.NewTextHandler(&log, nil))})
	want(t, r.do("POST", "{}", "Host", "evil.example"), http.StatusForbidden)
	for host, ok := range map[string]bool{
		"localhost": true, "localhost:8080": true, "LOCALHOST": true, "127.0.0.1": true, "127.0.0.1:1": true,
		"[::1]": true, "[::1]:8080": true, "mcp.example": true, "MCP.example:443": true,

		"evil.example": false, "evil.example:8080": false, "localhost.": false, "localhost.evil.com": false,
		"evil.localhost": false, "localhost:evil": false, "127.1": false, "127.0.0.1.evil.com": false, "0.0.0.0": false,
		"2130706433": false, "0x7f000001": false, "0177.0.0.1": false, "127.0.0.1.": false, "[::ffff:127.0.0.1]": false,
		"[::]": false, "[::1%25lo]": false, "localhost@evil.com": false, "evil.com#localhost": false,
		"mcp.example.evil.com": false,
		"xmcp.example":         false, "localhost, evil.com": false, "localhost:80:80": false, "192.168.0.1": false,
		" localhost": false, "": false,
	} {
		for _, method := range []string{"POST", "GET", "DELETE", "PUT", "OPTIONS"} {
			w := r.do(method, "{}", "Host", host)
			if refused := w.Code == http.StatusForbidden; refused == ok {
				t.Errorf("%s with host %q: %d", method, host, w.Code)
			}
			if !ok && (!strings.Contains(w.Body.String(), "AllowedHosts") || !strings.Contains(w.Body.String(), "-allow-host")) {
				t.Errorf("refusal of %q does not help: %s", host, w.Body)
			}
		}
	}
	if !strings.Contains(log.String(), "host=evil.example\n") || !strings.Contains(log.String(), "-allow-host") {
		t.Error("the log does not name the host and the option")
	}
}

func TestOrigins(t *testing.T) {
	t.Attr("requirements", "http-origin http-origin-status")
	origins := map[string]bool{
		"http://localhost": true, "http://localhost:3000": true, "https://app.example": true, "http://[::1]:80": true,
		"null": false, "https://evil.example": false, "http://localhost.evil.example": false,
		"https://app.example.evil": false,
		"file://":                  false, "localhost": false, "http://user@localhost": false, "http://localhost/x": false,
		"http://evil.example@localhost:80/": false,
	}
	for _, hosts := range [][]string{nil, {"*"}} {
		r := newRig(t, &mcphttp.Options{AllowedOrigins: []string{"https://app.example"}, AllowedHosts: hosts})
		for origin, ok := range origins {
			for _, method := range []string{"POST", "GET", "DELETE"} {
				if w := r.do(method, "{}", "Origin", origin); (w.Code == http.StatusForbidden) == ok {
					t.Errorf("%s from %q: %d", method, origin, w.Code)
				}
			}
		}
		if w := r.do("POST", "{}", "Origin", "http://localhost", "Origin",
			"http://localhost"); w.Code != http.StatusForbidden {
			t.Errorf("two origins: %d", w.Code)
		}
	}
}

func TestAllHostsWarn(t *testing.T) {
	t.Attr("requirements", "http-localhost")
	var log logText
	r := newRig(t, &mcphttp.Options{AllowedHosts: []string{"*"}, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if !strings.Contains(log.String(), "level=WARN") {
		t.Error("no warning")
	}
	body, headers := modern("server/discover", "", "")
	want(t, r.do("POST", body, append(headers, "Host", "any.example")...), 200)
	want(t, r.do("POST", body, append(headers, "Host", "any.example", "Origin", "https://any.example")...), 200)
	want(t, r.do("POST", body, append(headers, "Host", "any.example", "Origin", "https://evil.example")...), 403)
}

func TestBodies(t *testing.T) {
	t.Attr("requirements", "http-notification-refused")
	r := newRig(t, &mcphttp.Options{MaxBody: 1000})
	body, headers := modern("server/discover", "", "")
	for _, x := range []struct {
		name, body string
		headers    []string
		status     int
		text       string
	}{
		{"form", body, []string{"Content-Type", "", "Content-Type", "application/x-www-form-urlencoded"}, 415,
			"Content-Type"},
		{"plain", body, []string{"Content-Type", "", "Content-Type", "text/plain"}, 415, "Content-Type"},
		{"multipart", body, []string{"Content-Type", "", "Content-Type", "multipart/form-data; boundary=x"}, 415,
			"Content-Type"},
		{"no type", body, []string{"Content-Type", ""}, 415, "Content-Type"},
		{"compressed", body, []string{"Content-Encoding", "gzip"}, 415, "Content-Encoding"},
		{"charset", body, []string{"Content-Type", "", "Content-Type", "Application/JSON; charset=utf-8"}, 200,
			"supportedVersions"},
		{"accept json", body, []string{"Accept", "", "Accept", "application/json"}, 406, "Accept"},
		{"accept events", body, []string{"Accept", "", "Accept", "text/event-stream"}, 406, "Accept"},
		{"accept html", body, []string{"Accept", "", "Accept", "text/html"}, 406, "Accept"},
		{"accept all", body, []string{"Accept", "", "Accept", "*/*"}, 200, "supportedVersions"},
		{"accept two lines", body, []string{"Accept", "", "Accept", "application/json;q=1", "Accept", "text/*"}, 200,
			"supportedVersions"},
		{"no accept", body, []string{"Accept", ""}, 200, "supportedVersions"},
		{"large", `"` + strings.Repeat("x", 1000) + `"`, nil, 413, "too large"},
		{"deep", strings.Repeat(`{"a":`, 150) + "1" + strings.Repeat("}", 150), nil, 400, "-32700"},
		{"cut", body[:len(body)-1], nil, 400, "-32700"},
		{"trailing", body + "{}", nil, 400, "-32700"},
		{"empty", "", nil, 400, "-32700"},
		{"twice", `{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, nil, 400, "-32700"},
		{"case", `{"jsonrpc":"2.0","id":1,"Method":"ping"}`, nil, 400, "-32600"},
		{"no message", `{"jsonrpc":"2.0"}`, nil, 400, "-32600"},
	} {
		w := r.do("POST", x.body, append(headers, x.headers...)...)
		if w.Code != x.status || !strings.Contains(w.Body.String(), x.text) {
			t.Errorf("%s: %d %s", x.name, w.Code, w.Body)
		}
	}
	want(t, r.do("PUT", body, headers...), 405)
	want(t, r.do("GET", "", headers...), 405)
	want(t, r.do("DELETE", "", headers...), 405)
}

// unreadable is the body of a request whose caller is refused.
type unreadable struct{ t *testing.T }

// Read implements io.Reader.
func (u unreadable) Read([]byte) (int, error) {
	u.t.Error("the body is read before the caller is known")
	return 0, io.EOF
}

func TestAuthenticate(t *testing.T) {
	t.Attr("requirements", "auth-validate http-auth ask-user ask-not-own-authorization practice-verify")
	r := newRig(t, &mcphttp.Options{Authenticate: func(req *http.Request) (mcp.Caller, error) {
		switch user := req.Header.Get("Authorization"); user {
		case "":
			return mcp.Caller{}, errors.New("secret reason")
		case "late":
			return mcp.Caller{}, &mcphttp.ChallengeError{Header: `Bearer error="insufficient_scope"`, Status: 403}
		default:
			return mcp.Caller{Subject: user}, nil
		}
	}})
	body, headers := modern("tools/call", "who", `"name":"who"`)
	w := r.do("POST", body, headers...)
	want(t, w, 401)
	if w.Header().Get("WWW-Authenticate") != "Bearer" || strings.Contains(w.Body.String(), "secret") {
		t.Errorf("%v %s", w.Header(), w.Body)
	}
	w = r.do("POST", body, append(headers, "Authorization", "late")...)
	want(t, w, 403)
	if !strings.Contains(w.Header().Get("WWW-Authenticate"), "insufficient_scope") {
		t.Errorf("%v", w.Header())
	}
	want(t, r.do("POST", body, append(headers, "Authorization", "ada")...), 200, "caller=ada")
	unread := httptest.NewRequest(http.MethodPost, target, unreadable{t})
	setHeaders(unread, headers)
	w = httptest.NewRecorder()
	r.http.ServeHTTP(w, unread)
	want(t, w, 401)

	// The session of ada does not exist for bob, whatever he does with it.
	s := r.initialize(t, "2025-06-18", "Authorization", "ada")
	bob := []string{s[0], s[1], "Authorization", "bob"}
	ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	want(t, r.do("POST", ping, bob...), 404)
	want(t, r.do("GET", "", bob...), 404)
	want(t, r.do("DELETE", "", bob...), 404)
	want(t, r.do("POST", ping, s...), 200, `"result":{}`)
}

// A client that leaves while Authenticate runs is no fault of Authenticate, and no error in the log.
func TestClientLeavesDuringAuthenticate(t *testing.T) {
	var log logText
	ctx, leave := context.WithCancel(t.Context())
	r := newRig(t, &mcphttp.Options{Logger: slog.New(slog.NewTextHandler(&log, nil)),
		Authenticate: func(req *http.Request) (mcp.Caller, error) {
			leave()
			<-req.Context().Done()
			return mcp.Caller{}, req.Context().Err()
		}})
	body, headers := modern("tools/call", "who", `"name":"who"`)
	req := httptest.NewRequestWithContext(ctx, "POST", target, strings.NewReader(body))
	setHeaders(req, headers)
	w := httptest.NewRecorder()
	r.http.ServeHTTP(w, req)
	want(t, w, 503)
	if strings.Contains(log.String(), "ERROR") {
		t.Errorf("logged: %s", &log)
	}
}
