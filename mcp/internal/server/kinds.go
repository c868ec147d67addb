package server

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/access"
	"github.com/mcpgen/mcpgen/mcp/internal/relay"
)

// feature is what features of all kinds have in common.
type feature struct {
	name   string         // how errors call it: a URI, a template or a name
	id     any            // its identity, whatever name joined servers give it
	served *RevisionRange // in which revisions it exists
	tags   []string
	guard  *access.Guard

	// What it brings besides the capability of its kind.
	listChanges, subscribes, completes, logs bool
	extension                                string // that it belongs to; empty for none
}

// kindRow is what differs between the kinds.
type kindRow struct {
	word string // in errors
	// number is how many features of the kind there are, and at returns one of them.
	number func(f *Features) int
	at     func(f *Features, i int) feature
	// check reports contradictions, which generated code does not have.
	check func(f *Features) error
	// clear leaves f without features of the kind, and add adds those that from has.
	clear func(f *Features)
	add   func(f, from *Features)
	// rename puts prefix before the names, in copies of what f points to. It is nil for a kind whose features have
	// addresses of their own; of the others, no two servers that are joined may have the same name.
	rename func(f *Features, prefix string)
	// changed is the notification that the list of the kind has changed, and filter the member of a listen that asks
	// for it.
	changed string
	filter  func(l *protocol.SubscriptionFilter) **bool
	// newList makes the list of what is declared, as clients get it.
	newList func(s *Server) *staticList
	// declare adds the capability of the kind to c, withdraw takes it out, and offered reports whether c has it, and its
	// listChanged.
	declare  func(c *protocol.ServerCapabilities, listChanged bool)
	withdraw func(c *protocol.ServerCapabilities)
	offered  func(c *protocol.ServerCapabilities) (has, listChanged bool)
}

// kinds are the kinds of features, in the order in which everything is done for all of them. Each row is in the file
// that serves the kind.
var kinds = [numKinds]*kindRow{
	kindResource: &resourceKind,
	kindTool:     &toolKind,
	kindPrompt:   &promptKind,
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

// all calls f for every feature, by its kind and its index among those of the kind.
func (f *Features) all(yield func(k kind, i int, x feature)) {
	for k, row := range kinds {
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
	if o.Experimental != nil {
		c.Experimental = slices.Clone(c.Experimental)
		for _, e := range o.Experimental {
			c.Experimental.Set(e.Name, e.Value)
		}
	}
	for _, row := range kinds {
		if has, listChanged := row.offered(o); has {
			row.declare(c, listChanged)
		}
	}
	if r := o.Resources; r != nil {
		c.Resources.Subscribe = either(c.Resources.Subscribe, isTrue(r.Subscribe))
	}
	for _, e := range o.Extensions {
		addExtension(c, e.Name, e.Value)
	}
}

// capabilities returns what f can answer: what its features bring, and what f declares besides.
func (f *Features) capabilities() protocol.ServerCapabilities {
	c := f.Capabilities // with what no kind of feature declares
	c.Completions, c.Logging = nil, nil
	withdrawAll(&c)
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
		if x.extension != "" {
			addExtension(&c, x.extension, emptySettings)
		}
	})
	if f.Extensions != nil {
		f.Extensions.features(func(x feature) {
			if x.logs && !x.served.Off && c.Logging == nil {
				c.Logging = new(protocol.ServerCapabilitiesLogging)
			}
		})
	}
	return c
}

// emptySettings are those of an extension that has none.
var emptySettings = json.RawMessage("{}")

// addExtension declares an extension, unless c has it. What c points to is not changed.
func addExtension(c *protocol.ServerCapabilities, id string, settings json.RawMessage) {
	if _, has := c.Extensions.Get(id); !has {
		c.Extensions = slices.Clone(c.Extensions)
		c.Extensions.Set(id, settings)
	}
}

// withdrawAll takes the capabilities of all kinds out of c.
func withdrawAll(c *protocol.ServerCapabilities) {
	for _, row := range kinds {
		row.withdraw(c)
	}
}

// clone gives f features of its own, which can be changed.
func (f *Features) clone() {
	from := *f
	f.clear()
	for _, row := range kinds {
		row.add(f, &from)
	}
}

// clear leaves f without features.
func (f *Features) clear() {
	for _, row := range kinds {
		row.clear(f)
	}
}

// renamed returns f with prefix before the names of its features. Nothing that f points to is changed.
func renamed(f *Features, prefix string) *Features {
	if prefix == "" {
		return f
	}
	out := *f
	out.clone()
	for _, row := range kinds {
		if row.rename != nil {
			row.rename(&out, prefix)
		}
	}
	return &out
}

func newStates(f *Features) (all states) {
	for k, row := range kinds {
		all[k] = make([]state, row.number(f))
	}
	f.all(func(k kind, i int, x feature) { all[k][i].served = x.served })
	return all
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
	s.eachJoined(func(o *Server) bool { return o.has(k, id) }, func(o *Server) { o.enableHere(k, id, on) })
}

// enableHere is enable for s alone.
func (s *Server) enableHere(k kind, id any, on bool) {
	row := kinds[k]
	for i := range s.states[k] {
		if row.at(&s.features, i).id != id || s.states[k][i].off.Swap(!on) == !on {
			continue
		}
		s.prepared.list(k).forget()
		if k == kindResource {
			s.prepared.templates.forget()
			s.hub.PublishAll(s.mains[i])
			s.linked.note(relay.Instances, s.features.Resources[s.mains[i]].uri())
		}
		s.hub.PublishList(k.list())
		s.linked.noteList(k)
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
	for i := range s.states[k] {
		if x := kinds[k].at(&s.features, i); x.name == name {
			s.enable(k, x.id, on)
			return
		}
	}
}

// addAll adds the features of from to f, whose names must be others than those in taken.
func (f *Features) addAll(from *Features, taken *[numKinds]nameIndex) error {
	for k, row := range kinds {
		for i := range row.number(from) {
			if name := row.at(from, i).name; row.rename != nil && !taken[k].add(name) {
				return fmt.Errorf("mcp: Join: two members have a %s %q", row.word, name)
			}
		}
		row.add(f, from)
	}
	return nil
}

func isTrue(b *bool) bool { return b != nil && *b }

// nameIndex finds features by name.
type nameIndex map[string]int

// add gives name the next index. It is false if name has one.
func (p nameIndex) add(name string) bool {
	if _, twice := p[name]; twice {
		return false
	}
	p[name] = len(p)
	return true
}

func (p nameIndex) find(name string) int {
	if i, ok := p[name]; ok {
		return i
	}
	return -1
}

// indexesOf finds the features of f by name, and resources that are no templates by URI.
func indexesOf(f *Features) (all [numKinds]nameIndex) {
	for k, row := range kinds {
		all[k] = make(nameIndex, row.number(f))
	}
	f.all(func(k kind, i int, x feature) {
		if k != kindResource || f.Resources[i].Template == nil {
			all[k][x.name] = i
		}
	})
	return all
}
