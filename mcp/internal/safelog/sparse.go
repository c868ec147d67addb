package safelog

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// Of what strangers can cause to be logged, a Sparse writes burst records at once and then one each pause.
const (
	burst = 20
	pause = time.Second
)

// Sparse writes records of one kind, of which anybody can cause any number. Those that are left out are counted, and
// their number is logged within a pause. The zero value is ready for use. It is safe for concurrent use.
type Sparse struct {
	mu      sync.Mutex
	free    time.Time // when burst records may be written again; each record moves it by pause
	left    int       // records left out since the last one that was written
	telling bool      // a timer runs that logs their number
	dropped int64     // all that were left out
}

// Dropped returns how many records were left out, in all.
func (s *Sparse) Dropped() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dropped
}

// Log writes a record, or counts it.
func (s *Sparse) Log(l *slog.Logger, level slog.Level, msg string, args ...any) {
	if !l.Enabled(context.Background(), level) {
		return
	}
	left, ok := s.take(l, level, msg)
	if !ok {
		return
	}
	if left > 0 {
		args = append(slices.Clip(args), "left_out", left)
	}
	l.Log(context.Background(), level, msg, args...)
}

// take reports whether a record may be written, and how many were left out before it. If it may not, a timer logs later
// that records were left out.
func (s *Sparse) take(l *slog.Logger, level slog.Level, msg string) (left int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if s.free.Before(now) {
		s.free = now
	}
	if s.free.Sub(now) <= (burst-1)*pause {
		s.free = s.free.Add(pause)
		left, s.left = s.left, 0
		return left, true
	}
	s.left++
	s.dropped++
	if !s.telling {
		s.telling = true
		time.AfterFunc(pause, func() { s.report(l, level, msg) })
	}
	return 0, false
}

// report writes how many records were left out, if no other record has said so meanwhile.
func (s *Sparse) report(l *slog.Logger, level slog.Level, msg string) {
	s.mu.Lock()
	left := s.left
	s.left, s.telling = 0, false
	s.mu.Unlock()
	if left > 0 {
		l.Log(context.Background(), level, msg, "left_out", left)
	}
}
