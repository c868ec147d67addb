package session_test

import (
	"context"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// faults is a call.ResponseWriter that notes which fault the request of the server has when it is responded to.
type faults struct {
	of  *session.Internal
	got []string
}

func (*faults) Notify([]byte) error { return nil }

func (f *faults) Respond(_ []byte, code int) error {
	text := "result"
	if code != 0 {
		text = "error"
	}
	if f.of.Fault != nil {
		text += ": " + f.of.Fault.Message
	}
	f.got = append(f.got, text)
	return nil
}

// stays answers when its call has ended.
func stays(w *session.Worker) error {
	c, err := w.Start()
	if err == nil {
		err = w.EnterFor(true)
	}
	if err != nil {
		return err
	}
	<-c.Done()
	return c.Err()
}

// A request of the server itself ends as one of a client does, and its fault is known once it is responded to.
func TestRequestOfTheServer(t *testing.T) {
	for _, c := range []struct {
		name   string
		f      func(*session.Worker) error
		closed bool // before the request begins
		want   string
	}{
		{"result", func(*session.Worker) error { return nil }, false, "result"},
		{"error", func(*session.Worker) error { return wire.NewError(-32001, "no") }, false, "error: no"},
		{"other error", func(*session.Worker) error { return errors.New("secret") }, false, "error: internal error"},
		{"panic", func(*session.Worker) error { panic("secret") }, false, "error: internal error"},
		{"Goexit", func(*session.Worker) error { runtime.Goexit(); return nil }, false, "error: internal error"},
		{"late", func(*session.Worker) error { return nil }, true, "error: the server ended before the request was answered"},
		{"cancelled", stays, false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHost(io.Discard, func(*session.Worker) error { return nil })
				if c.closed {
					h.Close()
				}
				r := session.Internal{
					ID: wire.StringID("1"), Method: protocol.MethodToolsCall, Revision: protocol.Latest,
					Answer: func(w *session.Worker, _ session.Handler, b []byte) ([]byte, error) {
						if who := w.Caller().Subject; who != "ann" {
							t.Errorf("it is made for %q", who)
						}
						return append(b, "{}"...), c.f(w)
					},
				}
				w := &faults{of: &r}
				ctx, cancel := context.WithCancel(t.Context())
				returned := make(chan struct{})
				go func() {
					defer close(returned)
					h.Perform(ctx, &r, call.Caller{Subject: "ann"}, w)
				}()
				time.Sleep(time.Minute)
				cancel()
				<-returned
				got := strings.Join(w.got, " and ")
				if got != c.want && (c.want == "" || !strings.HasPrefix(got, c.want+" (ref ")) {
					t.Errorf("got %q, want %q", got, c.want)
				}
				h.Close()
				h.Wait() // nothing is left
				h.Hub.Close()
			})
		})
	}
}

// What the server asks itself has the grace of the host too.
func TestRequestOfTheServerWhileClosing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(io.Discard, func(*session.Worker) error { return nil })
		r := session.Internal{
			ID: wire.StringID("1"), Method: protocol.MethodToolsCall, Revision: protocol.Latest,
			Answer: func(w *session.Worker, _ session.Handler, b []byte) ([]byte, error) {
				c, err := w.Start()
				if err == nil {
					err = w.EnterFor(true)
				}
				if err == nil {
					<-c.Done()
				}
				return append(b, "{}"...), err
			},
		}
		w, returned := &faults{of: &r}, make(chan struct{})
		go func() {
			defer close(returned)
			h.Perform(t.Context(), &r, call.Caller{}, w)
		}()
		synctest.Wait()
		begin := time.Now()
		h.Close()
		<-returned
		if took := time.Since(begin); took != h.Grace || len(w.got) != 1 || !strings.HasPrefix(w.got[0], "error") {
			t.Errorf("%q after %v", w.got, took)
		}
		h.Wait()
		h.Hub.Close()
	})
}
