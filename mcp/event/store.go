package event

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Errors of a [Store]. All others mean that the store is not available, and that a change may have been made or not.
var (
	// ErrNoSubscription means that there is no subscription under this id.
	ErrNoSubscription = errors.New("event: no such subscription")
	// ErrChanged means that a subscription has another version than the caller knows.
	ErrChanged = errors.New("event: the subscription has changed")
	// ErrFull means that there is no room for another subscription.
	ErrFull = errors.New("event: no room for the subscription")
	// ErrPrincipalFull is an [ErrFull] that says that it is the principal who has as many as it may have.
	ErrPrincipalFull = fmt.Errorf("%w: its principal has as many as it may have", ErrFull)
)

// ErrNoPrincipal is what a program says of a principal that is not there any more.
var ErrNoPrincipal = errors.New("event: there is no such principal")

// Store holds webhook subscriptions, and who delivers them. The replicas of one server share a store; servers that are
// not replicas of each other have different ones.
//
// Each change is durable before the method returns, and every replica sees it from then on. A method returns soon after
// ctx has ended. A store keeps nothing that it was given or has returned: all of it is the caller's to change. All
// methods are safe for concurrent use. A store has no clock of its own.
type Store interface {
	// Put keeps s if the version of the one under its id is s.Version; 0 means that there is none. It gives s a version
	// that is greater than all versions that any reader of the store has seen. With p it also replaces the progress, and
	// sets s.Birth, p.Birth and p.ID: a new life begins. The error is ErrChanged if the version is another one, and
	// ErrFull if a subscription that is new or was not live becomes live, and limits do not allow one more. Replicas that
	// put at the same time may exceed the limits by one each.
	Put(ctx context.Context, s *Subscription, p *Progress, limits SubscriptionLimits) error
	// Get returns the subscription under an id. The error is ErrNoSubscription if there is none. One that cannot be read
	// is as Stored.Damage says.
	Get(ctx context.Context, id string) (*Subscription, *Progress, error)
	// Save keeps the progress of many, and gives no versions. It leaves out one without a subscription of its birth, or
	// with a smaller fence than the progress that is kept, and returns the ids of those that were left out.
	Save(ctx context.Context, progress []*Progress) (refused []string, err error)
	// Changed returns subscriptions of shards whose version is greater than a given one, in the order of versions, and at
	// most limit of them. A subscription that is put later never has a version that is smaller than one returned here.
	Changed(ctx context.Context, shards []int, after uint64, limit int) ([]Stored, error)
	// List returns subscriptions of a principal, or of all for "", whose ids come after an id, in the order of bytes of
	// their ids, and at most limit of them.
	List(ctx context.Context, principal, after string, limit int) ([]Stored, error)
	// Expire removes subscriptions that have expired at or before a time, at most limit of them, and returns how many.
	Expire(ctx context.Context, now time.Time, limit int) (removed int, err error)
	// Leases returns all leases.
	Leases(ctx context.Context) ([]Lease, error)
	// Take gives each lease to its Owner if its Beat is that of the lease under its name; 0 means that there is none. It
	// returns those that it has given, with a Beat that is one greater.
	Take(ctx context.Context, leases []Lease) (taken []Lease, err error)
	// Lasting reports whether what is kept survives the end of the process.
	Lasting() bool
}

// Stored is what a [Store] has under one id.
type Stored struct {
	Subscription *Subscription
	Progress     *Progress
	// Damage is why a store cannot read what it has; nil if it can. Such a subscription is Ended, and has no more than its
	// ID, Shard, Principal and Version, with which a new life of it can begin. The others are not affected.
	Damage error
}

// Lease says which replica has something. It is not known when it ends: a replica that lives takes its leases again and
// again, and one whose leases have not changed for a while lives no more.
type Lease struct {
	Name  string
	Owner string // "" for nobody
	Beat  uint64
}

// SubscriptionLimits bounds the subscriptions that are live in a [Store], also those that have expired and are not
// removed yet. Both are positive.
type SubscriptionLimits struct{ PerPrincipal, Total int }

// Check returns nil if a principal may have one more, given how many it has and how many there are in all.
func (l SubscriptionLimits) Check(own, all int) error {
	switch {
	case own >= l.PerPrincipal:
		return ErrPrincipalFull
	case all >= l.Total:
		return ErrFull
	}
	return nil
}
