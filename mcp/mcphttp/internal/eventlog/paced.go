package eventlog

import (
	"net/http"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/engine"
	"github.com/mcpgen/mcpgen/mcp/internal/labels"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/limits"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/web"
)

// What stands before and behind a message in a stream.
var (
	messageEvent = []byte("event: message\ndata: ")
	eventEnd     = []byte(endOfEvent)
)

// Raw writes a text as it is.
func (s *Stream) Raw(text string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writeLocked([]byte(text))
	return s.err
}

// Message writes an event with a message. If there is no room for it, the stream ends, so that the client sees that a
// notification is missing.
func (s *Stream) Message(frame []byte) error {
	err := s.Put(frame, nil)
	if err == ErrBudget { //nolint:errorlint // the very error
		s.mu.Lock()
		defer s.mu.Unlock()
		s.endLocked(ErrBudget)
	}
	return err
}

// Put writes an event with a message, or returns [ErrBudget] if there is no room for it. Large values count before Put
// waits for other writers.
func (s *Stream) Put(frame []byte, large *engine.Large) error {
	n := int64(len(frame))
	if !s.from.admit.TakeUnread(s.usage, n, large) {
		return ErrBudget
	}
	defer s.from.admit.GiveUnread(s.usage, n, large)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writeLargeLocked(messageEvent, frame, nil, large, eventEnd)
	return s.err
}

// AppendMessage appends an event with a message to b.
func AppendMessage(b, frame []byte) []byte {
	return append(append(append(b, messageEvent...), frame...), eventEnd...)
}

// OpenPaced is [Opener.Open] for a stream that cannot be resumed: its client takes a large message at its own pace,
// with a deadline for each piece.
func (o *Opener) OpenPaced(w http.ResponseWriter, kind labels.Stream, u *limits.Usage, timeout time.Duration) *Stream {
	pace := &pacedWriter{ResponseWriter: w, timeout: timeout}
	s := o.Open(pace, kind, u)
	pace.begin(s)
	return s
}

// pacedWriter is the response of a stream that cannot be resumed: its client may take a large message slowly, but must
// go on taking it. Its methods are called with the lock of the stream held.
type pacedWriter struct {
	http.ResponseWriter
	timeout time.Duration // for each piece
	of      *Stream       // nil before begin
}

// Unwrap is for http.ResponseController.
func (p *pacedWriter) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// begin sets the stream whose response p is. Until then Write sets no deadlines.
func (p *pacedWriter) begin(s *Stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p.of = s
}

// Write implements io.Writer.
func (p *pacedWriter) Write(b []byte) (n int, err error) {
	return web.WritePieces(b, func(piece []byte) (int, error) {
		if !p.renew() {
			return 0, errGone
		}
		return p.ResponseWriter.Write(piece)
	})
}

// renew begins the next deadline. It returns false if nothing is to be written any more.
func (p *pacedWriter) renew() bool {
	if p.of == nil {
		return true
	}
	p.of.cutting.Lock() // interrupt must not be undone
	defer p.of.cutting.Unlock()
	if p.of.cut.Load() {
		return false
	}
	web.EndSoon(p.ResponseWriter, p.timeout)
	return true
}
