package event

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Errors of a [Store]. Any other error means that the store is not available: a change may have been made or not.
var (
	// ErrNoSubscription means that there is no subscription under this id.
	ErrNoSubscription = errors.New("event: no such subscription")
	// ErrChanged means that a subscription has another version than the caller knows.
	ErrChanged = errors.New("event: the subscription has changed")
	// ErrFull means that there is no room for another subscription.
	ErrFull = errors.New("event: no room for the subscription")
	// ErrPrincipalFull is an [ErrFull]: the principal has as many subscriptions as it may have.
	ErrPrincipalFull = fmt.Errorf("%w: its principal has as many as it may have", ErrFull)
)

// ErrNoPrincipal is the error by which a program says that a principal does not exist any more.
var ErrNoPrincipal = errors.New("event: there is no such principal")

// Store holds webhook subscriptions, and which replica delivers to them. The replicas of one server share a store;
// servers that are not replicas of each other have different ones.
//
// Each change is durable before the method returns, and every replica sees it from then on. A method returns soon after
// ctx has ended. A store copies what it is given and what it returns, so the caller may change both. All methods are
// safe for concurrent use. A store has no clock of its own.
type Store interface {
	// Put stores s if s.Version is the version of the stored subscription with that id; 0 means that there is none. It
	// sets s.Version to a number greater than all versions that any reader of the store has seen. With p a new life of the
	// subscription begins: Put also replaces the progress, and sets s.Birth, p.Birth and p.ID. The first Put of a
	// subscription must have p. The error is ErrChanged if the versions differ. It is ErrFull or ErrPrincipalFull if s is
	// live, the stored subscription was not, and limits do not allow one more. Replicas that put at the same time may
	// exceed the limits by one each.
	Put(ctx context.Context, s *Subscription, p *Progress, limits SubscriptionLimits) error
	// Get returns the subscription under an id. The error is ErrNoSubscription if there is none. A subscription that
	// cannot be read is returned as Stored.Damage describes.
	Get(ctx context.Context, id string) (*Subscription, *Progress, error)
	// Save stores the progress of several subscriptions; their versions do not change. It leaves out progress of another
	// birth than the stored subscription has, and progress with a smaller fence than the stored progress. It returns the
	// ids of what was left out.
	Save(ctx context.Context, progress []*Progress) (refused []string, err error)
	// Changed returns subscriptions of these shards whose version is greater than lastVersion, in the order of their
	// versions, at most limit of them. Every later Put sets a greater version than those that it returns.
	Changed(ctx context.Context, shards []int, lastVersion uint64, limit int) ([]Stored, error)
	// List returns subscriptions of a principal, or of all principals for "". They have ids greater than lastID, and are
	// in the order of their ids, at most limit of them. Ids are compared by bytes.
	List(ctx context.Context, principal, lastID string, limit int) ([]Stored, error)
	// Expire removes subscriptions that expire at the time t or before, at most limit of them, and returns how many.
	Expire(ctx context.Context, t time.Time, limit int) (removed int, err error)
	// Leases returns all leases.
	Leases(ctx context.Context) ([]Lease, error)
	// Take sets the owner of each lease whose Beat is that of the stored lease with the same name; 0 means that there is
	// none. It returns the leases that it has set, with a Beat that is one greater.
	Take(ctx context.Context, leases []Lease) (taken []Lease, err error)
	// Lasting reports whether the content of the store survives the end of the process.
	Lasting() bool
}

// Stored is what a [Store] has under one id.
type Stored struct {
	Subscription *Subscription
	Progress     *Progress
	// Damage is why a store cannot read a subscription; nil if it can. Such a subscription is Ended, and has only its ID,
	// Shard, Principal and Version, which is enough to begin a new life. Other subscriptions are not affected.
	Damage error
}

// Lease says which replica owns something. It has no time of expiry: a replica that lives takes its leases again and
// again, and a replica whose leases have not changed for a while counts as dead.
type Lease struct {
	Name  string
	Owner string // "" for nobody
	Beat  uint64
}

// SubscriptionLimits bounds the subscriptions that are live in a [Store], also those that have expired and are not
// removed yet. Both limits are positive.
type SubscriptionLimits struct{ PerPrincipal, Total int }

// Check returns nil if a principal may have one more subscription. held is how many it has, and total is how many there
// are of all principals.
func (l SubscriptionLimits) Check(held, total int) error {
	switch {
	case held >= l.PerPrincipal:
		return ErrPrincipalFull
	case total >= l.Total:
		return ErrFull
	}
	return nil
}
