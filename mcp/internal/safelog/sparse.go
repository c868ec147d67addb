package safelog

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// A Sparse writes up to burst records at once, and then one record in each pause.
const (
	burst = 20
	pause = time.Second
)

// Sparse limits how often records of one kind are written to a log, if anybody can cause any number of such records. It
// counts the records that it leaves out, and logs their number within a pause. The zero value is ready for use. It is
// safe for concurrent use.
type Sparse struct {
	mu      sync.Mutex
	free    time.Time // at this time burst records may be written again; each record adds pause
	left    int       // records left out since the last one that was written
	telling bool      // a timer runs that will log left
	dropped int64     // the number of all records left out
}

// Dropped returns how many records were left out, in all.
func (s *Sparse) Dropped() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dropped
}

// Log writes a record to l, or counts it as left out. It does nothing if l does not log this level.
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

// take reports in ok whether a record may be written, and returns how many records were left out before it. If ok is
// false, the record is counted, and a timer will log the number.
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

// report logs how many records were left out, unless a record with this number was written meanwhile.
func (s *Sparse) report(l *slog.Logger, level slog.Level, msg string) {
	s.mu.Lock()
	left := s.left
	s.left, s.telling = 0, false
	s.mu.Unlock()
	if left > 0 {
		l.Log(context.Background(), level, msg, "left_out", left)
	}
}
