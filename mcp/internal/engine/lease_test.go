package engine

import (
	"sync/atomic"
	"testing"
	"time"
)

// room says that any number of requests may be in flight.
func room() bool { return true }

// rest waits until the timer of l does not run: it is not needed between two terms.
func rest(l *ReaderLease) {
	for l.watched.Load() {
		time.Sleep(slowAfter)
	}
}

func TestLeaseStartsOneLeader(t *testing.T) {
	started := make(chan struct{}, 10)
	l := new(ReaderLease)
	l.Init(func() { started <- struct{}{} }, room)
	term := l.Enter()
	<-started // by the timer, as nobody leaves
	l.ready.Store(0)
	if l.Leave(term) {
		t.Error("the former leader believes that it still leads")
	}
	next := l.Enter()
	if !l.Leave(next) {
		t.Error("the new leader has lost its term")
	}
	l.Transfer(next)
	select {
	case <-started:
		t.Error("a term that is over was transferred")
	default:
	}
}

// After a slow term the next ones are transferred as soon as they begin; not for ever.
func TestLeaseIsReadyAfterASlowTerm(t *testing.T) {
	var started atomic.Int32
	full := false
	first := make(chan struct{}, 1)
	l := new(ReaderLease)
	l.Init(func() {
		if started.Add(1) == 1 {
			first <- struct{}{}
		}
	}, func() bool { return !full })
	l.Enter()
	<-first
	rest(l)
	for i := range readyFor {
		if term := l.Enter(); started.Load() != int32(i)+2 || l.Leave(term) {
			t.Fatalf("term %d was not transferred", i)
		}
	}
	if l.ready.Load() != 0 {
		t.Errorf("ready for %d more", l.ready.Load())
	}
	l.ready.Store(1)
	full = true
	for l.ready.Load() == 1 && !l.Leave(l.Enter()) { // a busy machine may be slow
	}
	if l.ready.Load() == 0 {
		t.Error("a term was transferred although there is no room")
	}
}

func TestLeaseStaysWithAFastLeader(t *testing.T) {
	var started atomic.Int32
	l := new(ReaderLease)
	l.Init(func() { started.Add(1) }, room)
	lost := int32(0)
	for end := time.Now().Add(20 * slowAfter); time.Now().Before(end); {
		if term := l.Enter(); !l.Leave(term) {
			lost++ // a busy machine may stop us for that long
		}
	}
	rest(l)
	if got := started.Load(); got != lost {
		t.Errorf("started %d times, lost the lead %d times", got, lost)
	}
}

func TestLeaseTransfer(t *testing.T) {
	started := 0
	l := new(ReaderLease)
	l.Init(func() { started++ }, room)
	term := l.Enter()
	l.Transfer(term)
	l.Transfer(term)
	if started != 1 {
		t.Errorf("started %d times", started)
	}
}

func BenchmarkLease(b *testing.B) {
	l := new(ReaderLease)
	l.Init(func() {}, room)
	b.ReportAllocs()
	for b.Loop() {
		l.Leave(l.Enter())
	}
}

// BenchmarkTimerForEachRequest is the alternative that was not taken: a timer for each request.
func BenchmarkTimerForEachRequest(b *testing.B) {
	t := time.AfterFunc(time.Hour, func() {})
	b.ReportAllocs()
	for b.Loop() {
		t.Reset(slowAfter)
		t.Stop()
	}
}

// A slow leader without room for a further request reads on by itself as soon as there is room; if there is none for
// long, somebody reads what needs none.
func TestLeaseWithoutRoom(t *testing.T) {
	for name, ends := range map[string]bool{"a request ends": true, "none ends": false} {
		t.Run(name, func(t *testing.T) {
			started := make(chan int32, 1)
			var checks atomic.Int32
			l := new(ReaderLease)
			l.Init(func() { started <- checks.Load() }, func() bool { return checks.Add(1) > 50 && ends })
			term := l.Enter()
			if n := <-started; ends && n != 51 || !ends && n != stuckAfter {
				t.Errorf("another leader after %d checks", n)
			}
			if l.Leave(term) {
				t.Error("two leaders")
			}
		})
	}
}
