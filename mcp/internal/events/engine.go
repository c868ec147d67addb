package events

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/internal/seal"
)

// Config is what an engine needs.
type Config struct {
	// Server is the name of the server, to which cursors are bound.
	Server  string
	Types   []*Type
	Options event.Options
	// Box seals cursors. LastingKeys returns false if its keys end with the process.
	Box         seal.Box
	LastingKeys func() bool
	Logger      *slog.Logger
	// Audit gets the audit records; nil for none.
	Audit *slog.Logger
	// Stopping is closed when streams have to end.
	Stopping <-chan struct{}
	// Changed tells other processes that a name has new entries; nil if there are no other processes.
	Changed func(name string)
}

// Engine serves the events of one server. It is safe for concurrent use.
type Engine struct {
	Config
	Counts Counts

	log     event.Log
	topics  []*topic
	byName  map[string]*topic
	places  places
	readers readers

	closing chan struct{} // closed by Close
	close   sync.Once
	drains  sync.WaitGroup
}

// topic is a type with its log.
type topic struct {
	*Type
	e      *Engine
	tail   *tail
	asking chan struct{} // has a token for each call of Type.Replay that runs

	index   index       // of the subscriptions of webhooks that are watched
	stirred atomic.Bool // the next Match must set All, so that rights are checked again

	mu      sync.Mutex
	changed chan struct{} // closed, and replaced, when there are new entries
	queue   queue
}

// askedAtOnce limits how many calls of Type.Replay run at once for one name.
const askedAtOnce = 16

// New returns an engine. It fails if an option or a type is not valid, or if the webhooks cannot start. c.Types, and
// what they point to, must not be changed afterwards.
func New(c Config) (*Engine, error) {
	o := &c.Options
	if o.MaxStreams < 0 || o.MaxStreamsPerPrincipal < 0 || o.MaxPending < 0 || o.Heartbeat < 0 ||
		int(o.Profile) >= len(profiles) {
		return nil, errors.New("an option is out of range")
	}
	o.MaxStreams = cmp.Or(o.MaxStreams, 10_000)
	o.MaxStreamsPerPrincipal = cmp.Or(o.MaxStreamsPerPrincipal, 100)
	o.MaxPending = cmp.Or(o.MaxPending, 1024)
	o.Heartbeat = cmp.Or(o.Heartbeat, 20*time.Second)
	e := &Engine{Config: c, log: o.Log, byName: map[string]*topic{}, closing: make(chan struct{})}
	if e.log == nil {
		e.log = event.NewMemory()
	}
	e.places.init(o.MaxStreams, o.MaxStreamsPerPrincipal)
	if err := e.checkLasting(); err != nil {
		return nil, err
	}
	for _, t := range c.Types {
		if err := e.addType(t); err != nil {
			return nil, err
		}
	}
	if w := o.Webhooks; w != nil {
		if err := w.Start(host{e}); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// checkLasting returns an error if webhooks or other processes need a log that outlasts this process, but the log is in
// its memory and Options.Local is not set.
func (e *Engine) checkLasting() error {
	o := &e.Options
	switch {
	case e.log.Lasting(), o.Local, !slices.ContainsFunc(e.Types, func(t *Type) bool { return t.Replay == nil }):
		return nil
	case o.Webhooks != nil:
		return errors.New("webhooks are for those who are away, and the Log is in the memory of this process: " +
			"set a Log that lasts, or Local")
	case e.Changed != nil:
		return errors.New("replicas do not see each other's events, because the Log is in the memory of this process: " +
			"set a Log that lasts, or Local")
	}
	return nil
}

func (e *Engine) addType(t *Type) error {
	if err := t.check(); err != nil {
		return err
	}
	if e.byName[t.Name] != nil {
		return fmt.Errorf("there are two events %s", t.Name)
	}
	p := &topic{Type: t, e: e, tail: newTail(t, e.log), changed: make(chan struct{}),
		asking: make(chan struct{}, askedAtOnce)}
	if e.served(t) == 0 {
		return fmt.Errorf("the event %s is for webhooks only: set Webhooks", t.Name)
	}
	e.topics = append(e.topics, p)
	e.byName[t.Name] = p
	return nil
}

// served returns those modes of a type that this server offers.
func (e *Engine) served(t *Type) Modes {
	if e.Options.Webhooks == nil {
		return t.Modes &^ Webhook
	}
	return t.Modes
}

// Close stops Publish and closes the webhooks. It returns when the published events that wait are appended, or when ctx
// ends. Streams end by Config.Stopping.
func (e *Engine) Close(ctx context.Context) {
	e.close.Do(func() { close(e.closing) })
	done := make(chan struct{})
	go func() {
		e.drains.Wait()
		close(done)
	}()
	if w := e.Options.Webhooks; w != nil {
		if err := w.Close(ctx); err != nil {
			e.Logger.Warn("mcp: events: webhooks have not ended", "err", err)
		}
	}
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// Wake says that another process may have appended events of a name.
func (e *Engine) Wake(name string) {
	if p := e.byName[name]; p != nil {
		p.wake()
	}
}

// Stir makes all subscribers of a name check again whether they may have its events.
func (e *Engine) Stir(name string) {
	if p := e.byName[name]; p != nil {
		p.stirred.Store(true)
		p.wake()
	}
}

// WakeAll is Wake for all names: changes may have been missed.
func (e *Engine) WakeAll() {
	for _, p := range e.topics {
		p.wake()
	}
}

// wake makes all subscribers look for new events.
func (p *topic) wake() {
	p.tail.outdate()
	p.mu.Lock()
	close(p.changed)
	p.changed = make(chan struct{})
	p.mu.Unlock()
	if w := p.e.Options.Webhooks; w != nil && p.Modes&Webhook != 0 {
		w.Wake(p.Name)
	}
}

// change returns a channel that is closed at the next wake.
func (p *topic) change() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.changed
}

// find returns the topic of a name, if the server offers it in one of the modes. It checks no rights. Its error is for
// the client.
func (e *Engine) find(name string, modes Modes) (*topic, error) {
	p := e.byName[name]
	if p == nil {
		return nil, event.NoEvent(name)
	}
	if e.served(p.Type)&modes == 0 {
		return p, &event.Error{Kind: event.Unsupported, Message: "the event " + name + " is not delivered this way",
			Feature: "delivery", Value: modes.word()}
	}
	return p, nil
}

// word returns the name that clients use for m, which must be one mode; "" for several.
func (m Modes) word() string {
	switch m {
	case Poll:
		return "poll"
	case Push:
		return "push"
	case Webhook:
		return "webhook"
	}
	return ""
}

// SharesLog reports whether both engines have the same log.
func (e *Engine) SharesLog(other *Engine) bool { return e.log == other.log }
