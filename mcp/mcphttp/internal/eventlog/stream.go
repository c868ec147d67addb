package eventlog

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/counters"
	"github.com/mcpgen/mcpgen/mcp/internal/engine"
	"github.com/mcpgen/mcpgen/mcp/internal/labels"
	"github.com/mcpgen/mcpgen/mcp/internal/safelog"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/limits"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/web"
	"github.com/mcpgen/mcpgen/mcp/stats"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Stream is a response that is written event by event. While there are no events, it gets a comment now and then, so
// that proxies and the client keep it open.
type Stream struct {
	from  *Opener
	usage *limits.Usage // of the client for which the stream counts

	cut    atomic.Bool // no further write
	hungUp atomic.Bool // the client has left while the handler goes on

	kind labels.Stream // NumStreams for a listen, which the server counts

	ctl     *http.ResponseController
	cutting sync.Mutex // held while the deadline of a write under way is changed
	over    bool       // guarded by cutting: ctl belongs to the handler of the request again

	mu    sync.Mutex
	w     http.ResponseWriter
	buf   []byte
	err   error
	gone  chan struct{} // closed with err
	timer *time.Timer   // calls keepAlive, at the latest when the next comment is due
	until time.Time     // the deadline of writes
	wrote time.Time     // when the last write has begun
}

// Opener opens streams, and counts them. It is safe for concurrent use.
type Opener struct {
	admit                   *limits.Admission
	log                     *slog.Logger
	keepAlive, writeTimeout time.Duration // between comments in a quiet stream, and of one event

	streams [labels.NumStreams]atomic.Int64    // that are open
	ended   [labels.NumStreamEnds]atomic.Int64 // streams that have ended, by the reason
	unread  safelog.Sparse                     // bounds what is logged of clients that do not read
	leavers leavers                            // clients of streams that have left net/http
}

// NewOpener returns an opener of streams. A stream gets a comment after each keepAlive without another write, and ends
// if the client needs longer than writeTimeout for an event.
func NewOpener(admit *limits.Admission, log *slog.Logger, keepAlive, writeTimeout time.Duration) *Opener {
	return &Opener{admit: admit, log: log, keepAlive: keepAlive, writeTimeout: writeTimeout}
}

// Open begins a response that is a stream, and counts for u.
func (o *Opener) Open(w http.ResponseWriter, kind labels.Stream, u *limits.Usage) *Stream {
	head := w.Header()
	head["Content-Type"] = web.EventType
	head["Cache-Control"] = web.NoStore
	head["X-Content-Type-Options"] = web.NoSniff
	head["X-Accel-Buffering"] = web.Unbuffer
	d, detaches := w.(*Detached)
	if detaches {
		head["Connection"] = web.Close
	}
	w.WriteHeader(http.StatusOK)
	s := &Stream{w: w, kind: kind, ctl: http.NewResponseController(w), from: o, usage: u, gone: make(chan struct{})}
	if kind < labels.NumStreams {
		o.streams[kind].Add(1)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.timer = time.AfterFunc(o.keepAlive, s.keepAlive)
	s.writeLocked(nil) // so that the client sees the head at once
	if detaches && s.err == nil && d.take() {
		s.until = time.Time{}
	}
	return s
}

// AddStats adds the streams.
func (o *Opener) AddStats(s *stats.Snapshot) {
	counters.AddLabelled[labels.Stream](&s.Streams, o.streams[:])
	counters.AddLabelled[labels.StreamEnd](&s.StreamsEnded, o.ended[:])
	labels.Add(&s.LogRecordsDropped, labels.DroppedRate, o.unread.Dropped())
}

// EventInTwo is Event for a message of two parts, frame and rest. Other streams may share rest, but it counts in full
// for this one, because its client may be the last one that reads it.
func (s *Stream) EventInTwo(frame, rest []byte) error { return s.event(nil, frame, rest, nil) }

// Event writes one event; id appends its id, and may be nil. A nil frame makes an event without a message. large has
// the large values of the message; nil if there are none.
func (s *Stream) Event(id func([]byte) []byte, frame []byte, large *engine.Large) error {
	return s.event(id, frame, nil, large)
}

func (s *Stream) event(id func([]byte) []byte, frame, rest []byte, large *engine.Large) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.buf[:0]
	if id != nil {
		b = append(id(append(b, "id: "...)), '\n')
	}
	if frame != nil {
		b = append(b, "event: message\n"...)
	}
	b = append(b, "data: "...)
	n := int64(len(b) + len(frame) + len(rest) + len(endOfEvent))
	if n <= web.SmallAnswer && large == nil {
		b = append(append(append(b, frame...), rest...), endOfEvent...)
		s.buf = b
		s.writeLocked(b)
		return s.err
	}
	s.buf = b
	if !s.from.admit.TakeUnread(s.usage, n, large) {
		s.endLocked(ErrBudget)
		return s.err
	}
	s.writeLargeLocked(b, frame, rest, large, eventEnd) // in parts, because a copy could be large
	s.from.admit.GiveUnread(s.usage, n, large)
	return s.err
}

// writeLargeLocked writes a message with what is before and behind it.
func (s *Stream) writeLargeLocked(begin, frame, rest []byte, large *engine.Large, end []byte) {
	if large == nil {
		s.writeLocked(begin, frame, rest, end)
		return
	}
	s.writeAllLocked(func(write func([]byte) error) error {
		err := write(begin)
		if err == nil {
			err = wire.WriteInserts(frame, large.Inserts, write)
		}
		if err == nil {
			err = write(end)
		}
		return err
	})
}

const endOfEvent = "\n\n"

// keepAlive writes a comment if the stream was quiet, and sets the timer again.
func (s *Stream) keepAlive() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return
	}
	quiet := time.Since(s.wrote)
	if quiet >= s.from.keepAlive {
		s.writeLocked([]byte(":\n\n"))
		quiet = 0
	}
	if s.err == nil {
		s.timer.Reset(s.from.keepAlive - quiet)
	}
}

// writeLocked writes the parts and sends all that is buffered. After the first error nothing is written any more.
func (s *Stream) writeLocked(parts ...[]byte) {
	s.writeAllLocked(func(write func([]byte) error) (err error) {
		for i := 0; i < len(parts) && err == nil; i++ {
			err = write(parts[i])
		}
		return err
	})
}

// writeAllLocked is writeLocked for parts that emit makes: emit calls write with each part.
func (s *Stream) writeAllLocked(emit func(write func([]byte) error) error) {
	if s.err != nil {
		return
	}
	now := time.Now()
	if s.until.Sub(now) < s.from.writeTimeout { // it is set for longer, so that most events need not set it
		s.until = now.Add(s.from.writeTimeout + s.from.writeTimeout/4)
		_ = s.ctl.SetWriteDeadline(s.until) // not every server has deadlines
	}
	if s.cut.Load() {
		s.endLocked(errGone)
		return
	}
	err := emit(func(b []byte) error { _, err := web.WritePieces(b, s.w.Write); return err })
	if err == nil {
		err = s.ctl.Flush()
	}
	if errors.Is(err, http.ErrNotSupported) {
		err = nil
	}
	if err != nil {
		s.endLocked(err)
		return
	}
	s.wrote = now
}

// interrupt makes the write that is under way and all further ones fail. It does not block.
func (s *Stream) interrupt() {
	if s.cut.Swap(true) {
		return
	}
	s.cutting.Lock()
	defer s.cutting.Unlock()
	if !s.over {
		_ = s.ctl.SetWriteDeadline(web.LongAgo)
	}
}

// Ended returns a channel that is closed when nothing more can be written.
func (s *Stream) Ended() <-chan struct{} { return s.gone }

// Abort is interrupt for a client that has left, or that is cut off.
func (s *Stream) Abort() {
	s.hungUp.Store(true)
	s.interrupt()
}

// close makes all further writes fail.
func (s *Stream) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endLocked(errGone)
}

// HangUp ends a stream whose client has left while the handler of its request goes on. It also closes the connection,
// which net/http would keep until the handler returns.
func (s *Stream) HangUp() {
	s.Abort()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endLocked(errGone)
	s.cutting.Lock()
	defer s.cutting.Unlock()
	if s.over {
		return
	}
	if conn, _, err := s.ctl.Hijack(); err == nil { // not every connection belongs to one request
		_ = conn.Close()
	}
}

// Release is close for the handler of the request. After it the handler may use the response again.
func (s *Stream) Release() {
	s.close()
	s.logUnread()
	s.cutting.Lock()
	defer s.cutting.Unlock()
	s.over = true
	if s.kind < labels.NumStreams {
		s.from.streams[s.kind].Add(-1)
	}
	_ = s.ctl.SetWriteDeadline(time.Time{}) // the connection may carry more requests, later
}

func (s *Stream) endLocked(err error) {
	if s.err != nil {
		return
	}
	why := s.why(err)
	s.err = &ending{err, why}
	s.from.ended[why].Add(1)
	s.timer.Stop()
	close(s.gone)
}

// why returns the reason, for the statistics, for which s ends with err.
func (s *Stream) why(err error) labels.StreamEnd {
	switch {
	case err == ErrBudget: //nolint:errorlint // the very error
		return labels.EndedPendingBytes
	case s.cut.Load() && !s.hungUp.Load():
		return labels.EndedReplaced
	case errors.Is(err, os.ErrDeadlineExceeded):
		return labels.EndedUnread
	}
	return labels.EndedOther
}

// ending is the error of a stream that has ended. It wraps [io.ErrClosedPipe], because such errors are not logged: a
// client may leave at any time.
type ending struct {
	err error
	why labels.StreamEnd
}

// Error implements error.
func (e *ending) Error() string { return e.err.Error() }

// Unwrap is for [errors.Is].
func (e *ending) Unwrap() []error { return []error{io.ErrClosedPipe, e.err} }

// logUnread logs that s has ended because its client did not read. It does not log that too often, because any client
// can cause it.
func (s *Stream) logUnread() {
	s.mu.Lock()
	e, ok := s.err.(*ending) //nolint:errorlint // the very error
	s.mu.Unlock()
	if ok && (e.why == labels.EndedUnread || e.why == labels.EndedPendingBytes) {
		s.from.unread.Log(s.from.log, slog.LevelWarn, "mcphttp: client does not read: its stream was ended", "err", e.err)
	}
}

// ErrBudget says that there is no room for a message, because the client of the stream, or all clients together, have
// not read what was sent before.
var ErrBudget = errors.New("mcphttp: too many bytes are unread")

// errGone says that the client does not read the stream any more.
var errGone = errors.New("mcphttp: the client has gone")
