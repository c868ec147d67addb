package robustness

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

// fixture is a victim that a program serves at an address of its own, as its flags say.
type fixture struct {
	t    testing.TB
	addr string
	log  *journal
	stop func() error // ends the program and returns its error; more than once does no harm
}

// journal is what a program has logged.
type journal struct {
	mu   sync.Mutex
	text strings.Builder
	more chan struct{} // closed by the next line
}

// Write implements io.Writer.
func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	close(j.more)
	j.more = make(chan struct{})
	return j.text.Write(p)
}

// all returns what was logged so far, and a channel that the next line closes.
func (j *journal) all() (string, <-chan struct{}) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String(), j.more
}

// await returns the first submatch of a pattern once it has been logged.
func (j *journal) await(t testing.TB, pattern string) string {
	t.Helper()
	re := regexp.MustCompile(pattern)
	late := time.After(patience)
	for {
		text, more := j.all()
		if m := re.FindStringSubmatch(text); m != nil {
			return m[len(m)-1]
		}
		select {
		case <-more:
		case <-late:
			t.Fatalf("nothing logged like %s:\n%s", pattern, text)
		}
	}
}

// serve runs a program that serves srv with some options. Arguments replace "-http 127.0.0.1:0".
func serve(t testing.TB, srv *mcp.Server, opts mcphttp.Options, args ...string) *fixture {
	t.Helper()
	s := &fixture{t: t, log: &journal{more: make(chan struct{})}}
	fs := flag.NewFlagSet("", flag.PanicOnError)
	c := mcphttp.AddFlags(fs)
	if args == nil {
		args = []string{"-http", "127.0.0.1:0"}
	}
	_ = fs.Parse(args)
	c.Options = opts
	c.Options.Logger = slog.New(slog.NewTextHandler(s.log, nil))
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- c.Run(ctx, srv) }()
	s.stop = sync.OnceValue(func() error {
		cancel()
		return <-ended
	})
	t.Cleanup(func() { _ = s.stop() })
	s.addr = s.log.await(t, `mcphttp: serving" address=(\S+)`)
	return s
}

// raw is a connection whose every byte a test decides.
type raw struct {
	t testing.TB
	net.Conn
	r *bufio.Reader
}

// dial connects to a site. All that happens on the connection ends within the patience of tests.
func (s *fixture) dial() *raw {
	s.t.Helper()
	network := "tcp"
	if strings.HasPrefix(s.addr, "/") {
		network = "unix"
	}
	conn, err := net.Dial(network, s.addr)
	if err != nil {
		s.t.Fatal(err)
	}
	_ = conn.SetDeadline(time.Now().Add(patience))
	s.t.Cleanup(func() { _ = conn.Close() })
	return newRaw(s.t, conn)
}

func newRaw(t testing.TB, conn net.Conn) *raw { return &raw{t, conn, bufio.NewReader(conn)} }

// write sends bytes; errors are those of the peer, and tell nothing.
func (c *raw) write(text string) { _, _ = io.WriteString(c, text) }

// response reads the head of the next response, and its body if it has a length. It is nil once the connection is
// closed.
func (c *raw) response() (resp *http.Response, body string) {
	resp, err := http.ReadResponse(c.r, nil)
	if err != nil {
		return nil, ""
	}
	if resp.ContentLength >= 0 {
		b, _ := io.ReadAll(resp.Body)
		body = string(b)
	}
	return resp, body
}

// status is that of the next response; 0 once the connection is closed.
func (c *raw) status() int {
	resp, _ := c.response()
	if resp == nil {
		return 0
	}
	return resp.StatusCode
}

// closed waits until the peer has closed the connection. It is false if that takes longer than tests wait.
func (c *raw) closed() bool {
	_, err := io.Copy(io.Discard, c.r)
	late, ok := err.(net.Error)
	return !ok || !late.Timeout()
}

// rawHead is the head of a request of 2026-07-28 without its length; headers replace or join those that it has.
func rawHead(method, path string, headers ...string) string {
	names := []string{"Host", "Content-Type", "Accept", "Mcp-Protocol-Version", "Mcp-Method", "Mcp-Name"}
	values := map[string]string{"Host": "localhost", "Content-Type": "application/json",
		"Accept": "application/json, text/event-stream", "Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call",
		"Mcp-Name": "echo"}
	for i := 0; i < len(headers); i += 2 {
		if _, ok := values[headers[i]]; !ok {
			names = append(names, headers[i])
		}
		values[headers[i]] = headers[i+1]
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\n", method, path)
	for _, name := range names {
		fmt.Fprintf(&b, "%s: %s\r\n", name, values[name])
	}
	return b.String()
}

// rawEcho is a good request, whole.
func rawEcho(headers ...string) string {
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo",` + modernMeta + `}}`
	return fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", rawHead("POST", "/mcp", headers...), len(body), body)
}

// alive insists on the answer to a good request on a connection of its own.
func (s *fixture) alive() {
	s.t.Helper()
	c := s.dial()
	c.write(rawEcho())
	if resp, body := c.response(); resp == nil || resp.StatusCode != http.StatusOK || !strings.Contains(body, `"result"`) {
		s.t.Errorf("an honest request gets %v %s", resp, body)
	}
	_ = c.Close()
}
