package attack

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"
)

// events is the stream of a session of HTTP+SSE. It is read by whoever waits for a response, and else by nobody.
type events struct {
	*conn
	patience time.Duration

	mu      sync.Mutex // held while the stream is read
	lines   *bufio.Reader
	arrived map[string]answered // responses that others wait for, by id
	err     error
}

// openEvents opens a session of HTTP+SSE from an address; small limits its receive buffer.
func (w *way) openEvents(ctx context.Context, from, revision string, small bool) (to address, err error) {
	to = w.to
	to.session, to.revision = "", revision
	c, err := w.dial(ctx, from)
	if err != nil {
		return to, err
	}
	if small {
		c.limit()
	}
	to.events = &events{conn: c, patience: w.patience, arrived: map[string]answered{}}
	if to.session, err = to.events.begin(&to); err == nil {
		err = w.greet(ctx, from, &to)
	}
	if err != nil {
		_ = c.Close()
	}
	return to, err
}

// begin sends GET, and returns the path in the first event.
func (e *events) begin(to *address) (path string, err error) {
	get := Message{Method: "GET"}
	e.send(get.text(to, 0), e.patience)
	resp, err := http.ReadResponse(e.r, nil)
	if err != nil {
		return "", err
	}
	if resp.StatusCode != http.StatusOK {
		return "", fmt.Errorf("GET: %d", resp.StatusCode)
	}
	e.lines = bufio.NewReader(resp.Body)
	h, err := readData(e.lines)
	if err != nil {
		return "", err
	}
	return h.text(), nil
}

// greet sends initialize and what follows.
func (w *way) greet(ctx context.Context, from string, to *address) error {
	c, err := w.dial(ctx, from)
	if err != nil {
		return err
	}
	defer c.Close()
	c.send(initialize(to.revision, to.capabilities).text(to, 0), w.patience)
	if kind, text := to.events.reply(c, `"open"`, Reply); kind != "result" {
		return fmt.Errorf("initialize: %s %.200s", kind, text)
	}
	if kind, _, _ := w.exchange(c, to, initialized, Reply); kind != "202" {
		return fmt.Errorf("notifications/initialized: %s", kind)
	}
	return nil
}

// reply reads what a POST on c is answered with and, if it was accepted, the response on the stream. The kind is that
// of the response as on stdio, or that of a POST which was refused.
func (e *events) reply(c *conn, id string, how Reading) (kind, text string) {
	if how == Head {
		kind, _, text = c.read(Head)
		return kind, text
	}
	kind, _, text = c.read(Reply)
	if kind != "202" || id == "" {
		return kind, text
	}
	return e.await(id, how)
}

// await reads the stream until the response with an id has come or, if how is FirstEvent, anything.
func (e *events) await(id string, how Reading) (kind, text string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	_ = e.SetReadDeadline(time.Now().Add(e.patience))
	for {
		if a, ok := e.arrived[id]; ok {
			delete(e.arrived, id)
			return a.kind, a.text
		}
		if e.err != nil {
			return ended(e.err), ""
		}
		h, err := readData(e.lines)
		if e.err = err; err != nil {
			continue
		}
		kind, text = h.kind(), h.text()
		if how == FirstEvent && !strings.HasPrefix(text, "[") {
			return "event", text
		}
		if kind != "" {
			e.arrived[h.id()] = answered{kind, text}
		}
		if strings.HasPrefix(text, "[") && id == "[" {
			return kind, text
		}
	}
}

// limit limits the receive buffer, so that what is not read fills the server.
func (c *conn) limit() {
	if tcp, ok := c.Conn.(interface{ SetReadBuffer(bytes int) error }); ok {
		_ = tcp.SetReadBuffer(4 << 10)
	}
}
