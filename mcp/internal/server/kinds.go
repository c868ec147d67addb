package server

import (
	"fmt"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/pubsub"
)

// feature is what features of all kinds have in common.
type feature struct {
	name   string // how errors call it: a URI, a template or a name
	id     any    // tells it from others, under all names that joined servers give it
	served *Proto // in which revisions it exists
	tags   []string
	guard  *Guard

	// What it brings besides the capability of its kind.
	listChanges, subscribes, completes, logs bool
}

// kindRow is what differs between the kinds.
type kindRow struct {
	word string // in errors
	// number is how many features of the kind there are, and at returns one of them.
	number func(f *Features) int
	at     func(f *Features, i int) feature
	// add adds the features of the kind that from has to f.
	add func(f, from *Features)
	// named reports whether no two servers that are joined may have the same name.
	named bool
	// list is the signal that the list of the kind has changed, and filter the member of a listen that asks for it.
	list   pubsub.Kind
	filter func(l *protocol.SubscriptionFilter) **bool
	// forget drops the pages of lists that were made before a switch.
	forget func(p *prepared)
	// declare adds the capability of the kind to c, and listChanged returns its member, nil without the capability.
	declare     func(c *protocol.ServerCapabilities, listChanged bool)
	listChanged func(c *protocol.ServerCapabilities) *bool
}

// kinds are the kinds of features, in the order in which everything is done for all of them.
var kinds = [numKinds]kindRow{
	kindResource: {
		word:   "resource",
		number: func(f *Features) int { return len(f.Resources) },
		at: func(f *Features, i int) feature {
			r := &f.Resources[i]
			return feature{
				r.uri(), r.uri(), &r.Proto, r.Tags, r.Guard, r.ListChanges, r.Subscribe, len(r.Complete) > 0, r.Logs,
			}
		},
		add:    func(f, from *Features) { f.Resources = append(f.Resources, from.Resources...) },
		list:   resourceList,
		filter: func(l *protocol.SubscriptionFilter) **bool { return &l.ResourcesListChanged },
		forget: func(p *prepared) {
			p.resources.forget()
			p.templates.forget()
		},
		declare: func(c *protocol.ServerCapabilities, listChanged bool) {
			r := orNew(c.Resources)
			r.ListChanged = either(r.ListChanged, listChanged)
			c.Resources = &r
		},
		listChanged: func(c *protocol.ServerCapabilities) *bool { return orNew(c.Resources).ListChanged },
	},
	kindTool: {
		word:   "tool",
		number: func(f *Features) int { return len(f.Tools) },
		at: func(f *Features, i int) feature {
			t := &f.Tools[i]
			return feature{t.Entry.Name, t.id(), &t.Proto, t.Tags, t.Guard, t.ListChanges, false, false, t.Logs}
		},
		add:    func(f, from *Features) { f.Tools = append(f.Tools, from.Tools...) },
		named:  true,
		list:   toolList,
		filter: func(l *protocol.SubscriptionFilter) **bool { return &l.ToolsListChanged },
		forget: func(p *prepared) { p.tools.Load().forget() },
		declare: func(c *protocol.ServerCapabilities, listChanged bool) {
			t := orNew(c.Tools)
			t.ListChanged = either(t.ListChanged, listChanged)
			c.Tools = &t
		},
		listChanged: func(c *protocol.ServerCapabilities) *bool { return orNew(c.Tools).ListChanged },
	},
	kindPrompt: {
		word:   "prompt",
		number: func(f *Features) int { return len(f.Prompts) },
		at: func(f *Features, i int) feature {
			p := &f.Prompts[i]
			return feature{
				p.Entry.Name, p.id(), &p.Proto, p.Tags, p.Guard, p.ListChanges, false, len(p.Complete) > 0, p.Logs,
			}
		},
		add:    func(f, from *Features) { f.Prompts = append(f.Prompts, from.Prompts...) },
		named:  true,
		list:   promptList,
		filter: func(l *protocol.SubscriptionFilter) **bool { return &l.PromptsListChanged },
		forget: func(p *prepared) { p.prompts.forget() },
		declare: func(c *protocol.ServerCapabilities, listChanged bool) {
			p := orNew(c.Prompts)
			p.ListChanged = either(p.ListChanged, listChanged)
			c.Prompts = &p
		},
		listChanged: func(c *protocol.ServerCapabilities) *bool { return orNew(c.Prompts).ListChanged },
	},
}

// orNew returns a copy of *p, or the zero value.
func orNew[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// either returns true for a or b, else a.
func either(a *bool, b bool) *bool {
	if b {
		return new(true)
	}
	return a
}

// all calls f for every feature, by its kind and its place among those of the kind.
func (f *Features) all(yield func(k kind, i int, x feature)) {
	for k := range kinds {
		row := &kinds[k]
		for i := range row.number(f) {
			yield(kind(k), i, row.at(f, i))
		}
	}
}

// addCapabilities adds to c what o has. Nothing that either points to is changed.
func addCapabilities(c, o *protocol.ServerCapabilities) {
	if o.Completions != nil {
		c.Completions = o.Completions
	}
	if o.Logging != nil {
		c.Logging = o.Logging
	}
	if r := o.Resources; r != nil {
		kinds[kindResource].declare(c, isTrue(r.ListChanged))
		c.Resources.Subscribe = either(c.Resources.Subscribe, isTrue(r.Subscribe))
	}
	if o.Tools != nil {
		kinds[kindTool].declare(c, isTrue(o.Tools.ListChanged))
	}
	if o.Prompts != nil {
		kinds[kindPrompt].declare(c, isTrue(o.Prompts.ListChanged))
	}
}

// capabilities returns what f can answer: what its features bring, and what f declares besides.
func (f *Features) capabilities() protocol.ServerCapabilities {
	c := f.Capabilities // with what no kind of feature declares
	c.Completions, c.Logging, c.Resources, c.Tools, c.Prompts = nil, nil, nil, nil, nil
	addCapabilities(&c, &f.Capabilities)
	f.all(func(k kind, _ int, x feature) {
		if x.served.Off {
			return
		}
		kinds[k].declare(&c, x.listChanges)
		if x.subscribes {
			c.Resources.Subscribe = new(true)
		}
		if x.completes && c.Completions == nil {
			c.Completions = new(protocol.ServerCapabilitiesCompletions)
		}
		if x.logs && c.Logging == nil {
			c.Logging = new(protocol.ServerCapabilitiesLogging)
		}
	})
	return c
}

func newSwitches(f *Features) (off switches) {
	for k := range kinds {
		off[k] = make([]atomic.Bool, kinds[k].number(f))
	}
	return off
}

// has reports whether s declares the feature with an id.
func (s *Server) has(k kind, id any) bool {
	for i := range kinds[k].number(&s.features) {
		if kinds[k].at(&s.features, i).id == id {
			return true
		}
	}
	return false
}

// enable switches a feature on or off, here and in the servers that share it.
func (s *Server) enable(k kind, id any, on bool) {
	s.enableHere(k, id, on)
	s.relatives(func(o *Server) bool { return o.has(k, id) }, func(o *Server) { o.enableHere(k, id, on) })
}

// enableHere is enable for s alone.
func (s *Server) enableHere(k kind, id any, on bool) {
	row := &kinds[k]
	for i := range s.off[k] {
		if row.at(&s.features, i).id != id || s.off[k][i].Swap(!on) == !on {
			continue
		}
		row.forget(&s.prepared)
		if k == kindResource {
			s.hub.PublishAll(s.mains[i])
		}
		s.hub.PublishList(row.list)
		if k == kindResource {
			s.enableReaders(i, on)
		}
	}
}

// enableReaders switches the tools that read the i-th resource, a template.
func (s *Server) enableReaders(i int, on bool) {
	for k := range s.features.Tools {
		if t := &s.features.Tools[k]; t.Reads != nil && t.reads == i {
			s.enableHere(kindTool, t.id(), on)
		}
	}
}

// enableByName is enable for the feature of s with a name, if there is one.
func (s *Server) enableByName(k kind, name string, on bool) {
	for i := range s.off[k] {
		if x := kinds[k].at(&s.features, i); x.name == name {
			s.enable(k, x.id, on)
			return
		}
	}
}

// addAll adds the features of from to f, whose names must be others than those in taken.
func (f *Features) addAll(from *Features, taken *[numKinds]places) error {
	for k := range kinds {
		row := &kinds[k]
		for i := range row.number(from) {
			if name := row.at(from, i).name; row.named && !taken[k].add(name) {
				return fmt.Errorf("mcp: Join: two members have a %s %q", row.word, name)
			}
		}
		row.add(f, from)
	}
	return nil
}

func isTrue(b *bool) bool { return b != nil && *b }

// places finds features by name.
type places map[string]int

// add gives name the next place. It is false if name has one.
func (p places) add(name string) bool {
	if _, twice := p[name]; twice {
		return false
	}
	p[name] = len(p)
	return true
}

func (p places) find(name string) int {
	if i, ok := p[name]; ok {
		return i
	}
	return -1
}
