package feature

import (
	"errors"
	"fmt"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/uri"
)

// KindRow has the functions and values that differ between the kinds of features.
type KindRow struct {
	word string // in errors
	// Number returns the number of features of the kind, and At returns the i-th. ID returns the identity of the i-th,
	// which is the same in joined servers that give it another name.
	Number func(f *Features) int
	At     func(f *Features, i int) Feature
	ID     func(f *Features, i int) any
	// check returns an error for contradictory features. Generated code has none.
	check func(f *Features) error
	// clear removes all features of the kind from f. add appends the features of the kind of the second Features to the
	// first.
	clear func(f *Features)
	add   func(f, from *Features)
	// rename puts prefix before the names of the features of the kind. It changes f, but only copies of the entries. It is
	// nil for a kind whose features have URIs. For the other kinds, the names of joined servers must differ.
	rename func(f *Features, prefix string)
	// Changed is the method of the notification that the list of the kind has changed. Filter returns a pointer to the
	// member of a filter that asks for this notification.
	Changed string
	Filter  func(l *protocol.SubscriptionFilter) **bool
	// declare adds the capability of the kind to c, and withdraw removes it. Offered reports whether c has the capability,
	// and whether its listChanged is true.
	declare  func(c *protocol.ServerCapabilities, listChanged bool)
	withdraw func(c *protocol.ServerCapabilities)
	Offered  func(c *protocol.ServerCapabilities) (has, listChanged bool)
}

// Kinds has the row of each kind of feature. Loops over all kinds use this order.
var Kinds = [NumKinds]*KindRow{
	KindResource: &resourceKind,
	KindTool:     &toolKind,
	KindPrompt:   &promptKind,
}

// resourceKind is the row of resources with a literal URI or a template. It does not compare the URIs of joined
// servers, which joinedRoutes does.
var resourceKind = KindRow{
	word:   "resource",
	Number: func(f *Features) int { return len(f.Resources) },
	At: func(f *Features, i int) Feature {
		r := &f.Resources[i]
		return Feature{
			r.URI(), &r.Revisions, r.Tags, r.Guard, r.ListChanges, r.Subscribe, len(r.Complete) > 0, r.Logs,
			r.Extension,
		}
	},
	ID:      func(f *Features, i int) any { return f.Resources[i].URI() },
	check:   checkResources,
	clear:   func(f *Features) { f.Resources = nil },
	add:     func(f, from *Features) { f.Resources = append(f.Resources, from.Resources...) },
	Changed: protocol.MethodNotificationsResourcesListChanged,
	Filter:  func(l *protocol.SubscriptionFilter) **bool { return &l.ResourcesListChanged },
	declare: func(c *protocol.ServerCapabilities, listChanged bool) {
		r := orNew(c.Resources)
		r.ListChanged = either(r.ListChanged, listChanged)
		c.Resources = &r
	},
	withdraw: func(c *protocol.ServerCapabilities) { c.Resources = nil },
	Offered: func(c *protocol.ServerCapabilities) (has, listChanged bool) {
		return c.Resources != nil, IsTrue(orNew(c.Resources).ListChanged)
	},
}

// checkResources returns an error for contradictory fields in the resources of f.
func checkResources(f *Features) error {
	var errs []error
	for i := range f.Resources {
		r := &f.Resources[i]
		switch {
		case (r.Entry == nil) == (r.Template == nil):
			errs = append(errs, fmt.Errorf("mcp: Features.Resources[%d]: want Entry or Template", i))
		case r.ways() != 1:
			errs = append(errs, fmt.Errorf("mcp: Features.Resources[%d]: want Static, Read or Value", i))
		case r.Static != nil && r.Entry == nil:
			errs = append(errs, fmt.Errorf("mcp: Features.Resources[%d]: a template needs Read or Value", i))
		}
	}
	return errors.Join(errs...)
}

// toolKind is the row of tools.
var toolKind = KindRow{
	word:   "tool",
	Number: func(f *Features) int { return len(f.Tools) },
	At: func(f *Features, i int) Feature {
		t := &f.Tools[i]
		return Feature{
			t.Entry.Name, &t.Revisions, t.Tags, t.Guard, t.ListChanges, false, false, t.Logs, "",
		}
	},
	ID:    func(f *Features, i int) any { return f.Tools[i].ID() },
	check: checkTools,
	clear: func(f *Features) { f.Tools = nil },
	add:   func(f, from *Features) { f.Tools = append(f.Tools, from.Tools...) },
	rename: func(f *Features, prefix string) {
		for i := range f.Tools {
			t := &f.Tools[i]
			entry := *t.Entry
			entry.Name = prefix + entry.Name
			t.origin, t.Entry = t.ID(), &entry
		}
	},
	Changed: protocol.MethodNotificationsToolsListChanged,
	Filter:  func(l *protocol.SubscriptionFilter) **bool { return &l.ToolsListChanged },
	declare: func(c *protocol.ServerCapabilities, listChanged bool) {
		t := orNew(c.Tools)
		t.ListChanged = either(t.ListChanged, listChanged)
		c.Tools = &t
	},
	withdraw: func(c *protocol.ServerCapabilities) { c.Tools = nil },
	Offered: func(c *protocol.ServerCapabilities) (has, listChanged bool) {
		return c.Tools != nil, IsTrue(orNew(c.Tools).ListChanged)
	},
}

// checkTools returns an error for contradictory fields in the tools of f.
func checkTools(f *Features) error {
	var errs []error
	for i := range f.Tools {
		if t := &f.Tools[i]; t.Entry == nil || (t.Call == nil) == (t.Reads == nil) {
			errs = append(errs, fmt.Errorf("mcp: Features.Tools[%d]: want Entry, and Call or Reads", i))
		}
	}
	return errors.Join(errs...)
}

// promptKind is the row of prompts.
var promptKind = KindRow{
	word:   "prompt",
	Number: func(f *Features) int { return len(f.Prompts) },
	At: func(f *Features, i int) Feature {
		p := &f.Prompts[i]
		return Feature{
			p.Entry.Name, &p.Revisions, p.Tags, p.Guard, p.ListChanges, false, len(p.Complete) > 0, p.Logs, "",
		}
	},
	ID:    func(f *Features, i int) any { return f.Prompts[i].id() },
	check: checkPrompts,
	clear: func(f *Features) { f.Prompts = nil },
	add:   func(f, from *Features) { f.Prompts = append(f.Prompts, from.Prompts...) },
	rename: func(f *Features, prefix string) {
		for i := range f.Prompts {
			p := &f.Prompts[i]
			entry := *p.Entry
			entry.Name = prefix + entry.Name
			p.origin, p.Entry = p.id(), &entry
		}
	},
	Changed: protocol.MethodNotificationsPromptsListChanged,
	Filter:  func(l *protocol.SubscriptionFilter) **bool { return &l.PromptsListChanged },
	declare: func(c *protocol.ServerCapabilities, listChanged bool) {
		p := orNew(c.Prompts)
		p.ListChanged = either(p.ListChanged, listChanged)
		c.Prompts = &p
	},
	withdraw: func(c *protocol.ServerCapabilities) { c.Prompts = nil },
	Offered: func(c *protocol.ServerCapabilities) (has, listChanged bool) {
		return c.Prompts != nil, IsTrue(orNew(c.Prompts).ListChanged)
	},
}

// checkPrompts returns an error for contradictory fields in the prompts of f, and for too many arguments.
func checkPrompts(f *Features) error {
	var errs []error
	for i := range f.Prompts {
		if p := &f.Prompts[i]; p.Entry == nil || p.Get == nil || len(p.Entry.Arguments) > uri.MaxVars {
			errs = append(errs, fmt.Errorf("mcp: Features.Prompts[%d]: want Entry and Get, and at most %d arguments", i,
				uri.MaxVars))
		}
	}
	return errors.Join(errs...)
}

// orNew returns *p, or the zero value if p is nil.
func orNew[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// either returns a pointer to true if b is true, and else a.
func either(a *bool, b bool) *bool {
	if b {
		return new(true)
	}
	return a
}

// IsTrue reports whether b is not nil and *b is true.
func IsTrue(b *bool) bool { return b != nil && *b }
