// Package feed is a server with one event, for the proof that events arrive: what is committed, who gets it and what
// each may see follow from the number of an event alone, so that the judge knows it without asking the server.
package feed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	natsbus "github.com/mcpgen/mcpgen/bus/nats"
	sqliteevents "github.com/mcpgen/mcpgen/events/sqlite"
	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/mcpevent"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
	"github.com/mcpgen/mcpgen/mcp/replica"
	"github.com/mcpgen/mcpgen/mcp/webhook"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Name is that of the event, and Scope what its subscribers need.
const (
	Name  = "thing.happened"
	Scope = "things.read"
)

// Everybody is the key of an event that matches all subscriptions, and Insider is who alone sees Event.Secret.
const (
	Everybody = -1
	Insider   = "p0"
)

// Files in the folder of the state that say what became of a principal: its name follows.
const (
	Revoked = "revoked-" // it has no scopes any more
	Gone    = "gone-"    // it is not there any more
)

// RightsFor is how long the rights of a principal count.
const RightsFor = 2 * time.Second

// Event is what happens. Everything in it follows from its number.
type Event struct {
	ID     string `json:"id"`
	Key    int    `json:"key"`
	Secret string `json:"secret,omitempty"`
}

// Filter are the arguments of a subscription.
type Filter struct {
	Key int `json:"key"`
}

// At returns the event with a number, in a feed with so many keys. One of a hundred is for everybody.
func At(n, keys int) Event {
	e := Event{ID: fmt.Sprint(n), Key: n * 7919 % keys, Secret: "s"}
	if n%100 == 0 {
		e.Key = Everybody
	}
	return e
}

// Matches reports whether an event is for a filter.
func Matches(f Filter, e *Event) bool { return e.Key == f.Key || e.Key == Everybody }

// Config is what a replica needs.
type Config struct {
	// Dir has the state, which all replicas share.
	Dir  string
	Key  []byte
	Keys int // of the feed
	// Lease is how long a replica must be silent until others deliver in its place.
	Lease time.Duration
	// NATS is the URL of a server that has events and subscriptions, and that wakes replicas; "" for a file in Dir.
	NATS string
}

// Server is a replica.
type Server struct {
	*mcp.Server

	// Hooks are the deliveries of the replica.
	Hooks *webhook.Webhooks

	state state
	thing mcpevent.Type[Event, Filter]
	keys  int
}

// state is what replicas share.
type state struct {
	log   event.Log
	store event.Store
	bus   replica.Bus // nil without NATS
	close func()
}

func open(ctx context.Context, c Config) (state, error) {
	if c.NATS != "" {
		return inNATS(c)
	}
	log, err := sqliteevents.Open(ctx, filepath.Join(c.Dir, "events.sqlite"))
	if err != nil {
		return state{}, err
	}
	store, err := log.Subscriptions(ctx)
	return state{log: log, store: store, close: func() { _ = log.Close() }}, err
}

func inNATS(c Config) (state, error) {
	conn, err := natsbus.Connect(c.NATS)
	if err != nil {
		return state{}, err
	}
	bus, noBus := natsbus.NewBus(conn, "mcp.feed")
	js, noStream := jetstream.New(conn)
	if err := errors.Join(noBus, noStream); err != nil {
		return state{}, err
	}
	log, noLog := natsbus.NewEvents(js, "feed", natsbus.EventsOptions{})
	store, noStore := natsbus.NewSubscriptions(js, "feed-hooks", natsbus.SubscriptionsOptions{})
	return state{log: log, store: store, bus: bus, close: conn.Close}, errors.Join(noLog, noStore)
}

// New returns a replica.
func New(ctx context.Context, c Config) (*Server, error) {
	state, err := open(ctx, c)
	if err != nil {
		return nil, err
	}
	s := &Server{state: state, keys: c.Keys, thing: mcpevent.Type[Event, Filter]{
		Name: Name, Modes: mcpevent.Webhook, RetainFor: time.Hour, RetainMost: 1_000_000,
		Arguments: json.RawMessage(`{"type":"object","properties":{"key":{"type":"integer"}},"required":["key"]}`),
		Payload:   json.RawMessage(`{"type":"object"}`),
		Guard:     &mcprt.Guard{Access: mcprt.Access{Scopes: []string{Scope}}},
		ID:        func(e *Event) string { return e.ID },
		Args:      readFilter, Match: Matches, Shape: shape,
	}}
	f := &mcprt.Features{Info: protocol.Implementation{Name: "feed", Version: "1"}, Tools: []mcprt.Tool{{
		Entry: &protocol.Tool{Name: "commit", InputSchema: json.RawMessage(`{"type":"object"}`)}, Call: s.commit,
	}}}
	mcpevent.Add(f, &s.thing)
	s.Hooks = webhook.New(webhook.Options{
		Store: state.store, AllowPrivate: true, AllowHTTP: true, Lease: c.Lease, TTL: 24 * time.Hour,
		Resolve: resolve, Principal: principal(c.Dir), RightsFor: RightsFor,
	})
	opts := &mcp.Options{Keys: [][]byte{c.Key}, Events: &event.Options{Log: state.log, Webhooks: s.Hooks}}
	if state.bus != nil {
		opts.Bus = replica.Over(state.bus)
	}
	s.Server, err = mcprt.NewServer(f, opts)
	return s, err
}

// Close ends the replica.
func (s *Server) Close() error {
	err := s.Server.Close()
	s.state.close()
	return err
}

func readFilter(d *wire.Decoder, f *Filter) {
	for d.Object(); d.Next(); {
		if string(d.Name()) == "key" {
			f.Key = wire.Int[int](d)
		} else {
			d.Skip()
		}
	}
}

func shape(who mcp.Caller, _ Filter, e *Event) Event {
	out := *e
	if who.Subject != Insider {
		out.Secret = ""
	}
	return out
}

// commit commits events with numbers from one on. All that are there already count as committed.
func (s *Server) commit(c *mcprt.Call, args []byte) (mcprt.ToolResult, error) {
	var in struct{ From, Count int }
	if err := json.Unmarshal(args, &in); err != nil {
		return mcprt.AsToolText("", err)
	}
	for n := in.From; n < in.From+in.Count; n++ {
		e := At(n, s.keys)
		if err := s.thing.Commit(c, &e); err != nil {
			return mcprt.AsToolText("", err)
		}
	}
	return mcprt.AsToolText("committed", nil)
}

// resolve returns this machine, whatever the name: each principal has a host of its own.
func resolve(context.Context, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.AddrFrom4([4]byte(net.IPv4(127, 0, 0, 1).To4()))}, nil
}

// principal says what rights a principal has now.
func principal(dir string) func(context.Context, string) (event.Caller, error) {
	is := func(word, subject string) bool {
		_, err := os.Stat(filepath.Join(dir, word+subject))
		return err == nil
	}
	return func(_ context.Context, subject string) (event.Caller, error) {
		switch {
		case is(Gone, subject):
			return event.Caller{}, event.ErrNoPrincipal
		case is(Revoked, subject):
			return event.Caller{}, nil
		}
		return event.Caller{Scopes: []string{Scope}}, nil
	}
}
