//go:build unix

package proc

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/bench/internal/work"
)

// patience is how long an answer may take.
const patience = 10 * time.Second

// Web is a running server that is asked over HTTP.
type Web struct {
	cmd  *exec.Cmd
	in   io.Closer
	addr string
}

// StartWeb starts the program at path as the server of a library.
func StartWeb(path string, args ...string) (*Web, error) {
	cmd := exec.Command(path, args...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	addr, err := bufio.NewReader(out).ReadString('\n')
	return &Web{cmd: cmd, in: in, addr: strings.TrimSpace(addr)}, err
}

// StartAt starts a program that serves at addr, with further variables, and waits until it is ready.
func StartAt(addr string, env []string, path string, args ...string) (*Web, error) {
	cmd := exec.Command(path, args...)
	cmd.Env = append(os.Environ(), env...)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	w := &Web{cmd: cmd, addr: addr}
	for end := time.Now().Add(3 * patience); ; time.Sleep(50 * time.Millisecond) {
		r, err := http.Get("http://" + addr + "/readyz")
		if err == nil {
			_ = r.Body.Close()
			if r.StatusCode == http.StatusOK {
				return w, nil
			}
			err = fmt.Errorf("readyz: %s", r.Status)
		}
		if time.Now().After(end) {
			w.Kill()
			return nil, err
		}
	}
}

// Kill ends the server at once.
func (w *Web) Kill() {
	_ = w.cmd.Process.Kill()
	_ = w.cmd.Wait()
}

// Stop ends the server by the end of its input.
func (w *Web) Stop() {
	_ = w.in.Close()
	_ = w.cmd.Wait()
}

// Memory asks the server what it holds.
func (w *Web) Memory() (m work.Memory, err error) {
	r, err := http.Get("http://" + w.addr + "/memory")
	if err != nil {
		return m, err
	}
	defer r.Body.Close()
	return m, json.NewDecoder(r.Body).Decode(&m)
}

// Conn is a connection of a client, which asks for one thing at a time.
type Conn struct {
	conn net.Conn
	in   *bufio.Reader
	host string
	// Session is that of requests of the older revisions.
	Session string
}

// Dial connects.
func (w *Web) Dial() (*Conn, error) {
	c, err := net.Dial("tcp", w.addr)
	if err != nil {
		return nil, err
	}
	return &Conn{conn: c, in: bufio.NewReader(c), host: w.addr}, nil
}

// Close ends the connection.
func (c *Conn) Close() { _ = c.conn.Close() }

// render writes a request with its headers.
func (c *Conn) render(method string, era work.Era, body string) []byte {
	path := map[work.Era]string{work.Legacy: "/mcp", work.Modern: "/modern"}[era]
	b := fmt.Appendf(nil, "%s %s HTTP/1.1\r\nHost: %s\r\nAccept: application/json, text/event-stream\r\n", method, path,
		c.host)
	if method == http.MethodGet {
		b = fmt.Appendf(nil, "%s %s HTTP/1.1\r\nHost: %s\r\nAccept: text/event-stream\r\n", method, path, c.host)
	}
	b = fmt.Appendf(b, "Authorization: Bearer %s\r\n", work.Token)
	if era == work.Modern || c.Session != "" {
		b = fmt.Appendf(b, "MCP-Protocol-Version: %s\r\n", era)
	}
	if c.Session != "" && era == work.Legacy {
		b = fmt.Appendf(b, "Mcp-Session-Id: %s\r\n", c.Session)
	}
	if era == work.Modern {
		var m struct {
			Method string
			Params struct{ Name, URI string }
		}
		_ = json.Unmarshal([]byte(body), &m) // our own text
		b = fmt.Appendf(b, "Mcp-Method: %s\r\n", m.Method)
		if name := m.Params.Name + m.Params.URI; name != "" {
			b = fmt.Appendf(b, "Mcp-Name: %s\r\n", name)
		}
	}
	if body != "" {
		b = fmt.Appendf(b, "Content-Type: application/json\r\nContent-Length: %d\r\n", len(body))
	}
	return append(append(b, "\r\n"...), body...)
}

// begin sends a request and reads the head of its answer.
func (c *Conn) begin(request []byte) (*http.Response, error) {
	_ = c.conn.SetDeadline(time.Now().Add(patience))
	if _, err := c.conn.Write(request); err != nil {
		return nil, err
	}
	return http.ReadResponse(c.in, nil)
}

// exchange sends a request and reads its whole answer.
func (c *Conn) exchange(request []byte) (*http.Response, []byte, error) {
	r, err := c.begin(request)
	if err != nil {
		return nil, nil, err
	}
	text, err := io.ReadAll(r.Body)
	return r, text, err
}

// Ask sends a message and returns the body of its answer.
func (c *Conn) Ask(op work.Op) ([]byte, error) {
	_, body, err := c.exchange(c.render(http.MethodPost, op.Era, op.Request))
	if err == nil && !bytes.Contains(body, []byte(op.Want)) {
		err = fmt.Errorf("%s %s: wrong answer: %.200s", op.Name, op.Era, body)
	}
	return body, err
}

// Open makes a session, if the era has them.
func (c *Conn) Open(era work.Era) error {
	if era == work.Modern {
		return nil
	}
	c.Session = ""
	for _, text := range work.Handshake {
		r, body, err := c.exchange(c.render(http.MethodPost, era, text))
		if err != nil {
			return err
		}
		if r.StatusCode/100 != 2 {
			return fmt.Errorf("handshake: %s: %.200s", r.Status, body)
		}
		if id := r.Header.Get("Mcp-Session-Id"); id != "" {
			c.Session = id
		}
	}
	return nil
}

// Stream opens a stream, which stays open with the connection; in 2026-07-28 by the request listen.
func (c *Conn) Stream(era work.Era, listen string) error {
	request := c.render(http.MethodGet, era, "")
	if era == work.Modern {
		request = c.render(http.MethodPost, era, listen)
	}
	r, err := c.begin(request)
	if err == nil && (r.StatusCode != http.StatusOK || !strings.HasPrefix(r.Header.Get("Content-Type"),
		"text/event-stream")) {
		err = fmt.Errorf("stream: %s %s", r.Status, r.Header.Get("Content-Type"))
	}
	return err
}

// Await reads what comes on a stream until a line has mark in it.
func (c *Conn) Await(mark string) error {
	_ = c.conn.SetReadDeadline(time.Now().Add(patience))
	for {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return err
		}
		if bytes.Contains(line, []byte(mark)) {
			return nil
		}
	}
}

// Crowd are connections that ask for the same thing.
type Crowd struct {
	web      *Web
	conns    []*Conn
	requests []*work.Message
	least    int // requests of each connection in a slice
	// Answer is that to the first request.
	Answer work.Answer
}

// Crowd opens n connections for op, each with a session of its own, and looks at an answer.
func (w *Web) Crowd(n int, op work.Op, answers bool) (*Crowd, error) {
	c := &Crowd{web: w, least: 5}
	if op.IsLarge() {
		c.least = 1
	}
	for range n {
		conn, err := w.Dial()
		if err != nil {
			return c, err
		}
		c.conns = append(c.conns, conn)
		if answers {
			if err := conn.Open(op.Era); err != nil {
				return c, err
			}
		}
		request := conn.render(http.MethodPost, op.Era, op.Request)
		c.requests = append(c.requests, work.NewMessage(request))
		r, text, err := conn.exchange(request)
		if err != nil {
			return c, err
		}
		if answers && !strings.Contains(string(text), op.Want) {
			return c, fmt.Errorf("%s %s: wrong answer: %s %.200s", op.Name, op.Era, r.Status, text)
		}
		c.Answer = work.Answer{Header: r.Header, Body: text}
	}
	return c, nil
}

// Close ends all connections.
func (c *Crowd) Close() {
	for _, conn := range c.conns {
		conn.Close()
	}
}

// Run asks on all connections for about as long as told, a few times on each at least.
func (c *Crowd) Run(length time.Duration) (Slice, error) {
	took, errs := make([][]time.Duration, len(c.conns)), make([]error, len(c.conns))
	before, start := cpuTime(c.web.cmd.Process.Pid), time.Now()
	var all sync.WaitGroup
	for i, conn := range c.conns {
		all.Go(func() {
			for now := time.Now(); now.Sub(start) < length || len(took[i]) < c.least; {
				if _, _, errs[i] = conn.exchange(c.requests[i].Next()); errs[i] != nil {
					return
				}
				then := now
				now = time.Now()
				took[i] = append(took[i], now.Sub(then))
			}
		})
	}
	all.Wait()
	used := cpuTime(c.web.cmd.Process.Pid) - before
	var list []time.Duration
	for i, err := range errs {
		if err != nil {
			return Slice{}, err
		}
		list = append(list, took[i]...)
	}
	return Slice{P50: quantile(list, 0.5), P95: quantile(list, 0.95), P99: quantile(list, 0.99),
		CPU: used / time.Duration(len(list))}, nil
}
