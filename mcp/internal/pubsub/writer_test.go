package pubsub

import (
	"bytes"
	"errors"
	"os"
	"runtime"
	"testing"
	"time"
)

// A transport that panics while an update is written, or ends the goroutine, loses its own connection, and nothing else
// of the server.
func TestWriterThatPanics(t *testing.T) {
	for name, fail := range map[string]func() error{
		"panic":  func() error { panic("secret") },
		"Goexit": func() error { runtime.Goexit(); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, h *Hub) {
				broken, failures := new(recorder), []error{}
				var streams *Streams
				out := h.NewOutbox(broken, 0, func(err error) {
					failures = append(failures, err)
					streams.Close(false)
				})
				streams = h.NewStreams(out, Limits{URIs: 1, Listens: 1})
				(&peer{streams, broken}).open(t, numberID(1), "a:///x")
				broken.fail = fail
				healthy := newPeer(t, h, nil)
				healthy.open(t, numberID(1), "a:///x")
				healthy.conn.take()
				for range 2 {
					h.Publish("a:///x")
					settleDown()
				}
				if got := healthy.conn.take(); len(got) != 2 {
					t.Errorf("the other client got %v", got)
				}
				_, isWriter := errors.AsType[*WriterError](out.Err())
				if len(failures) != 1 || !isWriter || h.subs() != 1 {
					t.Errorf("failures: %v, error: %v, subscriptions: %d", failures, out.Err(), h.subs())
				}
				out.Close(errBoom)
			})
		})
	}
}

// keeper is a Writer whose write goes on after its error, as on HTTP/2.
type keeper struct{ kept []byte }

func (k *keeper) WriteMessage(msg []byte) error {
	if bytes.HasPrefix(msg, []byte("ack")) {
		return nil
	}
	k.kept = msg
	return os.ErrDeadlineExceeded
}

// No other client's update is written into a buffer that a failed write may still read.
func TestBufferOfFailedWrite(t *testing.T) {
	bubble(t, func(t *testing.T, h *Hub) {
		var failed []*keeper
		for range 100 {
			k := new(keeper)
			failed = append(failed, k)
			s := newTestStreams(t, h, k, &options{delay: time.Millisecond})
			(&peer{s, nil}).open(t, numberID(1), "a:///first")
		}
		h.Publish("a:///first")
		settleDown()
		for range 100 {
			newPeer(t, h, nil).open(t, numberID(1), "b:///other")
		}
		h.Publish("b:///other")
		settleDown()
		for _, k := range failed {
			if !bytes.Contains(k.kept, []byte("a:///first")) {
				t.Fatalf("a failed write goes on with %q", k.kept)
			}
		}
	})
}
