package natsbus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/mcp/event"
)

var _ event.Store = (*Subscriptions)(nil)

// SubscriptionsOptions are the properties of buckets that are made. The zero value is two in files on one server.
type SubscriptionsOptions struct {
	Replicas int                   // how many servers of the cluster keep each record; 0 is 1
	Storage  jetstream.StorageType // file or memory
}

// Subscriptions is an [event.Store] in two buckets of JetStream's key-value store. All requests go to the leader of a
// bucket, so they see every change. It is as durable as the buckets: those in files survive kill -9 of the server; for
// a loss of power see sync_interval of the server, or use replicas. The zero value is of no use.
//
// A change takes two requests, one that makes a subscription live three, and one that ends it three. Progress takes
// three. [Subscriptions.Changed] takes one request if nothing has changed, and else one for each record that has.
// [Subscriptions.List] has the server look at the keys of all, and so has [Subscriptions.Put] for who has as many as it
// may have. [Subscriptions.Expire] takes one request for each record that was written since it was called last. A
// handle keeps about 200 bytes for each record.
type Subscriptions struct {
	records  *bucket
	progress *bucket
	making   chan struct{} // who has it looks for room and makes a subscription live: one handle exceeds no limit by more
	seen     view
}

// NewSubscriptions returns a store in the buckets NAME and NAME-progress, which the first use makes if there are none.
// All replicas give the same name, of letters, digits, - and _, and the buckets hold nothing else. It does not wait
// for a server.
func NewSubscriptions(js jetstream.JetStream, name string, options SubscriptionsOptions) (*Subscriptions, error) {
	c := jetstream.StreamConfig{
		Description: "webhook subscriptions of an MCP server", Storage: options.Storage, Replicas: options.Replicas,
	}
	records, err := newBucket(js, name, c)
	if err != nil {
		return nil, err
	}
	progress, err := newBucket(js, name+"-progress", c)
	if err != nil {
		return nil, err
	}
	return &Subscriptions{
		records: records, progress: progress, making: make(chan struct{}, 1),
		seen: view{turn: make(chan struct{}, 1), records: map[string]sighted{}, live: map[string]int{}},
	}, nil
}

// Lasting implements [event.Store].
func (s *Subscriptions) Lasting() bool { return true }

// Put implements [event.Store].
func (s *Subscriptions) Put(
	ctx context.Context, sub *event.Subscription, p *event.Progress, limits event.SubscriptionLimits,
) error {
	if !validSubscription.MatchString(sub.ID) {
		return fmt.Errorf("natsbus: the id of a subscription has 1 to %d bytes of base64url", event.MaxSubscriptionID)
	}
	stream, err := s.records.open(ctx)
	if err != nil {
		return err
	}
	old, err := s.find(ctx, stream, sub.ID)
	switch {
	case err != nil:
		return err
	case old.version != sub.Version:
		return event.ErrChanged
	}
	if sub.State == event.Live && !old.live {
		leave, err := s.room(ctx, stream, sub.Principal, limits)
		if err != nil {
			return err
		}
		defer leave()
		// First: who dies now leaves a count that is too high until the record is removed, not one that is too low.
		if old.version > 0 {
			if err := s.records.purge(ctx, stream, over+old.key()); err != nil {
				return err
			}
		}
	}
	next, err := s.write(ctx, sub, p, old)
	if err != nil {
		return err
	}
	sub.Version, sub.Birth = next.version, next.birth
	if p != nil {
		p.ID, p.Birth = sub.ID, sub.Birth
	}
	if !next.live {
		// What was written is written. Without this message the count is too high until the record is removed.
		_, _ = s.records.js.Publish(ctx, s.records.subject+over+next.key(), nil)
	}
	return nil
}

// room waits for the turn of the caller and returns an error if a principal may not have one more that is live. The
// caller calls leave once it has written.
func (s *Subscriptions) room(
	ctx context.Context, stream jetstream.Stream, principal string, limits event.SubscriptionLimits,
) (leave func(), err error) {
	if leave, err = turn(ctx, s.making); err != nil {
		return nil, err
	}
	own, all, ok, err := s.guess(ctx, stream, hashOf(principal))
	if err == nil && (!ok || limits.Check(own, all) != nil) {
		own, all, err = s.count(ctx, stream, hashOf(principal))
	}
	if err == nil {
		err = limits.Check(own, all)
	}
	if err != nil {
		leave()
		return nil, err
	}
	return leave, nil
}

// turn waits until nobody else has the turn.
func turn(ctx context.Context, of chan struct{}) (leave func(), err error) {
	select {
	case of <- struct{}{}:
		return func() { <-of }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// count returns how many live subscriptions a principal has, and how many all have.
func (s *Subscriptions) count(ctx context.Context, stream jetstream.Stream, hash string) (own, all int, err error) {
	_, records, ended, err := s.keys(ctx, stream, "*.*.*."+hash)
	if err != nil {
		return 0, 0, err
	}
	own = len(records) - len(ended)
	info, _, ended, err := s.keys(ctx, stream, over+">")
	if err != nil {
		return 0, 0, err
	}
	return own, int(info.State.Msgs) - 2*len(ended), nil
}

// keys returns the keys of records, and of those that are not live, whose subjects match a filter.
func (s *Subscriptions) keys(
	ctx context.Context, stream jetstream.Stream, filter string,
) (info *jetstream.StreamInfo, records, ended []string, err error) {
	info, err = stream.Info(ctx, jetstream.WithSubjectFilter(s.records.subject+filter))
	if err != nil {
		return nil, nil, nil, s.records.failed(err)
	}
	for subject := range info.State.Subjects {
		key := strings.TrimPrefix(subject, s.records.subject)
		if id, found := strings.CutPrefix(key, record); found {
			records = append(records, id)
		} else if id, found := strings.CutPrefix(key, over); found {
			ended = append(ended, id)
		}
	}
	return info, records, ended, nil
}

// Get implements [event.Store].
func (s *Subscriptions) Get(ctx context.Context, id string) (*event.Subscription, *event.Progress, error) {
	stream, err := s.records.open(ctx)
	if err != nil {
		return nil, nil, err
	}
	if !validSubscription.MatchString(id) {
		return nil, nil, event.ErrNoSubscription
	}
	h, err := s.find(ctx, stream, id)
	if err != nil {
		return nil, nil, err
	}
	if h.version == 0 {
		return nil, nil, event.ErrNoSubscription
	}
	stored, err := s.stored(ctx, []*held{h})
	if err != nil {
		return nil, nil, err
	}
	return stored[0].Subscription, stored[0].Progress, nil
}

// Save implements [event.Store].
func (s *Subscriptions) Save(ctx context.Context, progress []*event.Progress) (refused []string, err error) {
	records, err := s.records.open(ctx)
	if err != nil {
		return nil, err
	}
	stream, err := s.progress.open(ctx)
	if err != nil {
		return nil, err
	}
	kept := make([]bool, len(progress))
	err = together(len(progress), func(i int) (err error) {
		kept[i], err = s.save(ctx, records, stream, progress[i])
		return err
	})
	if err != nil {
		return nil, err
	}
	for i, p := range progress {
		if !kept[i] {
			refused = append(refused, p.ID)
		}
	}
	return refused, nil
}

// save keeps the progress of one, and reports whether it did.
func (s *Subscriptions) save(
	ctx context.Context, records, stream jetstream.Stream, p *event.Progress,
) (kept bool, err error) {
	text, err := json.Marshal(p)
	if err != nil || !validSubscription.MatchString(p.ID) {
		return false, err
	}
	for {
		h, err := s.find(ctx, records, p.ID)
		if err != nil || h.version == 0 || h.birth != p.Birth {
			return false, err
		}
		old, version, err := s.progressOf(ctx, stream, p.ID)
		if err != nil {
			return false, err
		}
		if old != nil && (old.Birth > p.Birth || old.Birth == p.Birth && old.Fence > p.Fence) {
			return false, nil
		}
		next, err := s.progress.publish(ctx, progressKey+p.ID, text, version)
		if errors.Is(err, errConflict) {
			continue // another replica was faster, or the subscription was removed
		}
		if err != nil || version > 0 {
			return err == nil, err
		}
		// The subscription may have been removed since it was found. Then nobody would remove its progress.
		if h, err = s.find(ctx, records, p.ID); err == nil && h.version == 0 {
			return false, s.progress.drop(ctx, stream, next)
		}
		return err == nil, err
	}
}

// Changed implements [event.Store].
func (s *Subscriptions) Changed(ctx context.Context, shards []int, after uint64, limit int) ([]event.Stored, error) {
	stream, err := s.records.open(ctx)
	if err != nil || len(shards) == 0 {
		return nil, err
	}
	found, _, err := s.walk(ctx, stream, after, limit, func(h *held) bool { return slices.Contains(shards, h.shard) })
	if err != nil {
		return nil, err
	}
	return s.stored(ctx, found)
}

// List implements [event.Store].
func (s *Subscriptions) List(ctx context.Context, principal, after string, limit int) (out []event.Stored, err error) {
	stream, err := s.records.open(ctx)
	if err != nil {
		return nil, err
	}
	filter := record + ">"
	if principal != "" {
		filter = record + "*.*." + hashOf(principal)
	}
	_, keys, _, err := s.keys(ctx, stream, filter)
	if err != nil {
		return nil, err
	}
	slices.Sort(keys)
	keys = slices.DeleteFunc(keys, func(key string) bool { return idOf(key) <= after })
	for len(keys) > 0 && len(out) < limit {
		n := min(len(keys), limit-len(out))
		some, err := s.read(ctx, stream, keys[:n])
		if err != nil {
			return nil, err
		}
		keys, out = keys[n:], append(out, some...)
	}
	return out, nil
}
