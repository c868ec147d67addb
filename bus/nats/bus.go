package natsbus

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/mcpgen/mcpgen/internal/dev/failpoint"
	"github.com/mcpgen/mcpgen/mcp/replica"
)

// What a subscription holds for a receiver that is busy; what does not fit is lost, and gap is called.
const (
	maxFrames = 16 << 10
	maxBytes  = 64 << 20
)

const (
	// confirmWithin is how long the server may take to confirm a subscription until it is asked again.
	confirmWithin = 5 * time.Second
	// settle is how long the servers of a cluster may take to tell each other of a subscription. A client cannot ask.
	settle = 2 * time.Second
	// pause is the time between two such questions if the first one fails at once.
	pause = 100 * time.Millisecond
)

var _ replica.Bus = (*Bus)(nil)

// Bus is a [replica.Bus] on a subject of core NATS. The server must let its user publish and subscribe there, with
// frames of up to [replica.MaxFrame] bytes (max_payload, whose default this is).
type Bus struct {
	conn    *nats.Conn
	subject string
	idle    chan struct{} // has an element while nobody publishes
}

// NewBus returns a bus on a subject, such as "mcp.notes", that all replicas of one server and nobody else use. The
// error names an option that the connection should have; one by [Connect] has all of them. The connection belongs to
// the caller, who may use it for other things too.
func NewBus(conn *nats.Conn, subject string) (*Bus, error) {
	if err := check(conn); err != nil {
		return nil, err
	}
	for token := range strings.SplitSeq(subject, ".") {
		if token == "" || strings.ContainsAny(token, " \t\r\n*>") || strings.HasPrefix(subject, "$") {
			return nil, fmt.Errorf("natsbus: %q is no subject to publish to: want words with dots between them", subject)
		}
	}
	b := &Bus{conn: conn, subject: subject, idle: make(chan struct{}, 1)}
	b.idle <- struct{}{}
	return b, nil
}

// Publish implements [replica.Bus]. Without a connection it fails at once. If the server hangs, one call may take the
// FlusherTimeout of the connection, whatever ctx says.
func (b *Bus) Publish(ctx context.Context, frame []byte) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-b.idle:
	}
	defer func() { b.idle <- struct{}{} }()
	if err := ctx.Err(); err != nil {
		return err
	}
	err := b.conn.Publish(b.subject, frame)
	if errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(b.conn.LastError(), os.ErrDeadlineExceeded) {
		// A part of something may have been written, so the server would take what follows for the rest of it.
		return errors.Join(os.ErrDeadlineExceeded, b.conn.ForceReconnect())
	}
	return err
}

// Subscribe implements [replica.Bus]. It goes on over lost connections, and fails when ctx ends, the connection is
// closed or the server refuses the subscription. On a cluster it calls gap a second time, two seconds after it has
// become live: until then a frame that is published at another server may miss the subscription.
func (b *Bus) Subscribe(ctx context.Context, receive func(frame []byte), gap func()) error {
	sub, err := b.conn.SubscribeSync(b.subject)
	if err != nil {
		return b.because(err)
	}
	defer sub.Unsubscribe() //nolint:errcheck // a connection that is gone has no subscriptions
	if err := sub.SetPendingLimits(maxFrames, maxBytes); err != nil {
		return b.because(err)
	}
	status := b.conn.StatusChanged(nats.CONNECTED, nats.CLOSED)
	defer b.conn.RemoveStatusListener(status)
	f := &flow{bus: b, sub: sub, receive: receive, gap: gap, settled: -1}
	for {
		made, err := b.confirm(ctx, status)
		if err != nil {
			return b.because(err)
		}
		if made == 0 || !failpoint.On("nats-gap-after-reconnect") {
			gap()
		}
		if err := f.run(ctx, status, made); err != nil {
			return b.because(err)
		}
	}
}

// because adds to an error why the connection was closed.
func (b *Bus) because(err error) error {
	if last := b.conn.LastError(); errors.Is(err, nats.ErrConnectionClosed) && last != nil && !errors.Is(err, last) {
		return fmt.Errorf("%w: %w", err, last)
	}
	return err
}

// made returns how often the connection was made again.
func (b *Bus) made() uint64 { return b.conn.Stats().Reconnects }

// confirm waits until a server has answered after it got all subscriptions of the connection, and returns which
// connection that was.
func (b *Bus) confirm(ctx context.Context, status <-chan nats.Status) (uint64, error) {
	for ctx.Err() == nil {
		made := b.made()
		err := b.flush(ctx)
		switch {
		case b.conn.IsClosed():
			return 0, nats.ErrConnectionClosed
		case err == nil && b.made() == made:
			return made, nil
		}
		select {
		case <-ctx.Done():
		case <-status:
		case <-time.After(pause):
		}
	}
	return 0, ctx.Err()
}

func (b *Bus) flush(ctx context.Context) error {
	if !b.conn.IsConnected() {
		return nats.ErrDisconnected
	}
	ctx, cancel := context.WithTimeout(ctx, confirmWithin)
	defer cancel()
	return b.conn.FlushWithContext(ctx)
}

// flow is a subscription and its receiver.
type flow struct {
	bus     *Bus
	sub     *nats.Subscription
	receive func([]byte)
	gap     func()
	settled int64 // the connection, as in made, whose subscription all servers know; -1 if none
	dropped int   // frames that did not fit, of which the receiver knows
	behind  int   // frames received since others did not fit
}

// run hands frames to the receiver until the connection is made again, or the servers of a cluster have settled, which
// is no error.
func (f *flow) run(ctx context.Context, status <-chan nats.Status, made uint64) error {
	same, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan struct{})
	defer func() { <-ended }()
	defer cancel() // before the wait
	go func() {
		defer close(ended)
		defer cancel()
		var settled <-chan time.Time
		if f.bus.conn.ConnectedClusterName() != "" && f.settled != int64(made) {
			t := time.NewTimer(settle)
			defer t.Stop()
			settled = t.C
		}
		for f.bus.made() == made && !f.bus.conn.IsClosed() {
			select {
			case <-same.Done():
				return
			case <-status:
			case <-settled:
				f.settled = int64(made)
				return
			}
		}
	}()
	for {
		msg, err := f.sub.NextMsgWithContext(same)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil:
			f.receive(msg.Data)
			f.noteDropped()
		case same.Err() != nil:
			return nil
		case !errors.Is(err, nats.ErrSlowConsumer): // that one is noted with the next frame
			return err
		}
	}
}

// noteDropped calls gap if frames did not fit, when those that did are received. A receiver that stays behind gets one
// call for as many frames as fit.
func (f *flow) noteDropped() {
	dropped, err := f.sub.Dropped()
	if err != nil || dropped == f.dropped || failpoint.On("nats-slow-unseen") {
		return
	}
	waiting, _, err := f.sub.Pending()
	if f.behind++; err != nil || waiting == 0 || f.behind >= maxFrames {
		f.dropped, f.behind = dropped, 0
		f.gap()
	}
}
