package desk

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/internal/webhook/keys"
	"github.com/mcpgen/mcpgen/mcp/internal/webhook/sign"
)

// page is how many subscriptions are listed at once.
const page = 500

// contests is how often a change is tried before it fails because another change always came first.
const contests = 8

const (
	// maxArguments is how many bytes the arguments of a subscription may have.
	maxArguments = 16 << 10
	// maxRecord is how many bytes a subscription may have as JSON. The rest of what stores allow is for its progress.
	maxRecord = event.MaxSubscription - 20<<10
)

// digest hashes texts so that no two lists of texts have the same hash.
func digest(texts ...string) [sha256.Size]byte {
	var b []byte
	for _, text := range texts {
		b = append(binary.BigEndian.AppendUint64(b, uint64(len(text))), text...)
	}
	return sha256.Sum256(b)
}

// idOf returns the id of a subscription, and its shard. They are computed from the principal, the URL, the name and the
// arguments: the same subscription always has the same id, and principals never share one.
func idOf(r *event.Request) (id string, shard int) {
	sum := digest(r.Caller.Subject, r.URL, r.Name, string(r.Arguments))
	return "sub_" + base64.RawURLEncoding.EncodeToString(sum[:24]), int(sum[31]) % event.Shards
}

// Subscribe implements [event.Webhooks].
func (d *Desk) Subscribe(ctx context.Context, r *event.Request) (*event.Granted, error) {
	secret, err := sign.ParseSecret(r.Secret)
	if err != nil {
		return nil, invalid(err)
	}
	if err := d.o.Check(r.URL); err != nil {
		return nil, invalid(err)
	}
	if len(r.Arguments) > maxArguments {
		return nil, invalid(fmt.Errorf("the arguments are longer than %d bytes", maxArguments))
	}
	if r.Caller.Subject == "" {
		return nil, &event.Error{Kind: event.Forbidden, Message: "a webhook needs a caller who is known"}
	}
	id, _ := idOf(r)
	for range contests {
		s, p, err := d.find(ctx, id)
		if err != nil {
			return nil, err
		}
		granted, err := d.grant(ctx, r, secret, s, p)
		if !errors.Is(err, event.ErrChanged) {
			return granted, err
		}
	}
	return nil, event.ErrChanged
}

// find returns the subscription under an id and its progress; nil if there is none.
func (d *Desk) find(ctx context.Context, id string) (*event.Subscription, *event.Progress, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	s, p, err := d.o.Store.Get(ctx, id)
	if errors.Is(err, event.ErrNoSubscription) {
		return nil, nil, nil
	}
	return s, p, err
}

// grant creates or refreshes a subscription. s and p are those that exist; nil if there are none. It returns
// [event.ErrChanged] if another change came first.
func (d *Desk) grant(
	ctx context.Context, r *event.Request, secret sign.Secret, s *event.Subscription, p *event.Progress,
) (*event.Granted, error) {
	now := time.Now()
	live := s != nil && s.State == event.Live && !s.Expired(now) && s.Schema == r.Schema
	next := &event.Subscription{}
	switch {
	case live:
		next = s.Clone()
	case s != nil:
		next.Version = s.Version
	}
	if err := d.fill(next, r, secret, now); err != nil {
		return nil, err
	}
	var err error
	if next.Verified, err = d.verify(ctx, r, secret, next.Verified); err != nil {
		return nil, err
	}
	granted := &event.Granted{ID: next.ID, RefreshBefore: next.Expires}
	var fresh *event.Progress
	if live {
		granted.At, granted.Status = p.At, statusOf(p, now)
	} else {
		fresh = &event.Progress{At: r.Start}
		granted.At, granted.Truncated = r.Start, r.Truncated
	}
	err = d.putOnce(ctx, next, fresh)
	switch {
	case errors.Is(err, event.ErrPrincipalFull):
		return nil, exhausted("subscriptions", d.o.Limits.PerPrincipal)
	case errors.Is(err, event.ErrFull):
		return nil, exhausted("subscriptions", 0)
	case err != nil:
		return nil, err
	}
	changed := event.Stored{Subscription: next.Clone()}
	if fresh != nil {
		changed.Progress = fresh.Clone()
	}
	d.o.Changed(changed)
	return granted, nil
}

// fill sets the fields of a subscription from a request. It is an error if the subscription gets too long.
func (d *Desk) fill(s *event.Subscription, r *event.Request, secret sign.Secret, now time.Time) error {
	s.ID, s.Shard = idOf(r)
	s.Principal, s.Caller, s.Name, s.Arguments = r.Caller.Subject, r.Caller, r.Name, r.Arguments
	s.Schema, s.URL, s.State = r.Schema, r.URL, event.Live
	if s.Created.IsZero() {
		s.Created = now
	}
	s.Expires = d.expiry(r.TTL, now)
	if err := keys.Renew(d.o.Keys, s, secret, d.o.Rotation); err != nil {
		return err
	}
	text, err := json.Marshal(s)
	if err == nil && len(text) > maxRecord {
		return invalid(errors.New("the subscription is too long: its arguments, URL and caller together"))
	}
	return err
}

// expiry returns when a subscription ends; the zero time means never. What a client asks for is clamped and never
// refused.
func (d *Desk) expiry(ttl event.TTL, now time.Time) time.Time {
	length := ttl.For
	switch {
	case !ttl.Set && !ttl.Never:
		length = d.o.TTL
	case ttl.Never && d.o.Forever:
		return time.Time{}
	case ttl.Never:
		length = d.o.MaxTTL
	}
	return now.Add(min(max(length, d.o.MinTTL), d.o.MaxTTL)).Truncate(time.Millisecond)
}

// statusOf returns the status of the deliveries of a subscription that is being refreshed. It is active, because a
// refresh makes a suspended subscription active again.
func statusOf(p *event.Progress, now time.Time) *event.Status {
	s := &event.Status{Active: true, LastDelivery: p.LastDelivery, LastError: p.LastError, FailedSince: p.FailedSince}
	if p.Suspended != 0 {
		return s // the refresh makes waiting events be tried at once
	}
	for _, x := range append(slices.Clone(p.Pending), p.Notice) {
		if wait := x.Next.Sub(now); !x.Done && wait > 0 && (!s.Throttled || wait < s.RetryAfter) {
			s.Throttled, s.RetryAfter = true, wait
		}
	}
	return s
}

// Unsubscribe implements [event.Webhooks]. Deliveries under way may still arrive, within seconds.
func (d *Desk) Unsubscribe(ctx context.Context, r *event.Request) (found bool, err error) {
	id, _ := idOf(r)
	return d.end(ctx, id)
}

// End ends the subscription under an id without a message to its callback. It returns false if no live subscription has
// the id.
func (d *Desk) End(ctx context.Context, id string) (found bool, err error) {
	s, _, err := d.find(ctx, id)
	if err != nil || s == nil {
		return false, err
	}
	if found, err = d.end(ctx, id); found {
		d.o.Record(event.Record{Action: event.ActionEnd, Principal: s.Principal, Name: s.Name, Status: "ended"})
	}
	return found, err
}

func (d *Desk) end(ctx context.Context, id string) (found bool, err error) {
	for range contests {
		s, _, err := d.find(ctx, id)
		now := time.Now()
		if err != nil || s == nil || s.State == event.Ended || s.Expired(now) {
			return false, err
		}
		live := s.State == event.Live
		s.State, s.Secrets, s.Expires = event.Ended, nil, now.Add(time.Minute)
		err = d.putOnce(ctx, s, nil)
		if errors.Is(err, event.ErrChanged) {
			continue
		}
		if err == nil {
			d.o.Changed(event.Stored{Subscription: s})
		}
		return live && err == nil, err
	}
	return false, event.ErrChanged
}

func (d *Desk) putOnce(ctx context.Context, s *event.Subscription, p *event.Progress) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return d.o.Store.Put(ctx, s, p, d.o.Limits)
}

func (d *Desk) list(ctx context.Context, principal, after string) ([]event.Stored, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return d.o.Store.List(ctx, principal, after, page)
}

// Erase ends all subscriptions of a principal without messages to their callbacks, and removes what is known of them.
func (d *Desk) Erase(ctx context.Context, principal string) error {
	if principal == "" {
		return errors.New("webhook: erase needs a principal")
	}
	for after := ""; ; {
		found, err := d.list(ctx, principal, after)
		if err != nil || len(found) == 0 {
			return err
		}
		for _, f := range found {
			after = f.Subscription.ID
			if err := d.eraseOne(ctx, after); err != nil {
				return err
			}
		}
	}
}

// eraseOne ends a subscription and erases it, but for the id, the principal and the name of the event. The rest goes
// when the store removes it as expired.
func (d *Desk) eraseOne(ctx context.Context, id string) error {
	for range contests {
		s, _, err := d.find(ctx, id)
		if err != nil || s == nil {
			return err
		}
		gone := &event.Subscription{
			ID: s.ID, Shard: s.Shard, Principal: s.Principal, Name: s.Name, State: event.Ended,
			Expires: time.Now().Add(time.Minute), Version: s.Version,
		}
		err = d.putOnce(ctx, gone, &event.Progress{})
		if err == nil {
			d.o.Changed(event.Stored{Subscription: gone})
			d.o.Record(event.Record{Action: event.ActionEnd, Principal: s.Principal, Name: s.Name, Status: "erased"})
		}
		if !errors.Is(err, event.ErrChanged) {
			return err
		}
	}
	return event.ErrChanged
}

func invalid(err error) *event.Error {
	return &event.Error{Kind: event.InvalidParams, Message: err.Error()}
}
