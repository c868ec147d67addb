package event

import (
	"encoding/json"
	"slices"
	"time"
)

// Sizes of a [Subscription] that every [Store] must allow and no server exceeds.
const (
	MaxSubscriptionID = 64       // bytes of Subscription.ID
	MaxSubscription   = 64 << 10 // bytes of a subscription and its progress together, as JSON
	Shards            = 64       // Subscription.Shard is from 0 to Shards-1
)

// SubscriptionState is where the life of a [Subscription] is.
type SubscriptionState uint8

// The states.
const (
	// Live means that events are delivered, unless Progress.Suspended stops that.
	Live SubscriptionState = iota
	// Ending means that only the message about the end is still to be delivered.
	Ending
	// Ended means that there is nothing to do. The record stays until it expires, so that all replicas see it.
	Ended
)

// Subscription is what a client has asked a server to deliver to a callback.
type Subscription struct {
	// ID follows from the principal, the URL, the name and the arguments.
	ID string
	// Shard divides subscriptions among replicas.
	Shard int
	// Principal is the subject of Caller.
	Principal string
	Caller    Caller
	Name      string // of the event
	Arguments json.RawMessage
	Schema    int
	URL       string
	// Secrets are sealed with the keys of the server.
	Secrets []byte
	State   SubscriptionState
	// Why is what the callback of an Ending subscription is told.
	Why *Error
	// Created is when the subscription was made, Verified when its callback has confirmed it, and Expires when it ends;
	// zero for never.
	Created, Verified, Expires time.Time
	// Version counts the changes, and Birth is the version with which the present life began. The store sets both.
	Birth, Version uint64
}

// Progress is how far deliveries of a [Subscription] are. The replica that delivers writes it.
type Progress struct {
	ID string
	// Birth is that of the subscription: progress of an earlier life is not kept.
	Birth uint64
	// Fence grows each time that another replica takes over the deliveries. Progress with a smaller Fence than the stored
	// progress is not kept.
	Fence uint64
	// At is the watermark: everything up to here is accepted or abandoned.
	At Position
	// Pending are entries behind At that the subscription gets, in order: delivered out of order, or tried in vain.
	Pending []Pending
	// Gap says that the callback must still be told of lost events. Notice counts the attempts to do so, for this gap or,
	// if Gap is false, for the last one.
	Gap    bool
	Notice Pending
	// Suspended is a version of the subscription: while the subscription has that version nothing is delivered, because
	// deliveries keep failing. Any later version is not suspended.
	Suspended uint64
	// LastDelivery is when the callback has last accepted something, and FailedSince when it began to fail; zero for
	// never. LastError is as in [Status].
	LastDelivery, FailedSince time.Time
	LastError                 string
	// Recent counts attempts and failures of this period and of the one before.
	Recent [2]Tally
	// Period is when the present period has begun.
	Period time.Time
}

// Pending is an entry of the log that is being delivered.
type Pending struct {
	Seq uint64
	// Tries is how often the entry was sent in vain, and Next is when it is sent again; zero means at once.
	Tries int
	Next  time.Time
	// Done says that the entry is accepted or abandoned.
	Done bool
}

// Tally counts attempts to deliver.
type Tally struct{ Attempts, Failures int }

// Expired reports whether the subscription expires at the time t or before.
func (s *Subscription) Expired(t time.Time) bool {
	return !s.Expires.IsZero() && !s.Expires.After(t)
}

// Clone returns a copy that shares nothing with s.
func (s *Subscription) Clone() *Subscription {
	c := *s
	c.Arguments, c.Secrets = slices.Clone(s.Arguments), slices.Clone(s.Secrets)
	c.Caller.Scopes, c.Caller.Roles = slices.Clone(s.Caller.Scopes), slices.Clone(s.Caller.Roles)
	if s.Why != nil {
		why := *s.Why
		c.Why = &why
	}
	return &c
}

// Clone returns a copy that shares nothing with p.
func (p *Progress) Clone() *Progress {
	c := *p
	c.Pending = slices.Clone(p.Pending)
	return &c
}
