package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Incoming is a message of the server that came on a stream.
type Incoming struct {
	At time.Time
	// Event is the id of its event; "" if it has none.
	Event string
	// Method is that of a request or notification; "" for the response.
	Method string
	// URI is what an update is about, Level that of a log message, and Task what a notification of a task says.
	URI, Level string
	Task       Task
	// ID is that of a request of the server, or of the request that a response answers.
	ID     json.RawMessage
	Result json.RawMessage
	Err    *RPCError
}

// String returns a few words.
func (m Incoming) String() string {
	switch {
	case m.Err != nil:
		return m.Err.Error()
	case m.Method == "":
		return "response " + string(m.Result)
	}
	return strings.TrimSpace(m.Method + " " + m.URI + " " + m.Task.ID + " " + m.Task.Status)
}

// Inbox has what came on one stream. It is safe for concurrent use.
type Inbox struct {
	stop context.CancelFunc

	mu    sync.Mutex
	got   []Incoming
	ended error
	news  chan struct{} // closed and replaced when there is something new
}

// Close leaves the stream.
func (b *Inbox) Close() { b.stop() }

// Got returns all messages until now that match, and why the stream has ended, if it has.
func (b *Inbox) Got(match func(Incoming) bool) ([]Incoming, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []Incoming
	for _, m := range b.got {
		if match == nil || match(m) {
			out = append(out, m)
		}
	}
	return out, b.ended
}

// Await waits for the first message that matches. It fails when the stream has ended before, or the time is over.
func (b *Inbox) Await(ctx context.Context, within time.Duration, match func(Incoming) bool) (Incoming, error) {
	over := time.After(within)
	for {
		b.mu.Lock()
		for _, m := range b.got {
			if match(m) {
				b.mu.Unlock()
				return m, nil
			}
		}
		ended, news := b.ended, b.news
		b.mu.Unlock()
		if ended != nil {
			return Incoming{}, fmt.Errorf("the stream has ended: %w", ended)
		}
		select {
		case <-news:
		case <-over:
			return Incoming{}, fmt.Errorf("nothing within %v", within)
		case <-ctx.Done():
			return Incoming{}, ctx.Err()
		}
	}
}

// Updated matches updates of a resource.
func Updated(uri string) func(Incoming) bool {
	return func(m Incoming) bool { return m.Method == "notifications/resources/updated" && m.URI == uri }
}

// Is matches messages with a method; "" is the response.
func Is(method string) func(Incoming) bool {
	return func(m Incoming) bool { return m.Method == method }
}

// Listen opens a listen of the newest revision and waits for its acknowledgement.
func (c *Conn) Listen(ctx context.Context, notifications map[string]any) (*Inbox, error) {
	ctx, stop := context.WithCancel(ctx)
	params := object{"_meta": c.meta(), "notifications": notifications}
	res, err := c.post(ctx, "", 1, "subscriptions/listen", params) //nolint:bodyclose // collect
	if err != nil {
		stop()
		return nil, err
	}
	b := collect(res, stop)
	_, err = b.Await(ctx, Patience, Is("notifications/subscriptions/acknowledged"))
	if err != nil {
		stop()
	}
	return b, err
}

// Stream opens the stream of a session, or one that is resumed behind an event.
func (c *Conn) Stream(ctx context.Context, session, last string) (*Inbox, error) {
	ctx, stop := context.WithCancel(ctx)
	res, err := c.get(ctx, session, last) //nolint:bodyclose // collect
	if err != nil {
		stop()
		return nil, err
	}
	return collect(res, stop), nil
}

// Begin sends a call of a tool and returns what comes on the stream of its response.
func (c *Conn) Begin(ctx context.Context, session, tool string, args map[string]any, id int) (*Inbox, error) {
	ctx, stop := context.WithCancel(ctx)
	params := object{"name": tool, "arguments": args, "_meta": object{"progressToken": id}}
	if c.Revision == Modern {
		params["_meta"] = c.meta()
	}
	res, err := c.post(ctx, session, id, "tools/call", params) //nolint:bodyclose // collect
	if err != nil {
		stop()
		return nil, err
	}
	return collect(res, stop), nil
}

// Reply answers a request of the server.
func (c *Conn) Reply(ctx context.Context, session string, id json.RawMessage, result map[string]any) error {
	res, err := c.send(ctx, session, object{"jsonrpc": "2.0", "id": id, "result": result}, "", nil)
	if err != nil {
		return err
	}
	return res.Body.Close()
}

// Yes accepts a question of the server.
func Yes() map[string]any { return yes }

// End deletes a session.
func (c *Conn) End(ctx context.Context, session string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodDelete, c.URL, nil)
	if err != nil {
		return err
	}
	c.header(req, session)
	res, err := c.do(req)
	if err != nil {
		return err
	}
	return res.Body.Close()
}

// collect reads a response until it ends.
func collect(res *http.Response, stop context.CancelFunc) *Inbox {
	b := &Inbox{stop: stop, news: make(chan struct{})}
	go func() {
		defer stop()
		defer res.Body.Close() //nolint:errcheck // it was only read
		if !strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
			m, err := answer(res)
			if err == nil {
				b.add(m, "", nil)
				err = errors.New("it was one response")
			}
			b.add(message{}, "", err)
			return
		}
		for events := newEvents(res.Body); ; {
			m, err := events.next()
			if b.add(m, events.last, err); err != nil {
				return
			}
		}
	}()
	return b
}

// add keeps a message, or why there are no more.
func (b *Inbox) add(m message, event string, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended = err; err == nil {
		b.got = append(b.got, Incoming{
			At: time.Now(), Event: event, Method: m.Method, URI: m.Params.URI, Level: m.Params.Level, Task: m.Params.task(),
			ID: m.ID, Result: m.Result, Err: m.Error,
		})
	}
	close(b.news)
	b.news = make(chan struct{})
}
