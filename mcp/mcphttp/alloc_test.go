//go:build !race

package mcphttp_test

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
)

// allocGate is the most that a request may allocate beyond a handler that writes the same response and does nothing
// else, on the same server of net/http: a connection with deadlines and buffers, not a fake. The limits are what was
// reached, and one for what a pool loses: lower them when they fall.
type allocGate struct {
	name, text string
	headers    []string
	want       string // stands in the answer
	more       float64
}

// The gates hold what this package and the runtime allocate for one request over HTTP. The progressToken of modern
// requests differs from one to the next.
func TestRequestAllocations(t *testing.T) {
	r := newRig(t, nil)
	session := r.initialize(t, "2025-11-25")
	const token = `"_meta":{"progressToken":1000000,`
	tool, toolHeaders := modern("tools/call", "who", `"name":"who"`)
	read, readHeaders := modern("resources/read", "=?base64?cjovLy/DpA==?=", `"uri":"r:///ä"`)
	for _, g := range []allocGate{
		{"ping 2025-11-25", ping, session, `"result":{}`, 7},
		{"read 2025-11-25", request("resources/read", `"uri":"r:///ä"`), session, `"text"`, 8},
		{"tool 2025-11-25", request("tools/call", `"name":"who"`), session, `"content"`, 10},
		{"read 2026-07-28", strings.Replace(read, `"_meta":{`, token, 1), readHeaders, `"text"`, 14},
		{"tool 2026-07-28", strings.Replace(tool, `"_meta":{`, token, 1), toolHeaders, `"content"`, 14},
	} {
		got, response := requestAllocations(t, r.http, g)
		null, _ := requestAllocations(t, response, g)
		t.Logf("%s: %.1f allocations, %.1f without this package", g.name, got, null)
		if got-null > g.more {
			t.Errorf("%s: %.1f allocations more than a handler that does nothing, want %.0f at most", g.name, got-null, g.more)
		}
	}
}

// A caller who has the scope of a feature costs nothing: what a caller without it is told is not made before.
func TestGuardAllocations(t *testing.T) {
	body, headers := modern("tools/call", "who", `"name":"who"`)
	cost := func(edits ...func(*mcprt.Features)) float64 {
		r := newRigWith(t, &mcphttp.Options{Authenticate: tokens}, nil, edits...)
		caller := append([]string{"Authorization", "Bearer ann read 1h"}, headers...)
		return testing.AllocsPerRun(200, func() { want(t, r.do("POST", body, caller...), 200, "caller=ann") })
	}
	open := cost()
	guarded := cost(func(f *mcprt.Features) {
		f.Tools[0].Guard = &mcprt.Guard{Access: mcprt.Access{Scopes: []string{"read"}}}
	})
	if guarded > open+1 {
		t.Errorf("%.0f allocations, and %.0f without a scope", guarded, open)
	}
}

// requestAllocations returns what one request allocates on a server with this handler, and a handler that writes the
// same response.
func requestAllocations(t *testing.T, h http.Handler, g allocGate) (float64, http.Handler) {
	t.Helper()
	srv := httptest.NewServer(h)
	defer srv.Close()
	conn, err := net.Dial("tcp", srv.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	raw := wholeRequest(g)
	digit := bytes.Index(raw, []byte("1000000"))
	answer := make([]byte, 64<<10)
	length := 0
	ask := func() {
		if digit > 0 {
			raw[digit+6] = '0' + (raw[digit+6]-'0'+1)%10
		}
		if _, err := conn.Write(raw); err != nil {
			t.Fatal(err)
		}
		if length == 0 { // the first answer says how long all are
			n, err := conn.Read(answer)
			if err != nil {
				t.Fatal(err)
			}
			length = n
			return
		}
		if _, err := io.ReadFull(conn, answer[:length]); err != nil {
			t.Fatal(err)
		}
	}
	for range 20 {
		ask()
	}
	if !bytes.HasPrefix(answer, []byte("HTTP/1.1 200 ")) ||
		!bytes.Contains(answer[:length], []byte(g.want)) {
		t.Fatalf("%s: %s", g.name, answer[:length])
	}
	return leastMallocs(ask), sameResponse(t, answer[:length])
}

// leastMallocs returns what ask allocates: the least of some averages. Nothing is collected meanwhile, which would
// empty pools: how often that happens depends on other load of the machine.
func leastMallocs(ask func()) float64 {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	const runs = 200
	least := math.Inf(1)
	for range 3 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range runs {
			ask()
		}
		runtime.ReadMemStats(&after)
		least = min(least, float64(after.Mallocs-before.Mallocs)/runs)
	}
	return least
}

// wholeRequest returns the bytes of a request.
func wholeRequest(g allocGate) []byte {
	b := fmt.Appendf(nil, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"+
		"Accept: application/json, text/event-stream\r\nContent-Length: %d\r\n", len(g.text))
	for i := 0; i < len(g.headers); i += 2 {
		b = fmt.Appendf(b, "%s: %s\r\n", g.headers[i], g.headers[i+1])
	}
	return fmt.Appendf(b, "\r\n%s", g.text)
}

// sameResponse returns a handler that reads a request and writes this response.
func sameResponse(t *testing.T, response []byte) http.Handler {
	t.Helper()
	head, body, ok := bytes.Cut(response, []byte("\r\n\r\n"))
	if !ok {
		t.Fatalf("no end of the header in %q", response)
	}
	headers := make(http.Header)
	for line := range strings.Lines(string(head)) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if ok && name != "Date" && name != "Content-Length" {
			headers.Add(name, value)
		}
	}
	body = bytes.Clone(body)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			panic(err)
		}
		maps.Copy(w.Header(), headers)
		_, _ = w.Write(body)
	})
}
