package mcphttp_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mcpgen/mcpgen/mcp/mcprt"
)

// widest is a response that notes the largest piece that was given to net/http.
type widest struct {
	http.ResponseWriter
	most *atomic.Int64
}

func (w *widest) Write(b []byte) (int, error) {
	w.most.Store(max(w.most.Load(), int64(len(b))))
	return w.ResponseWriter.Write(b)
}

func (w *widest) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// A large message is given to net/http in small pieces, as a response and as an event. A connection of HTTP/2 keeps a
// buffer of the largest piece for as long as it lives, and a client may have thousands of connections.
func TestLargeMessagesInPieces(t *testing.T) {
	text := strings.Repeat("x", 1<<20)
	r := newRigWith(t, nil, nil, large, func(f *mcprt.Features) {
		who := f.Tools[0]
		said := who
		entry := *who.Entry
		entry.Name = "said"
		said.Entry = &entry
		said.Call = func(c *mcprt.Call, args []byte) (mcprt.ToolResult, error) {
			c.Logger().Info("first")
			c.Logger().Info(text)
			return who.Call(c, args)
		}
		f.Tools = append(f.Tools, said)
	})
	var most atomic.Int64
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		r.http.ServeHTTP(&widest{w, &most}, req)
	}))
	s.EnableHTTP2 = true
	s.StartTLS()
	defer s.Close()
	client := s.Client()
	client.Transport.(*http.Transport).HTTP2 = &http.HTTP2Config{MaxReadFrameSize: 8 << 20}
	for _, name := range []string{"who", "said"} {
		most.Store(0)
		for i, send := range []func() (string, []string){
			func() (string, []string) {
				body, headers := modern("tools/call", name, `"name":"`+name+`"`)
				return strings.Replace(body, `"_meta":{`, `"_meta":{"io.modelcontextprotocol/logLevel":"info",`, 1), headers
			},
			func() (string, []string) {
				return request("tools/call", `"name":"`+name+`"`), r.initialize(t, "2025-11-25")
			},
		} {
			body, headers := send()
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/mcp", strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			setHeaders(req, headers)
			resp, err := client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(resp.Body)
			_ = resp.Body.Close()
			if err != nil || resp.ProtoMajor != 2 || len(got) < len(text) {
				t.Fatalf("%s, %d: %s: %.200s, %v", name, i, resp.Proto, got, err)
			}
			if n := most.Load(); n > 64<<10 {
				t.Errorf("%s, %d: a piece has %d bytes", name, i, n)
			}
		}
	}
}
