package client

import (
	"context"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// GoSDK is the name of the client of the official Go SDK, beside the revisions.
const GoSDK = "go-sdk"

// runSDK is a client of the official Go SDK until ctx ends: it opens a session again when the SDK says that it is
// closed. It speaks 2025-11-25. In 2026-07-28 Subscribe of v1.8.0 opens a listen for each resource, tells nobody when
// that has ended, and does nothing when it is called again: a client that cannot know that its streams have ended is
// not judged.
func runSDK(ctx context.Context, c *Conn, b *Behaviour) {
	uris := b.choose()
	for n := 1; ctx.Err() == nil; n++ {
		sessionOfSDK(ctx, c, b, n, uris)
		sleep(ctx, 200*time.Millisecond)
	}
}

// insist makes an error of a response to GET that is no stream, such as the 503 of a replica whose store is away, or
// the 502 of a balancer. Without it v1.8.0 goes on without a stream if that happens to its first GET, and tells
// nobody.
var insist = &http.Client{Transport: streamOrError{}}

type streamOrError struct{}

// RoundTrip implements http.RoundTripper.
func (streamOrError) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := http.DefaultTransport.RoundTrip(r)
	if err == nil && r.Method == http.MethodGet && res.StatusCode >= http.StatusInternalServerError {
		_ = res.Body.Close()
		return nil, &StatusError{Code: res.StatusCode}
	}
	return res, err
}

// patienceOfSDK is after how long a request of the SDK is sent again. If the event stream of a response breaks before
// it has had an id, because its replica was killed, v1.8.0 tells nobody, and the caller waits for as long as its
// context lasts.
const patienceOfSDK = 10 * time.Second

func sessionOfSDK(ctx context.Context, c *Conn, b *Behaviour, n int, uris []string) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r := newReader(c, b, nil)
	client := mcp.NewClient(&mcp.Implementation{Name: "fleet", Version: "1"}, &mcp.ClientOptions{
		ResourceUpdatedHandler: func(_ context.Context, u *mcp.ResourceUpdatedNotificationRequest) {
			c.Seen.Updated(n, "", u.Params.URI)
			r.mark(u.Params.URI)
		},
	})
	c.Seen.Restart(uris)
	c.Seen.Open(n, "", nil)
	s, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: c.URL, HTTPClient: insist},
		&mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		return
	}
	defer s.Close() //nolint:errcheck // the next session begins
	go func() {
		_ = s.Wait()
		cancel()
	}()
	r.read = func(ctx context.Context, uri string) (string, error) {
		ctx, cancel := context.WithTimeout(ctx, patienceOfSDK)
		defer cancel()
		res, err := s.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
		if ctx.Err() != nil {
			c.Seen.Logf("no answer to a read of %s", uri)
		}
		if err != nil || len(res.Contents) == 0 {
			return "", err
		}
		return res.Contents[0].Text, nil
	}
	subscribe := func(uri string) error {
		ctx, cancel := context.WithTimeout(ctx, patienceOfSDK)
		defer cancel()
		return s.Subscribe(ctx, &mcp.SubscribeParams{URI: uri})
	}
	for _, uri := range uris {
		for subscribe(uri) != nil {
			if !sleep(ctx, 200*time.Millisecond) {
				return
			}
		}
		r.mark(uri)
	}
	r.run(ctx)
}
