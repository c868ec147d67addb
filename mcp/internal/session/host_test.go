package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/pubsub"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
	"github.com/mcpgen/mcpgen/mcp/transport"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// answerer is a handler whose answers are those of a function.
type answerer struct {
	*session.Worker
	f func(w *session.Worker) error
}

func (a *answerer) Request(_, b []byte) ([]byte, error) { return append(b, "{}"...), a.f(a.Worker) }

func (*answerer) CallTool(context.Context, *protocol.CallToolRequestParams) (protocol.CallToolReply, error) {
	return nil, feature.ErrNoMethod
}

func (*answerer) Notification(_, _ []byte) {}

func (*answerer) Offers(feature.Kind, string) bool { return false }

func (*answerer) ToolFailed() bool { return false }

func (*answerer) Reset() {}

// byURI is a pubsub.Keyer for resources that are called as they are.
type byURI struct{}

func (byURI) Key(uri string) (resource int, text []byte) { return 0, []byte(uri) }

// newHost returns a host whose requests f answers; what is logged goes to log.
func newHost(log io.Writer, f func(w *session.Worker) error) *session.Host {
	h := &session.Host{
		Log: slog.New(slog.NewTextHandler(log, nil)), Grace: time.Second,
		NewHandler: func(w *session.Worker) session.Handler { return &answerer{w, f} },
		Lists:      func() []pubsub.Kind { return nil },
		Opened:     func() {},
		Blind:      func() <-chan struct{} { return nil },
	}
	h.MaxInFlight = 10
	h.Hub = pubsub.NewHub(pubsub.Config{
		Log: h.Log, NewKeyer: func() pubsub.Keyer { return byURI{} }, Context: context.Background(), Grace: h.Grace,
	})
	return h
}

// pipe is a transport.Conn between a test and a host.
type pipe struct {
	in, out chan string
	closed  chan struct{}
}

func newPipe() *pipe {
	return &pipe{in: make(chan string, 10), out: make(chan string, 10), closed: make(chan struct{})}
}

func (p *pipe) ReadMessage(buf []byte) ([]byte, error) {
	select {
	case text, ok := <-p.in:
		if !ok {
			return buf[:0], io.EOF
		}
		return append(buf[:0], text...), nil
	case <-p.closed:
		return buf[:0], transport.ErrClosed
	}
}

func (p *pipe) WriteMessage(frame []byte) error {
	p.out <- strings.TrimSpace(string(frame))
	return nil
}

func (p *pipe) Close() error {
	close(p.closed)
	return nil
}

const (
	declared = `"params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientCapabilities":{}}}}`
	asked = `{"jsonrpc":"2.0","id":1,"method":"tools/list",` + declared
)

// writer is a call.ResponseWriter that keeps what it gets.
type writer struct{ got []string }

func (w *writer) Notify([]byte) error { return nil }

func (w *writer) Respond(frame []byte, _ int) error {
	w.got = append(w.got, string(frame))
	return nil
}

// ask returns the response to one request by [session.Host.Exchange].
func ask(h *session.Host) string {
	w := new(writer)
	e := session.OpenEnvelope([]byte(asked))
	h.Exchange(context.Background(), &e, call.Caller{}, w)
	return strings.Join(w.got, " and ")
}

// expect fails unless a response is a result, or an error with a code and a part of its message.
func expect(t *testing.T, response string, code int, part string) {
	t.Helper()
	var m struct {
		Result json.RawMessage
		Error  *wire.Error
	}
	raw, failed := wire.Lookup([]byte(response), "error")
	if failed {
		d := wire.NewDecoder(raw)
		m.Error = new(wire.Error)
		m.Error.DecodeJSON(&d)
	}
	switch {
	case !json.Valid([]byte(response)):
		t.Errorf("no JSON: %q", response)
	case code == 0 && failed, code != 0 && (!failed || m.Error.Code != code || !strings.Contains(m.Error.Message, part)):
		t.Errorf("got %s, want code %d and %q", response, code, part)
	}
}

// Whatever a handler does, its request gets one response, and clients do not get the texts of other errors.
func TestHandlerEnds(t *testing.T) {
	for _, c := range []struct {
		name string
		f    func(*session.Worker) error
		code int
		part string
	}{
		{"result", func(*session.Worker) error { return nil }, 0, ""},
		{"error of the protocol", func(*session.Worker) error { return wire.NewError(-32001, "no") }, -32001, "no"},
		{"other error", func(*session.Worker) error { return errors.New("secret") }, wire.CodeInternal, "internal error (ref "},
		{"panic", func(*session.Worker) error { panic("secret") }, wire.CodeInternal, "internal error (ref "},
		{"Goexit", func(*session.Worker) error { runtime.Goexit(); return nil }, wire.CodeInternal, "internal error (ref "},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHost(io.Discard, c.f)
				p, ended := newPipe(), make(chan error, 1)
				go func() { ended <- h.Serve(t.Context(), p, call.Caller{}) }()
				p.in <- asked
				expect(t, <-p.out, c.code, c.part)
				p.in <- asked // the connection goes on
				expect(t, <-p.out, c.code, c.part)
				close(p.in)
				if err := <-ended; err != nil {
					t.Error(err)
				}
				if c.name != "Goexit" { // which ends the goroutine of the test
					expect(t, ask(h), c.code, c.part)
				}
				h.Hub.Close()
			})
		})
	}
}

// What runs when the host closes has its grace, and then its client gets an error; later requests are refused.
func TestHostCloses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stay := make(chan struct{})
		h := newHost(io.Discard, func(w *session.Worker) error {
			if _, err := w.Start(); err != nil {
				return err
			}
			w.Enter()
			<-stay
			return nil
		})
		p, ended := newPipe(), make(chan error, 1)
		go func() { ended <- h.Serve(t.Context(), p, call.Caller{}) }()
		p.in <- asked
		synctest.Wait()
		begin := time.Now()
		h.Close()
		expect(t, <-p.out, wire.CodeInternal, "")
		if took := time.Since(begin); took != h.Grace {
			t.Errorf("it took %v, want %v", took, h.Grace)
		}
		if err := <-ended; err != nil {
			t.Error(err)
		}
		h.Wait()
		expect(t, ask(h), wire.CodeInternal, "")
		if _, err := h.NewSession(newPipe()); !errors.Is(err, session.ErrServerClosed) {
			t.Errorf("NewSession: %v", err)
		}
		if err := h.Serve(t.Context(), newPipe(), call.Caller{}); !errors.Is(err, session.ErrServerClosed) {
			t.Errorf("Serve: %v", err)
		}
		close(stay)
		synctest.Wait()
		h.Hub.Close()
	})
}

// A session that goes on in another process has what was negotiated in the first.
func TestSessionMoves(t *testing.T) {
	h := newHost(io.Discard, func(*session.Worker) error { return nil })
	defer h.Hub.Close()
	defer h.Close()
	x, err := h.NewSession(newPipe())
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	want := session.State{Revision: protocol.Revision20251125, Capabilities: call.Roots | call.Sampling}
	x.Restore(want)
	if got := x.State(); got.Revision != want.Revision || got.Capabilities != want.Capabilities {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
