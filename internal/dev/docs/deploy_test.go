package docs

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	deployPage = "docs/deploy.md"
	// patience bounds every wait; nothing is asserted about how long things take within it.
	patience = time.Minute
	publicly = "mcp.example.com"
)

// commands returns every command line of the page that starts the server, without the name of the program.
func commands(t *testing.T) [][]string {
	t.Helper()
	text := page(t, deployPage)
	var out [][]string
	command := regexp.MustCompile(`(?m)^(?:\./notes|ExecStart=/usr/local/bin/notes) (.*)$`)
	for _, m := range command.FindAllStringSubmatch(text, -1) {
		out = append(out, strings.Fields(m[1]))
	}
	if len(out) != 4 {
		t.Fatalf("%s starts the server %d times; the pattern or the page is wrong", deployPage, len(out))
	}
	return out
}

// Each command of the page serves behind a proxy: a resource is read through it, a
// stream held open until an update comes, and ended properly when the server is told to stop.
func TestDeploy(t *testing.T) {
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("builds and starts servers")
	}
	build := regexp.MustCompile(`(?m)^go build (\./golden/notes/cmd/notes)$`).FindStringSubmatch(page(t, deployPage))
	if build == nil {
		t.Fatal("the page does not build the server")
	}
	bin := program(t, build[1])
	for _, args := range commands(t) {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			t.Parallel()
			s := deploy(t, bin, args)
			s.readsByCurl()
			s.refusesOthers()
			s.listens()
		})
	}
}

// deployed is a server behind a proxy.
type deployed struct {
	t       *testing.T
	proxy   *httptest.Server
	process *exec.Cmd
	ended   chan error
	dir     string
}

// deploy starts the server by a command of the page, on a free port and on files of the test.
func deploy(t *testing.T, bin string, args []string) *deployed {
	t.Helper()
	dir, err := os.MkdirTemp("", "mcp") //nolint:usetesting // sockets want short names
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	s := &deployed{t: t, dir: dir, ended: make(chan error, 1)}
	s.write("today", "# Today\n")
	fill := strings.NewReplacer("/srv/notes", dir, "127.0.0.1:8080", "127.0.0.1:0", ":8080", "127.0.0.1:0",
		"/run/notes/mcp.sock", filepath.Join(dir, "mcp.sock"))
	var actual []string
	for _, arg := range args {
		actual = append(actual, fill.Replace(arg))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	t.Cleanup(cancel)
	s.process = exec.CommandContext(ctx, bin, actual...)
	stderr, err := s.process.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.process.Start(); err != nil {
		t.Fatal(err)
	}
	address := make(chan string, 1)
	go func() {
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			if m := regexp.MustCompile(`address=(\S+)`).FindStringSubmatch(lines.Text()); m != nil {
				address <- m[1]
			}
		}
		s.ended <- s.process.Wait()
	}()
	select {
	case a := <-address:
		s.putProxyBefore(a)
	case err := <-s.ended:
		t.Fatalf("the server ended: %v", err)
	case <-ctx.Done():
		t.Fatal("the server does not serve")
	}
	return s
}

// putProxyBefore starts a reverse proxy that hands on the name that a client called by.
func (s *deployed) putProxyBefore(address string) {
	network := "tcp"
	if strings.HasPrefix(address, "/") {
		network = "unix"
	}
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, address)
	}
	target := &url.URL{Scheme: "http", Host: "server"}
	s.proxy = httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = r.In.Host
			if body, err := io.ReadAll(r.In.Body); err == nil {
				r.Out.Body = io.NopCloser(bytes.NewReader(body)) // see the page
			}
		},
		Transport: &http.Transport{DialContext: dial},
	})
	s.t.Cleanup(s.proxy.Close)
}

// write replaces a note in one step.
func (s *deployed) write(name, text string) {
	s.t.Helper()
	file := filepath.Join(s.dir, name)
	if err := errors.Join(os.WriteFile(file, []byte(text), 0o600), os.Rename(file, file+".md")); err != nil {
		s.t.Fatal(err)
	}
}

// post sends a request to the proxy by a name.
func (s *deployed) post(host string, headers map[string]string, body string) *http.Response {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	s.t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.proxy.URL+"/mcp", strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Host = host
	for name, value := range headers {
		r.Header.Set(name, value)
	}
	response, err := s.proxy.Client().Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = response.Body.Close() })
	return response
}

// curl returns headers and body of the request that a page shows.
func curl(t *testing.T, name string) (headers map[string]string, body string) {
	t.Helper()
	for _, b := range blocks(t, name, "sh") {
		data := regexp.MustCompile(`(?s)curl .* -d '(.*)'`).FindStringSubmatch(b.text)
		if data == nil {
			continue
		}
		headers = map[string]string{}
		for _, m := range regexp.MustCompile(`-H '([^:]+): ([^']+)'`).FindAllStringSubmatch(b.text, -1) {
			headers[m[1]] = m[2]
		}
		return headers, data[1]
	}
	t.Fatalf("%s has no request by curl", name)
	return nil, ""
}

func (s *deployed) readsByCurl() {
	s.t.Helper()
	headers, body := curl(s.t, deployPage)
	response := s.post(publicly, headers, body)
	text, err := io.ReadAll(response.Body)
	if response.StatusCode != http.StatusOK || !strings.Contains(string(text), `"text":"# `) {
		s.t.Errorf("%s: %s, %v", response.Status, text, err)
	}
}

// refusesOthers checks what the page says about names; on a Unix socket there is nothing to check.
func (s *deployed) refusesOthers() {
	s.t.Helper()
	want := http.StatusForbidden
	if strings.Contains(strings.Join(s.process.Args, " "), "-unix") {
		want = http.StatusOK
	}
	headers, body := curl(s.t, deployPage)
	response := s.post("evil.example", headers, body)
	text, err := io.ReadAll(response.Body)
	if response.StatusCode != want || want == http.StatusForbidden && !strings.Contains(string(text), "-allow-host") {
		s.t.Errorf("another host: %s: %s, %v", response.Status, text, err)
	}
}

// listens holds a stream open through the proxy, sees an edit, and sees the end.
func (s *deployed) listens() {
	s.t.Helper()
	response := s.post(publicly, map[string]string{
		"Content-Type": "application/json", "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "subscriptions/listen",
	}, `{"jsonrpc":"2.0","id":7,"method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["notes:///today"]},"_meta":{
		"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"docs","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`)
	if got := response.Header.Get("X-Accel-Buffering"); got != "no" {
		s.t.Errorf("X-Accel-Buffering = %q", got)
	}
	events := bufio.NewScanner(response.Body)
	s.expect(events, "notifications/subscriptions/acknowledged")
	s.write("today", "# Later\n")
	s.expect(events, `"notifications/resources/updated"`)
	if err := s.process.Process.Signal(syscall.SIGTERM); err != nil {
		s.t.Fatal(err)
	}
	s.expect(events, `"id":7,"result"`)
	select {
	case err := <-s.ended:
		if err != nil {
			s.t.Errorf("the server ended with %v", err)
		}
	case <-time.After(patience):
		s.t.Error("the server does not end")
	}
}

// expect reads events up to one that holds text.
func (s *deployed) expect(events *bufio.Scanner, text string) {
	s.t.Helper()
	for events.Scan() {
		if data, ok := strings.CutPrefix(events.Text(), "data: "); ok && strings.Contains(data, text) {
			return
		}
	}
	s.t.Fatalf("the stream ended before %s: %v", text, events.Err())
}

// The table of limits says what the code does.
func TestDeployLimits(t *testing.T) {
	code, text := page(t, "mcp/mcphttp/options.go"), page(t, deployPage)
	for name, value := range map[string][2]string{
		"MaxBody":        {"4 << 20", "4 MiB"},
		"MaxRequests":    {"1_024", "1,024"},
		"MaxSessions":    {"10_000", "10,000"},
		"PerClient":      {"1_000", "1,000"},
		"SessionTimeout": {"30 * time.Minute", "30 minutes"},
		"KeepAlive":      {"25 * time.Second", "25 seconds"},
		"WriteTimeout":   {"5 * time.Second", "5 seconds"},
		"ReadTimeout":    {"10 * time.Second", "10 seconds"},
	} {
		if !regexp.MustCompile(fmt.Sprintf(`(?m)^\s*default%s\s+= %s$`, name, regexp.QuoteMeta(value[0]))).MatchString(code) {
			t.Errorf("default%s is not %s any more; correct %s and this table", name, value[0], deployPage)
		}
		if !regexp.MustCompile(fmt.Sprintf("(?m)^\\|.*%s`.*\\| %s \\|", name, value[1])).MatchString(text) {
			t.Errorf("%s does not say that %s is %s", deployPage, name, value[1])
		}
	}
}

// The proxies of the page write X-Forwarded-For only, so they must not pass on what a client says in Forwarded.
func TestProxiesRemoveForwarded(t *testing.T) {
	text := page(t, deployPage)
	for proxy, line := range map[string]string{
		"nginx":     `proxy_set_header Forwarded "";`,
		"caddyfile": "header_up -Forwarded",
	} {
		_, block, _ := strings.Cut(text, "```"+proxy+"\n")
		if block, _, _ = strings.Cut(block, "```"); !strings.Contains(block, line) {
			t.Errorf("the configuration of %s has no %q", proxy, line)
		}
	}
}
