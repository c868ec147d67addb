package verdict

import (
	"fmt"
	"slices"
	"time"
)

// Client is one client. It is safe for concurrent use; events of one stream must be reported in their order.
type Client struct {
	c    *Checker
	name string

	// All guarded by c.mu.
	wants   map[string]*subscription
	streams map[int]*stream
	events  []string
	next    int // in events, once it is full
}

// subscription is what a client subscribes to, or did.
type subscription struct {
	read   bool
	value  string
	readAt time.Time
	toldAt time.Time // of the last update
	until  time.Time // of the answer to an unsubscribe
}

// stream is a stream of notifications.
type stream struct {
	uris  []string // nil for the stream of a session, which has what the session subscribes to
	tag   string
	acked bool
	ended bool
}

// Open says that the client opens a stream for these URIs, or with nil for what its session subscribes to. Updates
// have this tag. A stream of a session has no acknowledgement.
func (cl *Client) Open(id int, tag string, uris []string) {
	cl.c.mu.Lock()
	defer cl.c.mu.Unlock()
	cl.notef("open %d %v", id, uris)
	cl.c.totals.Streams++
	cl.streams[id] = &stream{uris: uris, tag: tag, acked: uris == nil}
	for id, s := range cl.streams { // old ones are not needed any more
		if s.ended && id < cl.lastStream()-10 {
			delete(cl.streams, id)
		}
	}
	for _, uri := range uris {
		cl.want(uri)
	}
	if uris == nil {
		return
	}
	for uri, s := range cl.wants { // one stream has everything that such a client subscribes to
		if !slices.Contains(uris, uri) && s.until.IsZero() {
			s.until = cl.c.now()
		}
	}
}

func (cl *Client) lastStream() (last int) {
	for id := range cl.streams {
		last = max(last, id)
	}
	return last
}

// want begins a subscription or goes on with it. The caller holds mu.
func (cl *Client) want(uri string) {
	if s := cl.wants[uri]; s == nil || !s.until.IsZero() {
		cl.wants[uri] = new(subscription)
	}
}

// Acknowledged says that the server has acknowledged a stream.
func (cl *Client) Acknowledged(id int) {
	cl.c.mu.Lock()
	defer cl.c.mu.Unlock()
	cl.notef("acknowledged %d", id)
	if s := cl.on(id, ""); s != nil {
		s.acked = true
	}
}

// Updated says that an update has arrived on a stream.
func (cl *Client) Updated(id int, tag, uri string) {
	cl.c.mu.Lock()
	defer cl.c.mu.Unlock()
	cl.notef("updated %d %s", id, uri)
	cl.c.totals.Updates++
	s := cl.on(id, uri)
	if s == nil {
		return
	}
	sub := cl.wants[uri]
	if sub != nil {
		sub.toldAt = cl.c.now()
	}
	switch {
	case !s.acked:
		cl.broken(Early, uri, fmt.Sprint("stream ", id))
	case tag != s.tag:
		cl.broken(Foreign, uri, fmt.Sprintf("tag %q, want %q", tag, s.tag))
	case sub == nil || s.uris != nil && !slices.Contains(s.uris, uri):
		cl.broken(Foreign, uri, fmt.Sprint("stream ", id))
	case s.uris == nil && !sub.until.IsZero() && cl.c.isLate(sub.until):
		cl.broken(Late, uri, fmt.Sprint(cl.c.now().Sub(sub.until).Round(time.Millisecond), " after it"))
	}
}

// on returns a stream, unless it has ended. The caller holds mu.
func (cl *Client) on(id int, uri string) *stream {
	s := cl.streams[id]
	if s == nil || s.ended {
		cl.broken(After, uri, fmt.Sprint("stream ", id))
		return nil
	}
	return s
}

// Ended says that a stream has ended, or that the client has closed it.
func (cl *Client) Ended(id int, how string) {
	cl.c.mu.Lock()
	defer cl.c.mu.Unlock()
	cl.notef("ended %d: %s", id, how)
	if s := cl.streams[id]; s != nil {
		s.ended = true
	}
}

// Restart says that the client begins a new session, in which it is going to subscribe to these URIs.
func (cl *Client) Restart(uris []string) {
	cl.c.mu.Lock()
	defer cl.c.mu.Unlock()
	cl.notef("new session")
	clear(cl.wants)
	for _, uri := range uris {
		cl.wants[uri] = new(subscription)
	}
}

// Subscribe says that the client asks for updates of uri in its session.
func (cl *Client) Subscribe(uri string) {
	cl.c.mu.Lock()
	defer cl.c.mu.Unlock()
	cl.notef("subscribe %s", uri)
	cl.want(uri)
}

// Unsubscribe says that the client does not want to know about uri any more, and has told the server so. Updates are
// still possible until Unsubscribed.
func (cl *Client) Unsubscribe(uri string) {
	cl.c.mu.Lock()
	defer cl.c.mu.Unlock()
	cl.notef("unsubscribe %s", uri)
	if s := cl.wants[uri]; s != nil {
		s.until = farAway
	}
}

// farAway is the end of a subscription whose end the server has not confirmed.
var farAway = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// Unsubscribed says that the server has confirmed the end of a subscription.
func (cl *Client) Unsubscribed(uri string) {
	cl.c.mu.Lock()
	defer cl.c.mu.Unlock()
	cl.notef("unsubscribed %s", uri)
	if s := cl.wants[uri]; s != nil && !s.until.IsZero() {
		s.until = cl.c.now()
	}
}

// Read says what the client has read.
func (cl *Client) Read(uri, value string) {
	cl.c.mu.Lock()
	defer cl.c.mu.Unlock()
	cl.notef("read %s %s", uri, short(value))
	cl.c.totals.Reads++
	if s := cl.wants[uri]; s != nil {
		s.read, s.value, s.readAt = true, value, cl.c.now()
	}
}

// Lost records that a request got neither an answer nor an error for as long as the client waits.
func (cl *Client) Lost(what string, waited time.Duration) {
	cl.c.mu.Lock()
	defer cl.c.mu.Unlock()
	cl.broken(Lost, "", fmt.Sprintf("%s, waited %v", what, waited.Round(time.Second)))
}

// Listed says what the pages of a list had, one after the other, and which entries are there all the time.
func (cl *Client) Listed(got, always []string) {
	cl.c.mu.Lock()
	defer cl.c.mu.Unlock()
	cl.notef("listed %d", len(got))
	cl.c.totals.Lists++
	seen := make(map[string]bool, len(got))
	for _, uri := range got {
		if seen[uri] {
			cl.broken(Twice, uri, "")
		}
		seen[uri] = true
	}
	for _, uri := range always {
		if !seen[uri] {
			cl.broken(Missing, uri, "")
		}
	}
}

// notef remembers an event. The caller holds mu.
func (cl *Client) notef(format string, args ...any) {
	text := cl.c.now().Format(timeForm) + " " + fmt.Sprintf(format, args...)
	if len(cl.events) < remember {
		cl.events = append(cl.events, text)
		return
	}
	cl.events[cl.next] = text
	cl.next = (cl.next + 1) % remember
}

// broken records a violation. The caller holds mu.
func (cl *Client) broken(kind Kind, uri, text string) { cl.c.record(cl.violation(kind, uri, text)) }

// violation returns a violation with what was before. The caller holds mu.
func (cl *Client) violation(kind Kind, uri, text string) Violation {
	before := slices.Concat(cl.events[cl.next:], cl.events[:cl.next])
	return Violation{At: cl.c.now(), Client: cl.name, Kind: kind, URI: uri, Text: text, Before: before}
}
