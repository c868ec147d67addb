package engine

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp/wire"
)

// call stands for a request.
type call struct{ ended bool }

func (c *call) Running() bool { return !c.ended }

func (c *call) Commit([]byte) bool { return !c.ended }

func (c *call) Large() *Large { return nil }

func id(n int64) wire.ID { return wire.NumberID(n) }

func TestCallsBegin(t *testing.T) {
	var calls Calls[*call]
	one, two := new(call), new(call)
	if err := calls.Begin(id(1), one, 2); err != nil {
		t.Fatal(err)
	}
	if !calls.Has(id(1)) || calls.Has(id(2)) {
		t.Error("only the first request is in flight")
	}
	if err := calls.Begin(id(1), two, 2); !errors.Is(err, ErrDuplicate) {
		t.Errorf("same id: %v", err)
	}
	if err := calls.Begin(id(2), two, 1); !errors.Is(err, ErrBusy) {
		t.Errorf("one too many: %v", err)
	}
	calls.Forget(id(1), two) // not the one with that id
	if got, found := calls.ToCancel(id(1)); !found || got != one {
		t.Errorf("got %v %v", got, found)
	}
	calls.Forget(id(1), one)
	if err := calls.Begin(id(1), two, 1); !errors.Is(err, ErrBusy) {
		t.Errorf("the handler of the first has not returned: %v", err)
	}
	calls.Returned()
	if calls.Busy() {
		t.Error("busy after the only handler has returned")
	}
	if err := calls.Begin(id(1), two, 1); err != nil {
		t.Error(err)
	}
	if got := calls.InFlight(); len(got) != 1 || got[0] != two {
		t.Errorf("in flight: %v", got)
	}
}

// An id that is spelled with escapes is the same id.
func TestCallsSpellings(t *testing.T) {
	var calls Calls[*call]
	plain, _ := wire.ParseID([]byte(`"a"`))
	escaped, _ := wire.ParseID([]byte(`"\u0061"`))
	if err := calls.Begin(plain, new(call), 2); err != nil {
		t.Fatal(err)
	}
	if err := calls.Begin(escaped, new(call), 2); !errors.Is(err, ErrDuplicate) {
		t.Errorf("got %v", err)
	}
}

func TestCallsClose(t *testing.T) {
	var calls Calls[*call]
	calls.Close(ErrShutdown)
	calls.Close(ErrDropped)
	if err := calls.Begin(id(1), new(call), 1); !errors.Is(err, ErrShutdown) || calls.Dropped() {
		t.Errorf("the first reason counts, got %v", err)
	}
}

func TestCallsStop(t *testing.T) {
	for _, messages := range []int{0, 1, 3} {
		var calls Calls[*call]
		if messages > 0 && !calls.Accept(1) {
			t.Fatal("refused")
		}
		calls.AcceptMore(max(messages-1, 0))
		calls.Stop()
		calls.Stop()
		if calls.Accept(1) {
			t.Error("a message was accepted after Stop")
		}
		for range messages {
			select {
			case <-calls.Quiet():
				t.Errorf("%d: quiet too early", messages)
			default:
			}
			calls.Handled()
		}
		select {
		case <-calls.Quiet():
		default:
			t.Errorf("%d: not quiet", messages)
		}
	}
}

// Requests that wait for a person leave their places to others.
func TestCallsWait(t *testing.T) {
	var calls Calls[*call]
	one, two := new(call), new(call)
	if err := calls.Begin(id(1), one, 1); err != nil {
		t.Fatal(err)
	}
	if first, ok := calls.BeginWait(one, 1); !first || !ok {
		t.Error("a request may not wait")
	}
	if first, ok := calls.BeginWait(one, 1); first || !ok {
		t.Fatal("the first request may wait for any number of responses")
	}
	if err := calls.Begin(id(2), two, 1); err != nil {
		t.Errorf("the place of a waiting request is free: %v", err)
	}
	if _, ok := calls.BeginWait(two, 1); ok {
		t.Error("one too many waits")
	}
	calls.EndWait(one)
	calls.Returned() // of two
	if err := calls.Begin(id(3), two, 1); err != nil {
		t.Errorf("one waits still: %v", err)
	}
	calls.Returned()
	calls.EndWait(one)
	if err := calls.Begin(id(4), two, 1); !errors.Is(err, ErrBusy) {
		t.Errorf("one is running again: %v", err)
	}
}

func TestCancellationBeforeItsRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls Calls[*call]
		calls.RememberCancellations(2)
		for n := range int64(3) {
			if _, found := calls.ToCancel(id(n)); found {
				t.Fatal("nothing is in flight")
			}
		}
		for n, early := range []bool{false, true, true} {
			if got := calls.CancelledEarly(id(int64(n))); got != early {
				t.Errorf("%d: got %v, the oldest of three is forgotten", n, got)
			}
		}
		if calls.CancelledEarly(id(1)) {
			t.Error("a cancellation counts once")
		}
		calls.ToCancel(id(7))
		if err := calls.Begin(id(7), new(call), 9); !errors.Is(err, ErrDropped) {
			t.Errorf("a request begins that was cancelled meanwhile: %v", err)
		}
		calls.ToCancel(id(8))
		time.Sleep(cancelledFor + time.Second)
		if calls.CancelledEarly(id(8)) {
			t.Error("an old cancellation hits a new request")
		}
	})
}

func TestCancellationAfterItsRequest(t *testing.T) {
	var calls Calls[*call]
	calls.RememberCancellations(2)
	one := new(call)
	if err := calls.Begin(id(1), one, 1); err != nil {
		t.Fatal(err)
	}
	calls.Forget(id(1), one)
	calls.EndedEarly(id(2))
	calls.ToCancel(id(1))
	calls.ToCancel(id(2))
	if calls.CancelledEarly(id(1)) || calls.CancelledEarly(id(2)) {
		t.Error("a late cancellation hits a later request with the same id")
	}
}

func TestCancellationsAreNotRememberedWithoutNeed(t *testing.T) {
	var calls Calls[*call]
	calls.ToCancel(id(1))
	calls.EndedEarly(id(2))
	if calls.CancelledEarly(id(1)) {
		t.Error("remembered")
	}
}

func TestClientRequests(t *testing.T) {
	var pending ClientRequests
	one, two := pending.New(""), pending.New("")
	respond := func(text string) bool {
		m, bad := wire.ParseMessage([]byte(text), wire.Limits{Bytes: 1 << 10})
		if bad != nil {
			t.Fatal(bad)
		}
		return pending.Respond(&m)
	}
	if one.ID == two.ID {
		t.Fatal("two requests with one id")
	}
	if !respond(`{"jsonrpc":"2.0","id":` + two.ID.String() + `,"error":{"code":1,"message":"no"}}`) {
		t.Error("a response belongs to no request")
	}
	if got := string(<-two.Response()); !two.Failed() || got != `{"code":1,"message":"no"}` {
		t.Errorf("got %s, failed %v", got, two.Failed())
	}
	if pending.Withdraw(two) || !pending.Withdraw(one) || pending.Withdraw(one) {
		t.Error("only what has no response can be withdrawn, once")
	}
	if respond(`{"jsonrpc":"2.0","id":` + one.ID.String() + `,"result":{}}`) {
		t.Error("a request that was withdrawn got a response")
	}
}
