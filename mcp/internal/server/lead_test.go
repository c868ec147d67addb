package server

import (
	"sync/atomic"
	"testing"
	"time"
)

func TestLeadPromotesOnce(t *testing.T) {
	promoted := make(chan struct{}, 10)
	l := new(lead)
	l.init(func() { promoted <- struct{}{} })
	turn := l.enter()
	<-promoted // by the timer, as nobody leaves
	if l.leave(turn) {
		t.Error("the old leader believes that it still leads")
	}
	next := l.enter()
	if !l.leave(next) {
		t.Error("the new leader has lost its turn")
	}
	l.hand(next)
	select {
	case <-promoted:
		t.Error("a turn that is over was handed on")
	default:
	}
}

func TestLeadFastTurnsKeepTheLead(t *testing.T) {
	var promoted atomic.Int32
	l := new(lead)
	l.init(func() { promoted.Add(1) })
	lost := int32(0)
	for end := time.Now().Add(20 * slowAfter); time.Now().Before(end); {
		if turn := l.enter(); !l.leave(turn) {
			lost++ // a busy machine may stop us for that long
		}
	}
	if got := promoted.Load(); got != lost {
		t.Errorf("promoted %d times, lost the lead %d times", got, lost)
	}
	for l.watched.Load() {
		time.Sleep(slowAfter)
	}
}

func TestLeadHand(t *testing.T) {
	promoted := 0
	l := new(lead)
	l.init(func() { promoted++ })
	turn := l.enter()
	l.hand(turn)
	l.hand(turn)
	if promoted != 1 {
		t.Errorf("promoted %d times", promoted)
	}
}

func BenchmarkLead(b *testing.B) {
	l := new(lead)
	l.init(func() {})
	b.ReportAllocs()
	for b.Loop() {
		l.leave(l.enter())
	}
}

// BenchmarkLeadTimer is the alternative that was not taken: a timer for each request.
func BenchmarkLeadTimer(b *testing.B) {
	t := time.AfterFunc(time.Hour, func() {})
	b.ReportAllocs()
	for b.Loop() {
		t.Reset(slowAfter)
		t.Stop()
	}
}
