package client

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

// reader reads what may have changed, one resource at a time.
type reader struct {
	c *Conn
	// read reads a resource.
	read func(ctx context.Context, uri string) (string, error)
	b    *Behaviour

	mu    sync.Mutex
	dirty map[string]bool
	wake  chan struct{}
	reads int
}

func newReader(c *Conn, b *Behaviour, session func() string) *reader {
	read := func(ctx context.Context, uri string) (string, error) { return c.Read(ctx, session(), uri) }
	return &reader{c: c, read: read, b: b, dirty: map[string]bool{}, wake: make(chan struct{}, 1)}
}

// mark says that resources may have changed.
func (r *reader) mark(uris ...string) {
	r.mu.Lock()
	for _, uri := range uris {
		r.dirty[uri] = true
	}
	r.mu.Unlock()
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// take returns a resource to read.
func (r *reader) take() (string, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, uri := range slices.Sorted(maps.Keys(r.dirty)) {
		delete(r.dirty, uri)
		r.reads++
		return uri, true
	}
	return "", false
}

// run reads until ctx ends.
func (r *reader) run(ctx context.Context) {
	for ctx.Err() == nil {
		uri, ok := r.take()
		if !ok {
			select {
			case <-ctx.Done():
			case <-r.wake:
			}
			continue
		}
		text, err := r.read(ctx, uri)
		if err != nil {
			r.mark(uri) // it was said to have changed, and still is to be read
			sleep(ctx, 200*time.Millisecond)
			continue
		}
		r.c.Seen.Read(uri, text)
		if r.b.Read != nil {
			r.b.Read(uri, text)
		}
		sleep(ctx, r.b.Pause)
	}
}

// Read reads the text of a resource.
func (c *Conn) Read(ctx context.Context, session, uri string) (string, error) {
	var out struct {
		Contents []struct {
			URI, Text string
		}
	}
	if err := c.Call(ctx, session, "resources/read", object{"uri": uri}, &out); err != nil {
		return "", err
	}
	if len(out.Contents) != 1 || out.Contents[0].URI != uri {
		return "", fmt.Errorf("%s: contents of %v", uri, out.Contents)
	}
	return out.Contents[0].Text, nil
}

// List reads all pages of resources/list, one after the other, from whoever answers.
func (c *Conn) List(ctx context.Context, session string) ([]string, error) {
	var uris []string
	params := object{}
	for range 200 {
		var out struct {
			Resources  []struct{ URI string }
			NextCursor string
		}
		if err := c.Call(ctx, session, "resources/list", params, &out); err != nil {
			return nil, err
		}
		for _, r := range out.Resources {
			uris = append(uris, r.URI)
		}
		if out.NextCursor == "" {
			return uris, nil
		}
		params = object{"cursor": out.NextCursor}
	}
	return uris, fmt.Errorf("a list without end: %d entries", len(uris))
}

// Tool calls a tool and returns its first text.
func (c *Conn) Tool(ctx context.Context, session, name string, args map[string]any) (string, error) {
	var out struct {
		Content []struct{ Text string }
		IsError bool
	}
	if err := c.Call(ctx, session, "tools/call", object{"name": name, "arguments": args}, &out); err != nil {
		return "", err
	}
	text := ""
	if len(out.Content) > 0 {
		text = out.Content[0].Text
	}
	if out.IsError {
		return "", fmt.Errorf("%s: %s", name, text)
	}
	return text, nil
}
