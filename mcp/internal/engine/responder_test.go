package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// recorder is a ResponseWriter, and a Flusher, that says what was called.
type recorder struct{ got []string }

func (r *recorder) Notify(frame []byte) error {
	r.got = append(r.got, "notify "+string(frame))
	return nil
}

func (r *recorder) Respond(frame []byte, _ int) error {
	r.got = append(r.got, "respond "+string(frame))
	return nil
}

func (r *recorder) RespondNow(frame []byte, _ int) error {
	r.got = append(r.got, "now "+string(frame))
	return nil
}

func (r *recorder) want(t *testing.T, want ...string) {
	t.Helper()
	if !slices.Equal(r.got, want) {
		t.Errorf("got %q, want %q", r.got, want)
	}
}

func TestExchange(t *testing.T) {
	w, c := new(recorder), new(call)
	x := NewExchange(w)
	if err := x.Notify([]byte("a"), c); err != nil {
		t.Error(err)
	}
	c.ended = true
	if err := x.Notify([]byte("b"), c); !errors.Is(err, ErrEnded) {
		t.Errorf("after the end: %v", err)
	}
	c.ended = false
	x.Respond([]byte("c"), 0, nil)
	x.RespondNow([]byte("d"), 0, nil)
	if err := x.Notify([]byte("e"), c); !errors.Is(err, ErrEnded) {
		t.Errorf("after the response: %v", err)
	}
	w.want(t, "notify a", "respond c")
}

func TestExchangeWritesNothingOnceClosed(t *testing.T) {
	w := new(recorder)
	x := NewExchange(w)
	x.Close()
	x.Respond([]byte("a"), 0, nil)
	x.RespondNow([]byte("b"), 0, nil)
	if err := x.Notify([]byte("c"), new(call)); !errors.Is(err, ErrEnded) {
		t.Error(err)
	}
	if _, resume, err := x.Wait(); err != nil || resume == nil {
		t.Errorf("a wait after the end: %v", err)
	}
	w.want(t)
}

// plainWriter is a ResponseWriter that sends at once.
type plainWriter struct{ *recorder }

func (plainWriter) RespondNow() {} // of another type: no Flusher

func TestExchangeRespondNow(t *testing.T) {
	w := new(recorder)
	x := NewExchange(w)
	x.RespondNow([]byte("a"), 0, nil)
	w.want(t, "now a")
	w = new(recorder)
	x = NewExchange(plainWriter{w})
	x.RespondNow([]byte("a"), 0, nil)
	w.want(t, "respond a")
}

func TestBatch(t *testing.T) {
	w := new(recorder)
	x := NewExchange(w)
	b := NewBatch(&x, 3)
	one, two, three := b.Item(), b.Item(), b.Item()
	one.Respond([]byte("1"), 0, nil)
	one.Discard()
	one.Discard() // counts once
	if err := two.Notify([]byte("n"), new(call)); err != nil {
		t.Error(err)
	}
	two.Discard() // a notification
	w.want(t, "notify n")
	three.Respond([]byte("3"), 0, nil)
	three.Discard()
	w.want(t, "notify n", "respond [1,3]")
}

func TestBatchWithoutResponses(t *testing.T) {
	w := new(recorder)
	x := NewExchange(w)
	b := NewBatch(&x, 1)
	item := b.Item()
	item.Discard()
	w.want(t)
}

// The last response may be one in place of a handler that is still running: nothing waits for that.
func TestBatchRespondNow(t *testing.T) {
	w := new(recorder)
	x := NewExchange(w)
	b := NewBatch(&x, 2)
	one, two := b.Item(), b.Item()
	one.Respond([]byte("1"), 0, nil)
	one.Discard()
	two.RespondNow([]byte("2"), 0, nil)
	two.Discard() // its handler has returned at last
	w.want(t, "now [1,2]")
}

func TestBatchFlush(t *testing.T) {
	w := new(recorder)
	x := NewExchange(w)
	b := NewBatch(&x, 2)
	one, two := b.Item(), b.Item()
	one.RespondNow([]byte("1"), 0, nil)
	one.Flush()
	two.Respond([]byte("2"), 0, nil)
	two.Discard()
	w.want(t, "now [1]")
}

// What is cancelled after its response has come, but before the batch leaves, is not in it.
func TestBatchCancelled(t *testing.T) {
	for _, row := range []struct {
		ended [3]bool
		want  []string
	}{
		{[3]bool{}, []string{"respond [10,20,30]"}},
		{[3]bool{true, false, false}, []string{"respond [   20,30]"}},
		{[3]bool{false, true, false}, []string{"respond [10,   30]"}},
		{[3]bool{false, false, true}, []string{"respond [10,20   ]"}},
		{[3]bool{false, true, true}, []string{"respond [10      ]"}},
		{[3]bool{true, false, true}, []string{"respond [   20   ]"}},
		{[3]bool{true, true, true}, nil},
	} {
		w := new(recorder)
		x := NewExchange(w)
		b := NewBatch(&x, 3)
		for i, text := range []string{"10", "20", "30"} {
			item := b.Item()
			item.Respond([]byte(text), 0, &call{ended: row.ended[i]})
			item.Discard()
		}
		w.want(t, row.want...)
	}
}

// The first response of a batch may be of any size. One that would be too much is an error with its id.
func TestBatchBytes(t *testing.T) {
	w := new(recorder)
	x := NewExchange(w)
	b := NewBatch(&x, 3)
	long := strings.Repeat("x", maxBatchBytes)
	for i, text := range []string{long, long, ""} {
		item := b.Item()
		item.Respond(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"result":{"text":%q}}`, i, text), 0, nil)
		item.Discard()
	}
	if len(w.got) != 1 || len(w.got[0]) > maxBatchBytes+1000 || strings.Count(w.got[0], long) != 1 ||
		!strings.Contains(w.got[0], `"id":1,"error":{"code":-32603`) || !strings.Contains(w.got[0], `"id":2,"error"`) {
		t.Errorf("%d writes, %d bytes, end %.300s", len(w.got), len(w.got[0]), w.got[0][len(w.got[0])-300:])
	}
}
