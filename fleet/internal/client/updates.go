package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// Open opens a session. There may be an id beside an error: then the server has answered initialize, and not taken the
// notification that follows.
func (c *Conn) Open(ctx context.Context) (id string, err error) {
	header, err := c.call(ctx, "", "initialize", object{
		"protocolVersion": c.Revision, "capabilities": c.capabilities(),
		"clientInfo": object{"name": "fleet", "version": "1"},
	}, nil)
	if err != nil {
		return "", err
	}
	id = header.Get("Mcp-Session-Id")
	res, err := c.post(ctx, id, nil, "notifications/initialized", object{})
	if err != nil {
		return id, err
	}
	return id, res.Body.Close()
}

// Updates subscribes to one resource, and returns a channel of a few updates, which is closed when the stream ends. The
// session is "" for the newest revision. If there was a subscription before, it is not made again.
func (c *Conn) Updates(ctx context.Context, session, uri string, before bool) (<-chan string, error) {
	var res *http.Response
	var err error
	if session == "" {
		res, err = c.post(ctx, "", 1, "subscriptions/listen", object{ //nolint:bodyclose // closed with the channel
			"_meta": c.meta(), "notifications": object{"resourceSubscriptions": []string{uri}},
		})
	} else {
		res, err = c.get(ctx, session) //nolint:bodyclose // closed with the channel
		if err == nil && !before {
			err = c.Call(ctx, session, "resources/subscribe", object{"uri": uri}, nil)
		}
	}
	if err != nil {
		return nil, err
	}
	if !strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		_ = res.Body.Close()
		return nil, errors.New("no stream")
	}
	events := newEvents(res.Body)
	for session == "" {
		m, err := events.next()
		if err != nil || m.Error != nil {
			return nil, fmt.Errorf("no acknowledgement: %w", errors.Join(err, asError(m.Error)))
		}
		if m.Method == "notifications/subscriptions/acknowledged" {
			break
		}
	}
	updates := make(chan string, 1_000)
	go func() {
		defer res.Body.Close() //nolint:errcheck // it was only read
		defer close(updates)
		for {
			m, err := events.next()
			if err != nil {
				return
			}
			if m.Method == "notifications/resources/updated" {
				updates <- m.Params.URI
			}
		}
	}()
	return updates, nil
}

// get opens the stream of a session.
func (c *Conn) get(ctx context.Context, session string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.URL, nil)
	if err != nil {
		return nil, err
	}
	c.header(req, session)
	req.Header.Set("Accept", "text/event-stream")
	res, err := c.HTTP.Do(req)
	if err != nil {
		return nil, err
	}
	if res.StatusCode != http.StatusOK {
		_ = res.Body.Close()
		return nil, &StatusError{Code: res.StatusCode}
	}
	return res, nil
}

// asError returns an error, and not one that is nil inside.
func asError(e *RPCError) error {
	if e == nil {
		return nil
	}
	return e
}
