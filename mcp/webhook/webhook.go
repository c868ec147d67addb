// Package webhook delivers the events of a server to callbacks, while nobody is connected. A program that wants it says
// so with its options:
//
//	hooks := webhook.New(webhook.Options{Store: store})
//	srv, err := NewIncidentsServer(impl, &mcp.Options{Events: &event.Options{Log: log, Webhooks: hooks}})
//
// # What is promised
//
// Every event in the event log that matches a subscription, and that its caller may have, is delivered at least once,
// if the callback accepts it within the retries. Deliveries survive the end of a process if the store, the event log
// and the keys of the server do. After a process was killed, at most the events that were on their way are delivered
// again. If an event is given up or the log has lost it, the callback is told of a gap.
//
// Events may come in any order, and more than once: a callback recognizes repeats by webhook-id. For some seconds after
// a subscription has ended, events that are on their way may still arrive.
//
// # Where it connects to
//
// Callbacks are https URLs. The addresses of the host are looked up for each connection, and all of them must be
// public. No redirect is followed, and no proxy of the environment is used. The owner of a callback learns one word
// about a failure, such as timeout, and nothing else.
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

// Options says how events are delivered. Zero values mean the defaults.
type Options struct {
	// Store holds the subscriptions. The replicas of one server share it. Nil is memory, which ends with the process.
	Store event.Store

	// MinTTL and MaxTTL bound how long a subscription lasts; by default a minute and a day. TTL is for clients that do not
	// say how long; by default an hour.
	MinTTL, TTL, MaxTTL time.Duration
	// Forever grants subscriptions without an end to clients that ask for it. The constructor of the server fails unless
	// the store is durable and the server has keys. Such a subscription ends when its callback has failed for three days.
	Forever bool
	// PerPrincipal and Total are how many subscriptions there may be: 100 and 100,000 by default.
	PerPrincipal, Total int
	// A challenge asks a new callback whether it wants messages. Challenges is how many of them a principal may cause in a
	// minute, by default 10. ChallengesPerHost is how many one host gets in a minute from all principals together, by
	// default 600.
	Challenges, ChallengesPerHost int
	// Trusted are prefixes of URLs that end with a slash, such as https://hooks.example.com/in/. Callbacks with such a
	// prefix get no challenge.
	Trusted []string
	// Documents makes the server read /.well-known/mcp-webhook-receiver.json at the origin of a callback. A callback below
	// one of the "receivers" in it gets no challenge.
	Documents bool
	// Retries are the pauses after failed attempts, each 20 % longer or shorter; by default 5 s, 30 s, 2 min and 5 min.
	// The event log must hold events for longer than all pauses together.
	Retries []time.Duration
	// InFlight is how many attempts run at once, 512 by default: of them 8 to one host, and 32 for one principal.
	InFlight int
	// Timeout is the most time of an attempt, by default 5 s.
	Timeout time.Duration
	// Lease is how long a replica must be silent until others deliver in its place, by default 10 s. A replica that closes
	// hands over at once.
	Lease time.Duration

	// Principal returns the scopes and roles that a subject has now. It is called before a delivery. Its answer is used
	// for RightsFor (a minute by default), or until the subject refreshes a subscription. For a subject to whom nothing is
	// delivered it is called once an hour. If the error is [event.ErrNoPrincipal], the subscriptions of the subject are
	// erased, as by [Webhooks.Erase]. After any other error, a panic or 5 seconds without an answer nothing is delivered
	// to the subject, and Principal is called again a second later. Several goroutines may call it at the same time. Nil
	// means that a subscription has the rights of its last events/subscribe.
	Principal func(ctx context.Context, subject string) (event.Caller, error)
	RightsFor time.Duration

	// Refuse are further addresses to which no connection is made, such as the public ones of this network.
	Refuse []netip.Prefix
	// Proxy is an HTTP proxy that all deliveries go through. It looks up the addresses of callbacks, so the proxy must
	// refuse those that are not public. The server logs a reminder.
	Proxy *url.URL
	// Resolve replaces the resolver of the system, and RootCAs its certificate authorities; nil means those of the system.
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

// New returns Webhooks that deliver events, for the event.Options of one server.
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

// List returns at most limit subscriptions of a principal, or of all principals for "", whose ids are greater than
// afterID. Their secrets are sealed.
func (w *Webhooks) List(ctx context.Context, principal, afterID string, limit int) ([]event.Stored, error) {
	return w.o.Store.List(ctx, principal, afterID, limit)
}

// errNoServer is the error of methods that need the server, before there is one.
var errNoServer = errors.New("webhook: no server has these webhooks")

// End ends the subscription with that id without a message to its callback. found is false if there is none. End
// returns an error before a server was made with these Webhooks.
func (w *Webhooks) End(ctx context.Context, id string) (found bool, err error) {
	if w.desk == nil {
		return false, errNoServer
	}
	return w.desk.End(ctx, id)
}

// Erase ends all subscriptions of a principal without a message to their callbacks, and forgets URLs, arguments and
// secrets at once. Some minutes later it also forgets that there were subscriptions. Erase returns an error before a
// server was made with these Webhooks.
func (w *Webhooks) Erase(ctx context.Context, principal string) error {
	if w.desk == nil {
		return errNoServer
	}
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
