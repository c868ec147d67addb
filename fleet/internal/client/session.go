package client

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// session is a client with a session.
type session struct {
	c *Conn
	b *Behaviour
	r *reader

	mu   sync.Mutex
	id   string
	uris []string
	last string // id of the last event of the stream

	streams int
}

func runSession(ctx context.Context, c *Conn, b *Behaviour) {
	s := &session{c: c, b: b, uris: b.choose()}
	s.r = newReader(c, b, s.current)
	go s.r.run(ctx)
	for ctx.Err() == nil {
		s.life(ctx)
		sleep(ctx, 200*time.Millisecond)
	}
}

func (s *session) current() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.id
}

// life opens a session and uses it until the server does not know it any more.
func (s *session) life(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	id, err := s.open(ctx)
	if err != nil {
		return
	}
	s.mu.Lock()
	s.id, s.last = id, ""
	uris := s.uris
	s.mu.Unlock()
	s.c.Seen.Restart(uris)
	up := make(chan struct{}, 1)
	over := make(chan struct{})
	go func() {
		defer close(over)
		s.follow(ctx, id, up)
		cancel()
	}()
	defer func() { <-over }()
	defer cancel()
	select {
	case <-up:
	case <-ctx.Done():
		return
	}
	for _, uri := range uris {
		if s.subscribe(ctx, id, uri) != nil {
			return
		}
	}
	for {
		stay, stop := s.b.until(ctx)
		<-stay.Done()
		stop()
		if ctx.Err() != nil || s.change(ctx, id) != nil {
			return
		}
	}
}

// open starts a session. It repeats the notification that follows while its errors may be those of a replica that has
// gone.
func (s *session) open(ctx context.Context) (string, error) {
	id, err := s.c.Open(ctx)
	for id != "" && err != nil && !gone(err) && sleep(ctx, 200*time.Millisecond) {
		err = s.c.initialized(ctx, id)
	}
	return id, err
}

// follow keeps the stream of the session open, until the server does not know the session any more. It says each time
// when the stream is up.
func (s *session) follow(ctx context.Context, id string, up chan<- struct{}) {
	for ctx.Err() == nil {
		s.streams++
		err := s.stream(ctx, id, s.streams, up)
		s.c.Seen.Ended(s.streams, err.Error())
		if gone(err) {
			return
		}
		sleep(ctx, 100*time.Millisecond)
	}
}

// stream reads one stream until it ends. Half of the clients ask for what they have missed; the others are told that
// everything may have changed.
func (s *session) stream(ctx context.Context, id string, n int, up chan<- struct{}) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	last := ""
	if n%2 == 0 {
		last = s.last
	}
	s.c.Seen.Open(n, "", nil)
	patience := time.AfterFunc(Patience, func() {
		s.c.Seen.Lost("GET", Patience)
		cancel()
	})
	defer patience.Stop()
	res, err := s.c.streams().get(ctx, id, last)
	if err != nil {
		return err
	}
	defer res.Body.Close() //nolint:errcheck // it was only read
	if !patience.Stop() {
		return ctx.Err()
	}
	select {
	case up <- struct{}{}:
	default:
	}
	events := newEvents(res.Body)
	for {
		m, err := events.next()
		if err != nil {
			return err
		}
		s.last = events.last
		if m.Method == "notifications/resources/updated" {
			s.c.Seen.Updated(n, "", m.Params.URI)
			s.r.mark(m.Params.URI)
		}
	}
}

// subscribe subscribes until the server says that it has, or that it does not know the session.
func (s *session) subscribe(ctx context.Context, id, uri string) error {
	s.c.Seen.Subscribe(uri)
	err := s.insist(ctx, id, "resources/subscribe", uri)
	if err == nil {
		s.r.mark(uri)
	}
	return err
}

// insist repeats a request while its errors may be those of a replica that has gone.
func (s *session) insist(ctx context.Context, id, method, uri string) error {
	for {
		err := s.c.Call(ctx, id, method, object{"uri": uri}, nil)
		if err == nil || gone(err) {
			return err
		}
		if !sleep(ctx, 200*time.Millisecond) {
			return errors.Join(err, ctx.Err())
		}
	}
}

// change subscribes to something else.
func (s *session) change(ctx context.Context, id string) error {
	next := s.b.choose()
	s.mu.Lock()
	before := s.uris
	s.uris = next
	s.mu.Unlock()
	for _, uri := range before {
		if slices.Contains(next, uri) {
			continue
		}
		s.c.Seen.Unsubscribe(uri)
		if err := s.insist(ctx, id, "resources/unsubscribe", uri); err != nil {
			return err
		}
		s.c.Seen.Unsubscribed(uri)
	}
	for _, uri := range next {
		if slices.Contains(before, uri) {
			continue
		}
		if err := s.subscribe(ctx, id, uri); err != nil {
			return err
		}
	}
	return nil
}
