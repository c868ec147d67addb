package redisbus

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/mcpgen/mcpgen/mcp/replica"
)

const (
	// pingEvery is how often a quiet server is asked whether it is there.
	pingEvery = 5 * time.Second
	// silence is how long it may say nothing, with that, until the connection is given up.
	silence = 3 * pingEvery
)

var _ replica.Bus = (*Bus)(nil)

// Bus is a [replica.Bus] on a channel of Redis. Each subscription has a connection of its own. Redis cuts off a
// subscriber that is too slow (client-output-buffer-limit pubsub), which then connects again and is told of the gap.
type Bus struct {
	client  redis.UniversalClient
	channel string
}

// NewBus returns a bus on a channel, such as "mcp:notes", that all replicas of one server and nobody else use. The
// error names an option of the client that does not do. The client belongs to the caller, who may use it for other
// things too.
func NewBus(client redis.UniversalClient, channel string) (*Bus, error) {
	if err := check(client); err != nil {
		return nil, err
	}
	if channel == "" {
		return nil, errors.New("redisbus: the channel has no name")
	}
	return &Bus{client: client, channel: channel}, nil
}

// Publish implements [replica.Bus]. The client may try several times, so a frame may arrive more than once.
func (b *Bus) Publish(ctx context.Context, frame []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return b.client.Publish(ctx, b.channel, frame).Err()
}

// Subscribe implements [replica.Bus]. It goes on with a new connection if one is lost, and fails when ctx ends, no
// connection can be made, the client is closed or Redis refuses the subscription.
func (b *Bus) Subscribe(ctx context.Context, receive func(frame []byte), gap func()) error {
	for {
		s := &subscription{receive: receive, gap: gap, pubsub: b.client.Subscribe(ctx, b.channel)}
		err := s.run(ctx)
		if !errors.Is(err, errSilent) {
			return err
		}
	}
}

// errSilent means that the server said nothing for too long.
var errSilent = errors.New("redisbus: the server does not answer")

// subscription is a call of Subscribe, until the server hangs. The client makes lost connections again, and subscribes.
type subscription struct {
	pubsub  *redis.PubSub
	receive func([]byte)
	gap     func()
	waiting atomic.Int64 // since when run waits for the server, in Unix nanoseconds; 0 while a function of the caller runs
	silent  atomic.Bool
}

// run calls receive and gap until something fails that a new connection does not mend.
func (s *subscription) run(ctx context.Context) error {
	stop := make(chan struct{})
	stopped := make(chan struct{})
	go s.watch(ctx, stop, stopped)
	defer func() { <-stopped }()
	defer close(stop)
	fresh := true // a connection has been made, or was not lost since
	for {
		s.waiting.Store(time.Now().UnixNano())
		event, err := s.pubsub.Receive(ctx)
		s.waiting.Store(0)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			if s.silent.Load() {
				return errSilent
			}
			if refused := redis.Error(nil); !fresh || errors.As(err, &refused) || errors.Is(err, redis.ErrClosed) {
				return err
			}
			fresh = false
			continue
		}
		fresh = true
		switch event := event.(type) {
		case *redis.Subscription: // the server has confirmed it; this is the first one, or that of a new connection
			s.gap()
		case *redis.Message:
			s.receive([]byte(event.Payload))
		case *redis.Pong:
		default:
			return fmt.Errorf("redisbus: the client returned a %T", event)
		}
	}
}

// watch closes the connection when ctx ends, run has ended, or the server says nothing for too long.
func (s *subscription) watch(ctx context.Context, stop, stopped chan struct{}) {
	defer close(stopped)
	defer s.pubsub.Close() //nolint:errcheck // it is closed in any case
	pings := time.NewTicker(pingEvery)
	defer pings.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-stop:
			return
		case <-pings.C:
		}
		since := s.waiting.Load()
		if since > 0 && time.Since(time.Unix(0, since)) > silence {
			s.silent.Store(true)
			return
		}
		_ = s.pubsub.Ping(ctx) // if it fails, the server is silent, or run fails too
	}
}
