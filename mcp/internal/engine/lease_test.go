package engine

import (
	"sync/atomic"
	"testing"
	"time"
)

func TestLeaseStartsOneLeader(t *testing.T) {
	started := make(chan struct{}, 10)
	l := new(ReaderLease)
	l.Init(func() { started <- struct{}{} })
	term := l.Enter()
	<-started // by the timer, as nobody leaves
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

func TestLeaseStaysWithAFastLeader(t *testing.T) {
	var started atomic.Int32
	l := new(ReaderLease)
	l.Init(func() { started.Add(1) })
	lost := int32(0)
	for end := time.Now().Add(20 * slowAfter); time.Now().Before(end); {
		if term := l.Enter(); !l.Leave(term) {
			lost++ // a busy machine may stop us for that long
		}
	}
	if got := started.Load(); got != lost {
		t.Errorf("started %d times, lost the lead %d times", got, lost)
	}
	for l.watched.Load() {
		time.Sleep(slowAfter)
	}
}

func TestLeaseTransfer(t *testing.T) {
	started := 0
	l := new(ReaderLease)
	l.Init(func() { started++ })
	term := l.Enter()
	l.Transfer(term)
	l.Transfer(term)
	if started != 1 {
		t.Errorf("started %d times", started)
	}
}

func BenchmarkLease(b *testing.B) {
	l := new(ReaderLease)
	l.Init(func() {})
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
