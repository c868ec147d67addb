package mcphttp_test

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

// framed is a POST whose body has a length or comes in chunks, or both.
func framed(length, chunked string) string {
	const body = `{"jsonrpc":"2.0","method":"notifications/x"}`
	head := "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" +
		"Accept: application/json, text/event-stream\r\n" + length + chunked + "\r\n"
	if chunked != "" {
		return head + fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(body), body)
	}
	return strings.ReplaceAll(head, "LENGTH", fmt.Sprint(len(body))) + body
}

// Content-Length beside Transfer-Encoding ends the connection, however it is written and whatever comes before it. What
// has only one of them is handled.
func TestLengthBesideEncoding(t *testing.T) {
	plain, chunks := framed("Content-Length: LENGTH\r\n", ""), framed("", "Transfer-Encoding: chunked\r\n")
	both := framed("Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n")
	smuggled := framed("Content-Length: LENGTH\r\n", "")
	for _, row := range []struct {
		name, text string
		step       int    // bytes written at once; 0 for all
		want       string // statuses; then the connection ends if it is a 400
	}{
		{"a length", plain + plain, 0, "400 400"},
		{"both", both + smuggled, 0, "400"},
		{"the other order", framed("Transfer-Encoding: chunked\r\n", "Content-Length: 5\r\n") + smuggled, 0, "400"},
		{"other case", framed("CONTENT-length: 5\r\n", "transfer-ENCODING: chunked\r\n") + smuggled, 0, "400"},
		{"folded", framed("Content-Length:\r\n 5\r\n", "Transfer-Encoding:\r\n chunked\r\n") + smuggled, 0, "400"},
		{"line feeds", framed("Content-Length: 5\n", "Transfer-Encoding: chunked\n") + smuggled, 0, "400"},
		{"byte by byte", both + smuggled, 1, "400"},
		{"in sevens", both + smuggled, 7, "400"},
		{"behind a request", plain + both + smuggled, 0, "400 400"},
		{"behind chunks", chunks + both + smuggled, 0, "400 400"},
		{"HTTP/1.0", strings.Replace(both, "HTTP/1.1", "HTTP/1.0", 1) + smuggled, 0, "400"},
		{"other framing", framed("", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n") + smuggled, 0, "501"},
	} {
		for name, start := range map[string]func(*httptest.Server){
			"plain": (*httptest.Server).Start, "TLS": (*httptest.Server).StartTLS} {
			t.Run(row.name+", "+name, func(t *testing.T) {
				r := newRig(t, nil)
				s, _ := limitedServer(t, r, new(mcphttp.Options))
				start(s)
				c := dialFramed(t, s)
				go func() {
					for text := row.text; text != ""; {
						n := len(text)
						if row.step > 0 {
							n = min(n, row.step)
						}
						if _, err := io.WriteString(c, text[:n]); err != nil {
							return
						}
						text = text[n:]
					}
					if row.name == "a length" {
						_ = c.(interface{ CloseWrite() error }).CloseWrite()
					}
				}()
				wanted := row.want
				if name == "TLS" && row.name == "behind chunks" {
					wanted = "400" // the gate sees no header there, and ends the connection with the first response
				}
				if got := statuses(c); got != wanted {
					t.Errorf("%s, want %s", got, wanted)
				}
			})
		}
	}
}

// A header that has one value is refused if it is given twice, whatever the values.
func TestHeadersGivenTwice(t *testing.T) {
	r := newRig(t, nil)
	body, headers := modern("tools/call", "who", `"name":"who"`)
	for _, twice := range [][]string{{"Content-Encoding", "identity", "Content-Encoding", "gzip"},
		{"Content-Type", "application/json"}, {"Content-Encoding", "gzip"}} {
		want(t, r.do("POST", body, append(slices.Clip(headers), twice...)...), 415)
	}
	req := httptest.NewRequest(http.MethodPost, target, strings.NewReader(body))
	setHeaders(req, headers)
	req.Header["Content-Encoding"] = []string{"", "gzip"}
	w := httptest.NewRecorder()
	r.http.ServeHTTP(w, req)
	want(t, w, 415)
}

func dialFramed(t *testing.T, s *httptest.Server) (c net.Conn) {
	t.Helper()
	c, err := new(net.Dialer).DialContext(t.Context(), "tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if s.TLS != nil {
		c = tls.Client(c, &tls.Config{InsecureSkipVerify: true}) // that of the test
	}
	return c
}

// statuses reads responses until the connection ends.
func statuses(c net.Conn) string {
	var list []string
	for from := bufio.NewReader(c); ; {
		resp, err := http.ReadResponse(from, nil)
		if err != nil {
			return strings.Join(list, " ")
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		list = append(list, fmt.Sprint(resp.StatusCode))
	}
}

// Chunks without a length keep their connection where its header could be seen.
func TestChunksKeepTheConnection(t *testing.T) {
	r := newRig(t, nil)
	s, _ := limitedServer(t, r, new(mcphttp.Options))
	s.Start()
	c := dialFramed(t, s)
	from := bufio.NewReader(c)
	for i := range 3 {
		if _, err := io.WriteString(c, framed("", "Transfer-Encoding: chunked\r\n")); err != nil {
			t.Fatal(err)
		}
		resp, err := http.ReadResponse(from, nil)
		if err != nil || resp.Close {
			t.Fatalf("request %d: %v, the connection ends: %v", i, err, resp != nil && resp.Close)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
	}
}
