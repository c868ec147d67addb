package robustness

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// TestBits: a body with any bit of it turned is answered, and harms nobody else.
func TestBits(t *testing.T) {
	v := newVictim(t, nil, nil)
	for _, e := range entries(t, v) {
		good := []byte(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","arguments":{"x":[1,"ä"]}` +
			e.meta + `}}`)
		for i := range good {
			for bit := range 8 {
				text := bytes.Clone(good)
				if text[i] ^= 1 << bit; text[i] == '\n' && e.name == "stdio" {
					continue // two lines
				}
				got := outcome(t, e.send(text))
				if strings.Contains(got, "500") || strings.Contains(got, "-32603") {
					t.Errorf("%s: %q: %s", e.name, text, got)
				}
			}
		}
		e.echo(t)
	}
}

// TestCuts: a connection may break, end or stop at each byte of a request.
func TestCuts(t *testing.T) {
	v := newVictim(t, nil, nil)
	server := httptest.NewServer(v.http)
	defer server.Close()
	address := server.Listener.Addr().String()
	for _, e := range []struct{ name, header, body string }{
		{"legacy", "Mcp-Session-Id: " + v.open() + "\r\n", `{"jsonrpc":"2.0","id":1,"method":"ping"}`},
		{"modern", "Mcp-Protocol-Version: 2026-07-28\r\nMcp-Method: resources/list\r\n",
			`{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{` + modernMeta + `}}`},
	} {
		text := fmt.Sprintf("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n%sContent-Length: %d\r\n\r\n%s",
			e.header, len(e.body), e.body)
		for n := range len(text) {
			for _, end := range []func(*net.TCPConn){reset, halfClose, func(c *net.TCPConn) { _ = c.Close() }} {
				conn, err := net.Dial("tcp", address)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := io.WriteString(conn, text[:n]); err != nil {
					t.Fatal(err)
				}
				end(conn.(*net.TCPConn))
			}
		}
	}
	if v.calls.Load() != 0 {
		t.Error("half a request was handled")
	}
	v.legacy().echo(t)
	v.modern().echo(t)
}

// reset makes the peer see a broken connection.
func reset(c *net.TCPConn) {
	_ = c.SetLinger(0)
	_ = c.Close()
}

// halfClose ends one direction and takes what comes in the other: half a request has no answer but an error.
func halfClose(c *net.TCPConn) {
	defer c.Close()
	_ = c.CloseWrite()
	_ = c.SetReadDeadline(time.Now().Add(patience))
	if answer, _ := io.ReadAll(c); len(answer) > 0 && !bytes.HasPrefix(answer, []byte("HTTP/1.1 4")) {
		panic(fmt.Sprintf("half a request is answered with %s", answer))
	}
}

// TestLengths: lies about the length of a body.
func TestLengths(t *testing.T) {
	v := newVictim(t, nil, nil)
	server := httptest.NewServer(v.http)
	defer server.Close()
	body := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for name, head := range map[string]string{
		"two lengths":     "Content-Length: 40\r\nContent-Length: 41\r\n",
		"a negative one":  "Content-Length: -1\r\n",
		"no number":       "Content-Length: x\r\n",
		"chunks of none":  "Transfer-Encoding: chunked, identity\r\n",
		"a huge one":      "Content-Length: 99999999999\r\n",
		"two hosts":       "Host: localhost\r\nContent-Length: 40\r\n",
		"larger than all": "Content-Length: 18446744073709551616\r\n",
	} {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(conn,
			"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\n"+head+"\r\n"+body)
		_ = conn.(*net.TCPConn).CloseWrite()
		answer, _ := io.ReadAll(conn)
		if code := string(answer[:min(10, len(answer))]); code != "HTTP/1.1 4" && code != "HTTP/1.1 5" {
			t.Errorf("%s: %s", name, answer)
		}
		_ = conn.Close()
	}
	v.modern().echo(t)
}

// TestLongURIs: what a URI costs grows with its length, and long ones are answered like short ones.
func TestLongURIs(t *testing.T) {
	v := newVictim(t, nil, nil)
	for _, e := range entries(t, v) {
		for _, uri := range []string{
			"item:///" + strings.Repeat("a", 64<<10), "item:///" + strings.Repeat("%41", 20<<10), "item:///" +
				strings.Repeat("/", 64<<10),
			"item:///x?" + strings.Repeat("n=1&", 16<<10), "item:///x?" + strings.Repeat("&", 64<<10), "item:///x?" +
				strings.Repeat("n", 64<<10),
			strings.Repeat("a:", 32<<10), strings.Repeat("{", 64<<10), "item:///" + strings.Repeat("..%2f", 12<<10),
		} {
			text := `{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"` + uri + `"` + e.meta + `}}`
			got, cost := measured(func() string {
				if e.name == "modern" {
					w := v.post(text, http.Header{"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"resources/read"},
						"Mcp-Name": {uri}})
					return outcome(t, answered(w))
				}
				return outcome(t, e.await(text))
			})
			if !allowed(got, "result | -32002 | -32602 | -32600 | 200 result | 200 -32002 | 200 -32602 | 404 -32002 | 400 -32602 | 400 -32001 | 400 -32020 | 404 -32602") {
				t.Errorf("%s: %.30q…: %q", e.name, uri, got)
			}
			if limit := 60*len(text) + 1<<20; cost > limit {
				t.Errorf("%s: %.30q… of %d bytes took %d bytes of memory", e.name, uri, len(uri), cost)
			}
		}
		e.echo(t)
	}
}

// TestLongIDs: an id or a progress token of more than 128 KiB is refused, and not repeated: responses that refuse a
// request because there is no room have its id too.
func TestLongIDs(t *testing.T) {
	v := newVictim(t, nil, nil)
	const most = 128 << 10 // of the JSON text
	for _, e := range entries(t, v) {
		for what, member := range map[string]string{
			"id":    `"id":"x%s","method":"tools/call","params":{"name":"echo","arguments":{}` + e.meta + `}`,
			"token": `"id":"7","method":"tools/call","params":{"name":"echo","arguments":{},"_meta":{"progressToken":"x%s"}}`,
		} {
			if what == "token" && e.meta != "" { // beside what the revision needs
				member = `"id":"7","method":"tools/call","params":{"name":"echo","arguments":{}` +
					strings.Replace(e.meta, `"_meta":{`, `"_meta":{"progressToken":"x%s",`, 1) + `}`
			}
			send := func(n int) string {
				return e.await(`{"jsonrpc":"2.0",` + fmt.Sprintf(member, strings.Repeat("x", n)) + `}`)
			}
			if got := send(most - 3); !strings.Contains(got, `"result"`) {
				t.Errorf("%s: %s of %d bytes: %.300s", e.name, what, most, got)
			}
			for _, n := range []int{most - 2, 1 << 20} {
				got := send(n)
				if !allowed(outcome(t, got), "-32600 | -32602 | 400 -32600 | 400 -32602 | 200 -32602") || len(got) > 300 {
					t.Errorf("%s: %s of %d bytes: %.300s", e.name, what, n+3, got)
				}
			}
		}
		e.echo(t)
	}
}
