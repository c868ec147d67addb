package mcphttp_test

import (
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
)

// rated makes the tool "who" one that each client may call once.
func rated(f *mcprt.Features) {
	for i := range f.Tools {
		if f.Tools[i].Entry.Name == "who" {
			f.Tools[i].Guard = &mcprt.Guard{Limit: mcprt.Limit{Rate: 1, Per: time.Hour}}
		}
	}
}

// callFrom calls the tool "who" from an address, through proxies that add headers, and reports whether it may.
func (r *rig) callFrom(t *testing.T, remote string, header http.Header) bool {
	t.Helper()
	body, headers := modern("tools/call", "who", `"name":"who"`)
	req := httptest.NewRequest(http.MethodPost, target, strings.NewReader(body))
	setHeaders(req, headers)
	maps.Copy(req.Header, header)
	req.RemoteAddr = remote
	w := httptest.NewRecorder()
	r.http.ServeHTTP(w, req)
	want(t, w, http.StatusOK)
	return strings.Contains(w.Body.String(), "caller=")
}

// Callers without a subject have rates of their own, by address; one does not lock out another.
func TestRateByAddress(t *testing.T) {
	t.Attr("requirements", "res-rate")
	r := newRigWith(t, nil, nil, rated)
	for _, row := range []struct {
		remote string
		may    bool
	}{
		{"192.0.2.1:1", true},
		{"192.0.2.1:2", false},
		{"192.0.2.2:1", true},
		{"[::ffff:192.0.2.2]:1", false},
		{"[2001:db8::1]:1", true},
		{"[2001:db8::2]:1", false}, // of the same network of 64 bits
		{"[2001:db8:0:1::1]:1", true},
		{"@", true}, // a Unix socket
		{"", false},
	} {
		if got := r.callFrom(t, row.remote, nil); got != row.may {
			t.Errorf("%q may call: %v", row.remote, got)
		}
	}
}

// The headers that proxies write.
const fwd, xff = "Forwarded", "X-Forwarded-For"

// proxied are requests through proxies, and whom they count for.
var proxied = []struct {
	name    string
	remote  string
	header  http.Header
	trusted []string
	client  string // whom the call counts for
	warning string
}{
	{"nobody is trusted", "10.0.0.1:1", http.Header{xff: {"192.0.2.9"}}, nil, "10.0.0.1", "Options.TrustedProxies"},
	{"not this one", "192.0.2.1:1", http.Header{xff: {"192.0.2.9"}}, []string{"10.0.0.0/8"}, "192.0.2.1", ""},
	{"a list", "10.0.0.1:1", http.Header{xff: {"192.0.2.9"}}, []string{"10.0.0.0/8"}, "192.0.2.9", ""},
	{"the last that is no proxy", "10.0.0.1:1", http.Header{xff: {"203.0.113.1, 192.0.2.9, 10.0.0.2"}},
		[]string{"10.0.0.0/8"}, "192.0.2.9", ""},
	{"lines", "10.0.0.1:1", http.Header{xff: {"203.0.113.1", "192.0.2.9", "10.0.0.2"}}, []string{"private"},
		"192.0.2.9", ""},
	{"with a port", "10.0.0.1:1", http.Header{xff: {"192.0.2.9:4711"}}, []string{"10.0.0.1"}, "192.0.2.9", ""},
	{"IPv6", "10.0.0.1:1", http.Header{xff: {"2001:db8::9"}}, []string{"10.0.0.1"}, "[2001:db8::9]", ""},
	{"RFC 7239", "127.0.0.1:1", http.Header{fwd: {`for=203.0.113.1;proto=http, For="192.0.2.9:80";by=10.0.0.1`}},
		[]string{"loopback"}, "192.0.2.9", ""},
	{"RFC 7239, IPv6", "[::1]:1", http.Header{fwd: {`for="[2001:db8::9]:4711"`}}, []string{"loopback"}, "[2001:db8::9]",
		""},
	{"a socket", "@", http.Header{xff: {"192.0.2.9"}}, []string{"unix"}, "192.0.2.9", ""},
	{"both, the same", "10.0.0.1:1", http.Header{xff: {"192.0.2.9"}, fwd: {"for=192.0.2.9"}}, []string{"10.0.0.1"},
		"192.0.2.9", ""},
	{"both, and one is of the client", "10.0.0.1:1", http.Header{xff: {"192.0.2.9"}, fwd: {"for=203.0.113.1"}},
		[]string{"10.0.0.1"}, "10.0.0.1", "contradict"},
	{"unknown", "10.0.0.1:1", http.Header{fwd: {"for=unknown"}}, []string{"10.0.0.1"}, "10.0.0.1", "malformed"},
	{"twice", "10.0.0.1:1", http.Header{fwd: {"for=192.0.2.8;for=192.0.2.9"}}, []string{"10.0.0.1"}, "10.0.0.1",
		"malformed"},
	{"a quoted comma", "10.0.0.1:1", http.Header{fwd: {`for=192.0.2.9;host="x,for=203.0.113.1;y="`}},
		[]string{"10.0.0.1"}, "192.0.2.9", ""},
	{"a quoted semicolon", "10.0.0.1:1", http.Header{fwd: {`for=192.0.2.9;host="x;for=203.0.113.1;y=\""`}},
		[]string{"10.0.0.1"}, "192.0.2.9", ""},
	{"an open quote", "10.0.0.1:1", http.Header{fwd: {`for=203.0.113.1;by="x, for=192.0.2.9`}},
		[]string{"10.0.0.1"}, "10.0.0.1", "malformed"},
	{"a quote in a token", "10.0.0.1:1", http.Header{fwd: {`for=192.0.2.9;host=x",for=203.0.113.1;y=";z=1`}},
		[]string{"10.0.0.1"}, "10.0.0.1", "malformed"},
	{"a quote that ends early", "10.0.0.1:1", http.Header{fwd: {`for=192.0.2.9;host="x"y, for=203.0.113.1`}},
		[]string{"10.0.0.1"}, "10.0.0.1", "malformed"},
	{"many elements of the client", "10.0.0.1:1",
		http.Header{fwd: {strings.Repeat("for=203.0.113.1,", 100) + "for=192.0.2.9,for=10.0.0.1"}},
		[]string{"10.0.0.1"}, "192.0.2.9", ""},
	{"a peer with a zone", "[fe80::1%eth0]:1", http.Header{xff: {"192.0.2.9"}}, []string{"fe80::/10"}, "192.0.2.9",
		""},
	{"a zone that a header claims", "10.0.0.1:1", http.Header{xff: {"192.0.2.9, fe80::1%eth0"}},
		[]string{"10.0.0.1", "fe80::/10"}, "[fe80::2]", ""},
	{"no address", "10.0.0.1:1", http.Header{xff: {"192.0.2.9, evil"}}, []string{"10.0.0.1"}, "10.0.0.1", "malformed"},
	{"too many", "10.0.0.1:1", http.Header{xff: {"192.0.2.9" + strings.Repeat(",10.0.0.1", 100)}},
		[]string{"10.0.0.1"}, "10.0.0.1", "malformed"},
	{"only proxies", "10.0.0.1:1", http.Header{xff: {"10.0.0.3, 10.0.0.2"}}, []string{"10.0.0.0/8"}, "10.0.0.3", ""},
}

// Headers of proxies count if the proxy is trusted, and only as far as that goes.
func TestTrustedProxies(t *testing.T) {
	for _, row := range proxied {
		t.Run(row.name, func(t *testing.T) {
			var log logText
			r := newRigWith(t, &mcphttp.Options{TrustedProxies: row.trusted,
				Logger: slog.New(slog.NewTextHandler(&log, nil))}, nil, rated)
			for i := range 2 {
				if may := r.callFrom(t, row.remote, row.header); may != (i == 0) {
					t.Errorf("call %d may be made: %v", i, may)
				}
			}
			if r.callFrom(t, row.client+":7", nil) {
				t.Errorf("the calls do not count for %s", row.client)
			}
			if n := strings.Count(log.String(), "WARN"); n > 1 || (n == 1) != (row.warning != "") ||
				!strings.Contains(log.String(), row.warning) {
				t.Errorf("logged, want %q once: %s", row.warning, &log)
			}
		})
	}
}

// Options.Authenticate learns for which address the limits count a request.
func TestClientAddress(t *testing.T) {
	for _, row := range proxied {
		t.Run(row.name, func(t *testing.T) {
			var got netip.Addr
			ask := func(r *http.Request) (mcp.Caller, error) {
				got = mcphttp.ClientAddress(r.Context())
				return mcp.Caller{}, nil
			}
			r := newRig(t, &mcphttp.Options{TrustedProxies: row.trusted, Authenticate: ask})
			r.callFrom(t, row.remote, row.header)
			proxied := got
			r.callFrom(t, row.client+":7", nil)
			if proxied != got || !got.IsValid() {
				t.Errorf("%v, want %v", proxied, got)
			}
			r.callFrom(t, "@", nil)
			if got.IsValid() {
				t.Errorf("%v by a Unix socket", got)
			}
		})
	}
	if a := mcphttp.ClientAddress(t.Context()); a.IsValid() {
		t.Errorf("%v elsewhere", a)
	}
}

func TestTrustedProxiesThatAreNone(t *testing.T) {
	r := newRig(t, nil)
	for _, name := range []string{"", "example.com", "10.0.0.0/33", "Loopback", "fe80::1%lo", "*", "::ffff:10.0.0.0/104"} {
		if _, err := mcphttp.Handler(r.srv, &mcphttp.Options{TrustedProxies: []string{name}}); err == nil ||
			!strings.Contains(err.Error(), "TrustedProxies") {
			t.Errorf("%q: %v", name, err)
		}
	}
}
