// Package webhook delivers the events of a server to callbacks, while nobody is connected. A program that wants it says
// so with its options:
//
//	hooks := webhook.New(webhook.Options{Store: store})
//	srv, err := NewIncidentsServer(impl, &mcp.Options{Events: &event.Options{Log: log, Webhooks: hooks}})
//
// # What is promised
//
// Every event that the log holds, that a subscription matches and that its caller may have is delivered at least once,
// if the callback accepts it within the retries. Deliveries survive the end of a process if the store, the log and the
// keys of the server do. A process that is killed repeats at most the events of each subscription that were on their
// way. An event that is given up, or that the log has lost, is told as a gap.
//
// The order of events is not promised, nor that an event comes once: a callback knows repeats by webhook-id. After a
// subscription has ended, what is on its way may still arrive for some seconds.
//
// # Where it connects to
//
// Callbacks are https URLs. The addresses of their host are looked up for each connection, and all of them have to be
// public, whatever they were before. No redirect is followed, and no proxy of the environment is used. Whoever controls
// a callback learns a word about a failure, such as timeout, and nothing else.
package webhook

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"time"

	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/internal/webhook/deliver"
	"github.com/mcpgen/mcpgen/mcp/internal/webhook/desk"
	"github.com/mcpgen/mcpgen/mcp/internal/webhook/egress"
	"github.com/mcpgen/mcpgen/mcp/stats"
)

// Options says how events are delivered. Zero values are sensible.
type Options struct {
	// Store holds the subscriptions. The replicas of one server share it. Nil is memory, which ends with the process.
	Store event.Store

	// MinTTL, TTL and MaxTTL are how long a subscription lasts: at least, for a client that does not say, and at most. By
	// default a minute, an hour and a day.
	MinTTL, TTL, MaxTTL time.Duration
	// Forever grants subscriptions without an end to clients that ask for it. It is an error of the constructor of the
	// server unless the store lasts and the server has keys. Such a subscription is ended when its callback has failed
	// for three days.
	Forever bool
	// PerPrincipal and Total are how many subscriptions there may be: 100 and 100,000 by default.
	PerPrincipal, Total int
	// Challenges is how many challenges a principal may cause in a minute, and ChallengesPerHost is how many a host gets
	// in a minute of all principals together: 10 and 600 by default.
	Challenges, ChallengesPerHost int
	// Trusted are beginnings of URLs that end with a slash, such as https://hooks.example.com/in/. Callbacks below them
	// get no challenge.
	Trusted []string
	// Documents asks the origin of a callback for /.well-known/mcp-webhook-receiver.json. A callback that is below one of
	// its "receivers" gets no challenge.
	Documents bool
	// Retries are the pauses after failed attempts, each 20 % longer or shorter; by default 5 s, 30 s, 2 min and 5 min.
	// The log has to hold events for longer than all of them together.
	Retries []time.Duration
	// InFlight is how many attempts run at once, 512 by default: of them 8 to one host, and 32 for one principal.
	InFlight int
	// Timeout is the most time of an attempt, by default 5 s.
	Timeout time.Duration
	// Lease is how long a replica must be silent until others deliver in its place, by default 10 s. Those that close
	// hand over at once.
	Lease time.Duration

	// Principal returns the scopes and roles that a subject has now. It is asked before something is delivered, unless it
	// has answered within RightsFor (a minute by default) and the subject has not refreshed a subscription since, and
	// once an hour for subjects that get nothing. If the error is [event.ErrNoPrincipal], the subscriptions of the subject
	// are erased, as by [Webhooks.Erase]. With any other error, after a panic and after 5 seconds nothing is delivered to
	// the subject, and it is asked again a second later. It is called by several goroutines at once. Nil means that a
	// subscription has the rights of its last events/subscribe.
	Principal func(ctx context.Context, subject string) (event.Caller, error)
	RightsFor time.Duration

	// Refuse are further addresses to which nothing is connected, such as the public ones of this network.
	Refuse []netip.Prefix
	// Proxy is an HTTP proxy that all deliveries go through. It looks up the addresses of callbacks, so that it is the
	// proxy that has to refuse those that are not public. The server logs that.
	Proxy *url.URL
	// Resolve replaces the resolver of the system, and RootCAs its certificate authorities.
	Resolve func(ctx context.Context, host string) ([]netip.Addr, error)
	RootCAs *x509.CertPool
	// AllowPrivate is for tests only: callbacks may have any address. The server logs a warning.
	AllowPrivate bool
	// AllowHTTP is for tests only: callbacks may be http URLs. The server logs a warning.
	AllowHTTP bool
}

// Webhooks is an [event.Webhooks]. It belongs to one server, and is safe for concurrent use.
type Webhooks struct {
	o      Options
	client *egress.Client
	engine *deliver.Engine
	desk   *desk.Desk // nil before Start
}

var _ event.Webhooks = (*Webhooks)(nil)

// New returns what delivers events, for the options of a server.
func New(o Options) *Webhooks {
	if o.Store == nil {
		o.Store = new(event.MemoryStore)
	}
	client := egress.New(egress.Options{
		AllowPrivate: o.AllowPrivate, AllowHTTP: o.AllowHTTP, Refuse: o.Refuse, Proxy: o.Proxy, Resolve: o.Resolve,
		Timeout: o.Timeout, RootCAs: o.RootCAs,
	})
	w := &Webhooks{o: o, client: client}
	w.engine = deliver.New(deliver.Options{
		Store: o.Store, Post: client.Post, Retries: o.Retries, InFlight: o.InFlight, Lease: o.Lease,
		Principal: o.Principal, RightsFor: o.RightsFor, Erase: w.Erase,
	})
	return w
}

// Start implements [event.Webhooks].
func (w *Webhooks) Start(h event.Host) error {
	switch o := &w.o; {
	case w.desk != nil:
		return errors.New("webhook: the webhooks belong to another server already")
	case o.Forever && (!o.Store.Lasting() || !h.LastingKeys()):
		return errors.New("webhook: subscriptions without an end need a Store that lasts and the Keys of the server")
	}
	for _, t := range w.o.Trusted {
		if err := desk.CheckTrusted(t); err != nil {
			return fmt.Errorf("webhook: Trusted: %q: %w", t, err)
		}
	}
	w.client.Warn(h.Logger())
	w.desk = desk.New(desk.Options{
		Store: w.o.Store, Post: w.client.Post, Get: w.client.Get, Check: w.client.Check, Keys: h,
		Changed: w.engine.Apply, Record: h.Record,
		Limits:  event.SubscriptionLimits{PerPrincipal: w.o.PerPrincipal, Total: w.o.Total},
		Trusted: w.o.Trusted, Documents: w.o.Documents,
		Challenges: w.o.Challenges, PerHost: w.o.ChallengesPerHost,
		MinTTL: w.o.MinTTL, TTL: w.o.TTL, MaxTTL: w.o.MaxTTL, Forever: w.o.Forever,
	})
	w.engine.Start(h)
	return nil
}

// Subscribe implements [event.Webhooks].
func (w *Webhooks) Subscribe(ctx context.Context, r *event.Request) (*event.Granted, error) {
	return w.desk.Subscribe(ctx, r)
}

// Unsubscribe implements [event.Webhooks].
func (w *Webhooks) Unsubscribe(ctx context.Context, r *event.Request) (found bool, err error) {
	return w.desk.Unsubscribe(ctx, r)
}

// Wake implements [event.Webhooks].
func (w *Webhooks) Wake(name string) { w.engine.Wake(name) }

// Lasting implements [event.Webhooks].
func (w *Webhooks) Lasting() bool { return w.o.Store.Lasting() }

// Close implements [event.Webhooks].
func (w *Webhooks) Close(ctx context.Context) error {
	err := w.engine.Close(ctx)
	w.client.Close()
	return err
}

// List returns subscriptions of a principal, or of all principals for "", whose ids come after an id, at most limit of
// them. Their secrets are sealed.
func (w *Webhooks) List(ctx context.Context, principal, after string, limit int) ([]event.Stored, error) {
	return w.o.Store.List(ctx, principal, after, limit)
}

// End ends the subscription under an id without a word to its callback. It is false if there is none.
func (w *Webhooks) End(ctx context.Context, id string) (found bool, err error) {
	return w.desk.End(ctx, id)
}

// Erase ends all subscriptions of a principal without a word to their callbacks, and forgets URLs, arguments and
// secrets. That there were subscriptions is forgotten some minutes later.
func (w *Webhooks) Erase(ctx context.Context, principal string) error {
	return w.desk.Erase(ctx, principal)
}

// Stats returns the numbers of this replica.
func (w *Webhooks) Stats() stats.Webhooks {
	s := w.engine.Stats()
	s.Refused = w.client.Refused()
	if w.desk != nil {
		s.Challenges, s.ChallengesFailed = w.desk.Challenges()
	}
	return s
}
