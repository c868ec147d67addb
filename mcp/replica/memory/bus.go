// Package memory has a bus and a session store within one process, for tests and examples. Servers of one process that
// share them behave like replicas of one server. Nothing is durable.
package memory

import (
	"bytes"
	"context"
	"errors"
	"sync"

	"github.com/mcpgen/mcpgen/mcp/replica"
)

// These limits bound the frames that a subscription holds while its receiver is busy. A frame that does not fit is
// lost, and gap is called.
const (
	maxFrames = 4096
	maxBytes  = 16 << 20
)

var _ replica.Bus = (*Bus)(nil)

// Bus is a [replica.Bus] between servers of one process. Its zero value is ready to use.
type Bus struct {
	mu            sync.Mutex
	subscriptions map[*subscription]struct{}
}

// Publish hands a frame to every subscription. It never blocks. The error is ctx.Err(), or says that the frame is too
// large.
func (b *Bus) Publish(ctx context.Context, frame []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if len(frame) > replica.MaxFrame {
		return errors.New("memory: the frame is larger than replica.MaxFrame")
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for s := range b.subscriptions {
		s.add(frame)
	}
	return nil
}

// Subscribe implements [replica.Bus]. It fails only when ctx ends.
func (b *Bus) Subscribe(ctx context.Context, receive func(frame []byte), gap func()) error {
	s := &subscription{dropped: true, wake: make(chan struct{}, 1)}
	b.mu.Lock()
	if b.subscriptions == nil {
		b.subscriptions = make(map[*subscription]struct{})
	}
	b.subscriptions[s] = struct{}{}
	b.mu.Unlock()
	defer func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.subscriptions, s)
	}()
	for ctx.Err() == nil {
		frames, lost := s.take()
		if lost {
			gap()
		}
		for _, frame := range frames {
			if ctx.Err() != nil {
				break
			}
			receive(frame)
		}
		if lost || len(frames) > 0 {
			continue
		}
		select {
		case <-ctx.Done():
		case <-s.wake:
		}
	}
	return ctx.Err()
}

// subscription holds the frames that one call of Subscribe has not received yet.
type subscription struct {
	wake chan struct{} // has an element if there may be something to take

	mu      sync.Mutex
	frames  [][]byte
	bytes   int
	dropped bool
}

func (s *subscription) add(frame []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.frames) == maxFrames || s.bytes+len(frame) > maxBytes {
		s.dropped = true
		return
	}
	s.frames = append(s.frames, bytes.Clone(frame))
	s.bytes += len(frame)
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// take removes and returns all frames, and reports whether some were lost since the last call.
func (s *subscription) take() ([][]byte, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	frames, lost := s.frames, s.dropped
	s.frames, s.bytes, s.dropped = nil, 0, false
	return frames, lost
}
