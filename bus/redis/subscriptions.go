package redisbus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/mcpgen/mcpgen/mcp/event"
)

var _ event.Store = (*Subscriptions)(nil)

// Subscriptions is an [event.Store] in Redis, with a hash for each record and sorted sets as indexes. Every change is
// one script, so a reader sees all of it or nothing, and limits are exact. It is as durable as the server: with
// "appendonly yes" and "appendfsync always" a change that was confirmed survives a loss of power; a failover to a
// replica of Redis may lose what came last.
type Subscriptions struct{ keys }

// NewSubscriptions returns a store in the keys that begin with prefix in braces, such as "{mcp:notes:hooks}:". So a
// cluster keeps all of them on one server. All replicas of one server name the same prefix. The error names an option
// of the client that does not do.
func NewSubscriptions(client redis.UniversalClient, prefix string) (*Subscriptions, error) {
	keys, err := keysOf(client, prefix, "subscriptions")
	if err != nil {
		return nil, err
	}
	return &Subscriptions{keys}, nil
}

// Lasting implements [event.Store].
func (s *Subscriptions) Lasting() bool { return true }

// Put implements [event.Store].
func (s *Subscriptions) Put(
	ctx context.Context, sub *event.Subscription, p *event.Progress, limits event.SubscriptionLimits,
) error {
	if p == nil && sub.Version == 0 {
		return errors.New("redisbus: a new subscription has progress")
	}
	text, err := json.Marshal(sub)
	var progress []byte
	fence, expires := uint64(0), ""
	if p != nil {
		var wrong error
		progress, wrong = json.Marshal(p)
		fence, err = p.Fence, errors.Join(err, wrong)
	}
	if err != nil {
		return err
	}
	if !sub.Expires.IsZero() {
		expires = strconv.FormatInt(sub.Expires.UnixMilli(), 10)
	}
	// A server that has lost what it held goes on with greater versions: replicas know the others.
	begin := time.Now().UnixMilli()
	got, err := s.run(ctx, hookPut, sub.ID, newVersion(), sub.Version, text, progress, fence, sub.Principal, sub.Shard,
		expires, sub.State == event.Live, limits.PerPrincipal, limits.Total, begin).Int64Slice()
	switch {
	case err != nil:
		return failed(err)
	case len(got) == 2:
		sub.Version, sub.Birth = uint64(got[0]), uint64(got[1])
		if p != nil {
			p.ID, p.Birth = sub.ID, sub.Birth
		}
		return nil
	case got[0] == -1:
		return event.ErrChanged
	case got[0] == -2:
		return event.ErrPrincipalFull
	}
	return event.ErrFull
}

// Get implements [event.Store].
func (s *Subscriptions) Get(ctx context.Context, id string) (*event.Subscription, *event.Progress, error) {
	values, err := s.run(ctx, hookGet, id).Slice()
	if err != nil {
		return nil, nil, failed(err)
	}
	if values[1] == nil {
		return nil, nil, event.ErrNoSubscription
	}
	one := storedOf(texts(values))
	return one.Subscription, one.Progress, nil
}

// storedOf reads a row. What is wrong with its texts is the damage of this one subscription.
func storedOf(f []string) event.Stored {
	known := &event.Subscription{ID: f[0], Principal: f[5], State: event.Ended}
	known.Version, _ = strconv.ParseUint(f[3], 10, 64) // written by a script
	known.Shard, _ = strconv.Atoi(f[6])
	birth, _ := strconv.ParseUint(f[4], 10, 64)
	one := event.Stored{Subscription: new(event.Subscription), Progress: new(event.Progress)}
	err := errors.Join(json.Unmarshal([]byte(f[1]), one.Subscription), json.Unmarshal([]byte(f[2]), one.Progress))
	if err == nil && one.Subscription.ID != known.ID {
		err = errors.New("the record is that of another one")
	}
	if err != nil {
		return event.Stored{Subscription: known, Progress: new(event.Progress), Damage: err}
	}
	one.Subscription.Version, one.Subscription.Birth = known.Version, birth
	one.Progress.ID, one.Progress.Birth = known.ID, birth
	return one
}

// rows returns the records that a script returns.
func rows(c *redis.Cmd) (out []event.Stored, err error) {
	list, err := c.Slice()
	if err != nil {
		return nil, failed(err)
	}
	for _, row := range list {
		if values, _ := row.([]any); len(values) == 7 {
			out = append(out, storedOf(texts(values)))
		}
	}
	return out, nil
}

// Save implements [event.Store].
func (s *Subscriptions) Save(ctx context.Context, progress []*event.Progress) ([]string, error) {
	args := make([]any, 0, 4*len(progress))
	for _, p := range progress {
		text, err := json.Marshal(p)
		if err != nil {
			return nil, err
		}
		args = append(args, p.ID, p.Birth, p.Fence, text)
	}
	refused, err := s.run(ctx, hookSave, args...).StringSlice()
	return refused, failed(err)
}

// Changed implements [event.Store].
func (s *Subscriptions) Changed(ctx context.Context, shards []int, after uint64, limit int) ([]event.Stored, error) {
	args := []any{after, max(limit, 0)}
	for _, n := range shards {
		args = append(args, n)
	}
	return rows(s.run(ctx, hookChanged, args...))
}

// List implements [event.Store].
func (s *Subscriptions) List(ctx context.Context, principal, after string, limit int) ([]event.Stored, error) {
	index, from := "all", "-"
	if principal != "" {
		index = "o:" + principal
	}
	if after != "" {
		from = "(" + after
	}
	return rows(s.run(ctx, hookList, index, from, max(limit, 0)))
}

// Expire implements [event.Store].
func (s *Subscriptions) Expire(ctx context.Context, now time.Time, limit int) (removed int, err error) {
	return s.expire(ctx, hookExpire, now, limit)
}

// Leases implements [event.Store].
func (s *Subscriptions) Leases(ctx context.Context) (out []event.Lease, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	all, err := s.client.HGetAll(ctx, s.prefix+"leases").Result()
	if err != nil {
		return nil, failed(err)
	}
	for name, text := range all {
		beat, rest, _ := strings.Cut(text, " ")
		_, owner, _ := strings.Cut(rest, " ")
		n, err := strconv.ParseUint(beat, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("redisbus: the lease %s: %w", name, err)
		}
		out = append(out, event.Lease{Name: name, Owner: owner, Beat: n})
	}
	return out, nil
}

// Take implements [event.Store].
func (s *Subscriptions) Take(ctx context.Context, leases []event.Lease) (taken []event.Lease, err error) {
	args := []any{newVersion()}
	for _, l := range leases {
		args = append(args, l.Name, l.Owner, l.Beat)
	}
	given, err := s.run(ctx, hookTake, args...).Int64Slice()
	if err != nil {
		return nil, failed(err)
	}
	for _, i := range given {
		l := leases[i]
		l.Beat++
		taken = append(taken, l)
	}
	return taken, nil
}
