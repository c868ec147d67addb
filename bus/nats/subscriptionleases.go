package natsbus

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/mcp/event"
)

// leasesKey is the key of all leases together, in the bucket of progress. They are some hundred at most.
const leasesKey = "l"

// Leases implements [event.Store].
func (s *Subscriptions) Leases(ctx context.Context) ([]event.Lease, error) {
	stream, err := s.progress.open(ctx)
	if err != nil {
		return nil, err
	}
	held, _, err := s.leases(ctx, stream)
	return slices.Collect(maps.Values(held)), err
}

// leases returns the leases by their names, and the sequence of their message.
func (s *Subscriptions) leases(
	ctx context.Context, stream jetstream.Stream,
) (held map[string]event.Lease, version uint64, err error) {
	held = map[string]event.Lease{}
	m, err := stream.GetLastMsgForSubject(ctx, s.progress.subject+leasesKey)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return held, 0, nil
	}
	if err == nil {
		version, err = m.Sequence, json.Unmarshal(m.Data, &held)
	}
	if err != nil {
		return nil, 0, s.progress.failed(err)
	}
	return held, version, nil
}

// Take implements [event.Store].
func (s *Subscriptions) Take(ctx context.Context, leases []event.Lease) (taken []event.Lease, err error) {
	stream, err := s.progress.open(ctx)
	if err != nil {
		return nil, err
	}
	for {
		held, version, err := s.leases(ctx, stream)
		if err != nil {
			return nil, err
		}
		taken = nil
		for _, l := range leases {
			if held[l.Name].Beat == l.Beat {
				l.Beat++
				held[l.Name] = l
				taken = append(taken, l)
			}
		}
		if len(taken) == 0 {
			return nil, nil
		}
		text, err := json.Marshal(held)
		if err != nil {
			return nil, err
		}
		if _, err = s.progress.publish(ctx, leasesKey, text, version); !errors.Is(err, errConflict) {
			return taken, err
		}
	}
}
