package server

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/live"
	"github.com/mcpgen/mcpgen/mcp/transport"
)

func TestCallIsAContext(t *testing.T) {
	c := &call.Call{}
	if _, ok := c.Deadline(); ok || c.Err() != nil || c.Value("x") != nil {
		t.Error("a new call is not at its beginning")
	}
	derived, cancel := context.WithTimeout(c, time.Hour)
	defer cancel()
	ran := make(chan string, 2)
	c.AfterFunc(func() { ran <- "first" })
	stop := c.AfterFunc(func() { ran <- "stopped" })
	if !stop() || stop() {
		t.Error("stop must succeed once")
	}
	done := c.Done()
	c.End(context.Canceled)
	c.End(errors.New("second reason"))
	<-done
	<-derived.Done()
	if !errors.Is(derived.Err(), context.Canceled) || !errors.Is(c.Err(), context.Canceled) {
		t.Errorf("derived %v, call %v", derived.Err(), c.Err())
	}
	if got := <-ran; got != "first" {
		t.Errorf("%s ran", got)
	}
	if c.AfterFunc(func() { ran <- "late" })() {
		t.Error("stop succeeded after the end")
	}
	if got := <-ran; got != "late" {
		t.Errorf("%s ran", got)
	}
	ended := &call.Call{}
	ended.End(context.Canceled)
	<-ended.Done()
}

func TestCallEndsWithItsAnswer(t *testing.T) {
	st := newTestServer(t, nil)
	c := newSession(t, st.Server, protocol.Revision20251125)
	c.send(read("1", "do:///block"))
	call := <-st.entered
	if call.URI() != "do:///block" || call.Revision() != protocol.Revision20251125 {
		t.Errorf("URI %q, revision %v", call.URI(), call.Revision())
	}
	st.release <- struct{}{}
	c.recv()
	<-call.Done()
}

// stoppable is a conn whose process can be asked to end.
type stoppable struct {
	transport.Conn
	stopped chan struct{}
}

func (s *stoppable) Stopped() <-chan struct{} { return s.stopped }

func TestStopped(t *testing.T) {
	st := newTestServer(t, nil)
	client, server := transport.Pipe(nil)
	conn := &stoppable{server, make(chan struct{})}
	c := &harness{t: t, conn: client, in: make(chan string, 10), served: make(chan error, 1)}
	go func() { c.served <- st.Serve(t.Context(), conn) }()
	go c.readAll()
	c.send(modern("1", "resources/read", `"uri":"do:///block"`))
	<-st.entered
	close(conn.stopped)
	st.release <- struct{}{}
	answers, err := c.wait()
	if err != nil || len(answers) != 1 || !strings.Contains(answers[0], "unblocked") {
		t.Errorf("answers %q, Serve: %v", answers, err)
	}
}

func TestReadErrorIsReturned(t *testing.T) {
	st := newTestServer(t, nil)
	_, server := transport.Pipe(nil)
	broken := errors.New("broken wire")
	if err := st.Serve(t.Context(), &brokenConn{server, broken}); !errors.Is(err, broken) {
		t.Errorf("Serve: %v", err)
	}
}

type brokenConn struct {
	transport.Conn
	err error
}

func (b *brokenConn) ReadMessage(buf []byte) ([]byte, error) { return buf[:0], b.err }

func TestTrace(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr := os.Stderr
	os.Stderr = w
	t.Cleanup(func() { os.Stderr = stderr })
	t.Setenv("MCP_TRACE", "1")
	c := newHarness(t, newTestServer(t, nil).Server)
	c.quiet()
	got := make([]byte, 1000)
	n, err := r.Read(got)
	if err != nil || !strings.HasPrefix(string(got[:n]), `→ {"jsonrpc":"2.0","id":"quiet"`) {
		t.Errorf("traced %q, %v", got[:n], err)
	}
	w.Close()
	r.Close()
}

func TestNewServerRefuses(t *testing.T) {
	entry := &protocol.Resource{URI: "a:b", Name: "x"}
	read := func(*call.Call) (content.Contents, error) { return content.Contents{}, nil }
	for name, f := range map[string]*feature.Features{
		"neither entry nor template": {Resources: []feature.Resource{{Read: read}}},
		"both": {Resources: []feature.Resource{{Entry: entry, Template: &protocol.ResourceTemplate{},
			Read: read}}},
		"nothing to read": {Resources: []feature.Resource{{Entry: entry}}},
		"fixed and read":  {Resources: []feature.Resource{{Entry: entry, Read: read, Static: new(content.Text("x"))}}},
		"read and live": {Resources: []feature.Resource{{Entry: entry, Read: read,
			Value: live.NewHolder("x", func([]byte, string) feature.Ref { return feature.Ref{} }, content.AsText[string])}}},
		"fixed template": {Resources: []feature.Resource{{Template: &protocol.ResourceTemplate{},
			Static: new(content.Text("x"))}}},
		"tool without a function": {Tools: []feature.Tool{{Entry: &protocol.Tool{}}}},
	} {
		if _, err := NewServer(f, nil); err == nil {
			t.Errorf("features with %s were taken", name)
		}
	}
	for name, o := range map[string]*Options{
		"PageSize": {PageSize: -1}, "Grace": {Grace: -1}, "MaxInFlight": {MaxInFlight: -1}, "Keys": {Keys: [][]byte{{1}}},
	} {
		if _, err := NewServer(&feature.Features{}, o); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
