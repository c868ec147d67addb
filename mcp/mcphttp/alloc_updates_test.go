//go:build !race

package mcphttp_test

import (
	"bytes"
	"io"
	"net"
	"net/http/httptest"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
)

// TestUpdateAllocations holds what an update of a resource that asks for a scope allocates for each stream, from the
// change to the bytes on a connection of net/http.
func TestUpdateAllocations(t *testing.T) {
	const most = 1
	r := newRigWith(t, &mcphttp.Options{Authenticate: tokens}, &mcp.Options{UpdateDelay: -1}, func(f *mcprt.Features) {
		f.Resources[0].Guard = &mcprt.Guard{Access: mcprt.Access{Scopes: []string{"read"}}}
	})
	srv := httptest.NewServer(r.http)
	defer srv.Close()
	defer r.srv.Close()
	caller := []string{"Authorization", "Bearer ann read 1h"}
	session := r.initialize(t, "2025-11-25", caller...)
	want(t, r.do("POST", request("resources/subscribe", `"uri":"r:///ä"`), session...), 200, `"result":{}`)
	text, headers := modern("subscriptions/listen", "", `"notifications":{"resourceSubscriptions":["r:///ä"]}`)
	for name, raw := range map[string]string{
		"2025-11-25": get(session),
		"2026-07-28": string(wholeRequest(allocGate{text: text, headers: append(headers, caller...)})),
	} {
		conn, err := net.Dial("tcp", srv.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(conn, raw); err != nil {
			t.Fatal(err)
		}
		buf := make([]byte, 64<<10)
		await := func(text string) {
			for n := 0; !bytes.Contains(buf[:n], []byte(text)); {
				m, err := conn.Read(buf[n:])
				if err != nil {
					t.Fatalf("%s: %v after %s", name, err, buf[:n])
				}
				n += m
			}
		}
		await("\r\n\r\n")
		update := func() {
			r.srv.ResourceUpdated("r:///ä")
			await("resources/updated")
		}
		for range 20 {
			update()
		}
		n := leastMallocs(update)
		_ = conn.Close()
		t.Logf("%s: %.2f allocations", name, n)
		if n > most+0.1 {
			t.Errorf("%s: %.2f allocations for an update, want %d at most", name, n, most)
		}
	}
}

// get is the request that opens the notification stream of a session.
func get(session []string) string {
	var b strings.Builder
	b.WriteString("GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n")
	for i := 0; i < len(session); i += 2 {
		b.WriteString(session[i] + ": " + session[i+1] + "\r\n")
	}
	return b.String() + "\r\n"
}

// TestBodyAllocations holds how many bytes are allocated for each byte of large arguments. No buffer is kept that is so
// large, and room for it is made as it comes: a client that only says that much will come gets little of it.
func TestBodyAllocations(t *testing.T) {
	const most = 3.1
	r := newRig(t, nil)
	session := r.initialize(t, "2025-11-25")
	text := request("tools/call", `"name":"who","arguments":{"who":"`+strings.Repeat("x", 1<<20)+`"}`)
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	var before, after runtime.MemStats
	const runs = 10
	for i := range 1 + runs {
		if i == 1 {
			runtime.ReadMemStats(&before)
		}
		want(t, r.do("POST", text, session...), 200, `"content"`)
	}
	runtime.ReadMemStats(&after)
	n := float64(after.TotalAlloc-before.TotalAlloc) / runs / float64(len(text))
	t.Logf("%.2f bytes for each byte", n)
	if n > most {
		t.Errorf("%.2f bytes allocated for each byte of arguments, want %.1f at most", n, most)
	}
}
