package attack

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"
)

const (
	names    = 50  // items that streams subscribe to
	mostUnix = 900 // streams at the Unix socket
)

// stream opens one of the streams, which are all open after a while, and reads it until the time is over.
func (s *soak) stream(ctx context.Context, i int, within time.Duration) {
	notified := sync.OnceFunc(func() { s.notified.Add(1) })
	defer notified()
	w := s.ways[1+i%2]
	if i < min(mostUnix, s.Streams/5) {
		w = s.ways[3]
	}
	if !sleep(ctx, within*time.Duration(i)/time.Duration(s.Streams)) { // not all at the same moment
		return
	}
	c, err := w.dial(ctx, fmt.Sprintf("127.0.0.%d", 110+i%20))
	if err != nil {
		s.problemf("%s: stream %d: %v", w.to.transport, i, err)
		return
	}
	defer c.Close()
	stop := context.AfterFunc(ctx, func() { _ = c.SetDeadline(time.Now()) })
	defer stop()
	if err := s.openStream(c, w, i); err != nil {
		if ctx.Err() == nil {
			s.problemf("%s: stream %d: %v", w.to.transport, i, err)
		}
		return
	}
	s.opened.Add(1)
	_ = c.SetDeadline(time.Time{})
	if ctx.Err() != nil {
		return
	}
	v := view{began: time.Now()}
	for lines := bufio.NewReader(c.r); v.err == nil; {
		if v.read(lines) {
			s.events.Add(1)
			notified()
		}
	}
	if ctx.Err() == nil {
		s.endedEarly(w, i, &v)
	} else if v.events == 0 {
		s.silent.Add(1)
	}
}

// view is what the client of a stream has seen of it.
type view struct {
	began  time.Time
	events int
	last   []byte // what came last
	err    error
}

// read reads a line, or a piece of one. It reports whether that was an event.
func (v *view) read(lines *bufio.Reader) (event bool) {
	line, err := lines.ReadSlice('\n')
	if event = bytes.Contains(line, []byte("resources/updated")); event {
		v.events++
	}
	if len(line) > 0 {
		v.last = append(v.last, line...)
		v.last = v.last[max(0, len(v.last)-mostLast):]
	}
	if !errors.Is(err, bufio.ErrBufferFull) {
		v.err = err
	}
	return event
}

// mostLast is how many bytes of a stream are shown when it has ended early.
const mostLast = 160

// endedEarly says all that is known of a stream that has ended while its client still reads: the last bytes show
// whether the server has finished the response ("0\r\n\r\n"), and its numbers why it has ended streams.
func (s *soak) endedEarly(w *way, i int, v *view) {
	n := s.broken.Add(1)
	if n > mostBroken {
		return
	}
	s.problemf("%s: stream %d has ended after %v and %d events: %v; it ended with %q; %s", w.to.transport, i,
		time.Since(v.began).Round(time.Millisecond), v.events, v.err, v.last,
		w.proc.numbers("mcp_streams_ended", "mcp_connections_closed", "mcp_refusals"))
}

// mostBroken is how many streams that have ended early are shown.
const mostBroken = 5

// openStream makes a connection a stream that is subscribed to an item.
func (s *soak) openStream(c *conn, w *way, i int) error {
	item := fmt.Sprintf("item:///s%d", i%names)
	if w.to.transport != Sessions {
		if kind, _, _ := w.exchange(c, &w.to, listen(strconv.Quote(item)), Head); kind != "200" {
			return fmt.Errorf("listen: %s", kind)
		}
		return nil
	}
	to, err := w.open(c, "2025-11-25")
	if err != nil {
		return err
	}
	if kind, _, _ := w.exchange(c, &to, subscribe(item), Reply); kind != "200 result" {
		return fmt.Errorf("subscribe: %s", kind)
	}
	get := Message{Method: "GET", Header: []string{"Accept: text/event-stream"}}
	if kind, _, _ := w.exchange(c, &to, get, Head); kind != "200" {
		return fmt.Errorf("stream: %s", kind)
	}
	return nil
}
