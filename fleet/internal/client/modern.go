package client

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"time"
)

// Behaviour says what a client does.
type Behaviour struct {
	// URIs are those that the client chooses from, and Most how many of them it subscribes to at a time.
	URIs []string
	Most int
	// Change is how long the client stays with its choice on average; 0 means for ever.
	Change time.Duration
	// Hold says when it must not change its choice; nil means never.
	Hold func() bool
	// Pause is the time between two reads.
	Pause time.Duration
	// Always are the entries that a list has, whatever happens; nil means that the client does not list.
	Always []string
	Random *rand.Rand
	// Read is told what the client has read; nil means nobody.
	Read func(uri, text string)
}

// choose returns what to subscribe to next.
func (b *Behaviour) choose() []string {
	order := b.Random.Perm(len(b.URIs))
	out := make([]string, 0, b.Most)
	for _, i := range order[:min(b.Most, len(order))] {
		out = append(out, b.URIs[i])
	}
	return out
}

// until returns a context that ends when the client changes its mind.
func (b *Behaviour) until(ctx context.Context) (context.Context, context.CancelFunc) {
	if b.Change == 0 {
		return context.WithCancel(ctx)
	}
	ctx, cancel := context.WithCancel(ctx)
	after := b.Change/2 + time.Duration(b.Random.Int64N(int64(b.Change)))
	go func() {
		for sleep(ctx, after) {
			if b.Hold == nil || !b.Hold() {
				cancel()
			}
			after = 100 * time.Millisecond
		}
	}()
	return ctx, cancel
}

// Run is a client until ctx ends.
func Run(ctx context.Context, c *Conn, b *Behaviour) {
	if b.Always != nil {
		go list(ctx, c, b.Always)
	}
	switch c.Revision {
	case GoSDK:
		runSDK(ctx, c, b)
		return
	case TSSDK1, TSSDK2:
		runTS(ctx, c, b)
		return
	}
	if c.Revision != Modern {
		runSession(ctx, c, b)
		return
	}
	r := newReader(c, b, func() string { return "" })
	go r.run(ctx)
	stream := 0
	uris := b.choose()
	for ctx.Err() == nil {
		stay, cancel := b.until(ctx)
		for stay.Err() == nil {
			stream++
			how := listen(stay, c, r, stream, uris)
			c.Seen.Ended(stream, how)
			sleep(stay, 100*time.Millisecond)
		}
		cancel()
		uris = b.choose()
	}
}

const subscriptionID = "io.modelcontextprotocol/subscriptionId"

// listen opens one stream and reads what it names, until it ends.
func listen(ctx context.Context, c *Conn, r *reader, stream int, uris []string) (how string) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	tag := fmt.Sprint(stream)
	c.Seen.Open(stream, tag, uris)
	// Headers arrive with the acknowledgement.
	patience := time.AfterFunc(Patience, func() {
		c.Seen.Lost("subscriptions/listen", Patience)
		cancel()
	})
	defer patience.Stop()
	news := object{"resourceSubscriptions": uris, "resourcesListChanged": true, "toolsListChanged": true}
	params := object{"_meta": c.meta(), "notifications": news}
	res, err := c.streams().post(ctx, "", stream, "subscriptions/listen", params)
	if err != nil {
		return err.Error()
	}
	defer res.Body.Close() //nolint:errcheck // it was only read
	if !strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		text, _ := io.ReadAll(io.LimitReader(res.Body, 1<<10))
		return fmt.Sprintf("no stream: %s", text)
	}
	events := newEvents(res.Body)
	for {
		m, err := events.next()
		if err != nil {
			return err.Error()
		}
		patience.Stop()
		got := tagOf(m)
		switch m.Method {
		case "notifications/subscriptions/acknowledged":
			c.Seen.Acknowledged(stream)
			r.mark(uris...)
		case "notifications/resources/updated":
			c.Seen.Updated(stream, got, m.Params.URI)
			r.mark(m.Params.URI)
		case "":
			if m.Error != nil {
				return m.Error.Error()
			}
			return "the server has ended it"
		}
	}
}

// tagOf returns the id of the subscription that a message names.
func tagOf(m message) string {
	switch id := m.Params.Meta[subscriptionID].(type) {
	case float64:
		return fmt.Sprint(int64(id))
	case string:
		return id
	}
	return ""
}

// list reads all lists again and again, and tells what they had.
func list(ctx context.Context, c *Conn, always []string) {
	lister := NewConn(c.URL, Modern, c.Seen) // each page from another replica, and without a session
	for sleep(ctx, 700*time.Millisecond) {
		uris, err := lister.List(ctx, "")
		if err == nil {
			c.Seen.Listed(uris, always)
		}
	}
}
