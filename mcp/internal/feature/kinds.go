package feature

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// All calls yield for every feature, with its kind and its index among the features of that kind.
func (f *Features) All(yield func(k Kind, i int, x Feature)) {
	for k, row := range Kinds {
		for i := range row.Number(f) {
			yield(Kind(k), i, row.At(f, i))
		}
	}
}

// addCapabilities adds the capabilities of o to c. It changes nothing that o or c points to.
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
	for _, row := range Kinds {
		if has, listChanged := row.Offered(o); has {
			row.declare(c, listChanged)
		}
	}
	if r := o.Resources; r != nil {
		c.Resources.Subscribe = either(c.Resources.Subscribe, IsTrue(r.Subscribe))
	}
	for _, e := range o.Extensions {
		addExtension(c, e.Name, e.Value)
	}
}

// AllCapabilities returns the capabilities of the features that f offers, and those in f.Capabilities.
func (f *Features) AllCapabilities() protocol.ServerCapabilities {
	c := f.Capabilities // with what no kind of feature declares
	c.Completions, c.Logging = nil, nil
	withdrawAll(&c)
	addCapabilities(&c, &f.Capabilities)
	var has, listChanges [NumKinds]bool
	subscribes := false
	f.All(func(k Kind, _ int, x Feature) {
		if x.Served.Off {
			return
		}
		has[k], listChanges[k] = true, listChanges[k] || x.listChanges
		subscribes = subscribes || x.subscribes
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
	for k, row := range Kinds {
		if has[k] {
			row.declare(&c, listChanges[k])
		}
	}
	if subscribes {
		c.Resources.Subscribe = new(true)
	}
	if f.Extensions != nil {
		f.Extensions.Features(func(x Feature) {
			if x.logs && !x.Served.Off && c.Logging == nil {
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

// withdrawAll removes the capabilities of all kinds of features from c.
func withdrawAll(c *protocol.ServerCapabilities) {
	for _, row := range Kinds {
		row.withdraw(c)
	}
}

// clone replaces the features of f by copies, which can be changed.
func (f *Features) clone() {
	from := *f
	f.clear()
	for _, row := range Kinds {
		row.add(f, &from)
	}
}

// clear removes all features from f.
func (f *Features) clear() {
	for _, row := range Kinds {
		row.clear(f)
	}
}

// Renamed returns f with prefix before the names of its features. For an empty prefix it returns f itself. It changes
// nothing that f points to.
func Renamed(f *Features, prefix string) *Features {
	if prefix == "" {
		return f
	}
	out := *f
	out.clone()
	for _, row := range Kinds {
		if row.rename != nil {
			row.rename(&out, prefix)
		}
	}
	return &out
}

// addAll adds the features of another member to those of f, and their names to taken. A name that is in taken already
// is an error.
func (f *Features) addAll(member *Features, taken *[NumKinds]NameIndex) error {
	for k, row := range Kinds {
		for i := range row.Number(member) {
			if name := row.At(member, i).Name; row.rename != nil && !taken[k].Add(name) {
				return fmt.Errorf("mcp: Join: two members have a %s %q", row.word, name)
			}
		}
		row.add(f, member)
	}
	return nil
}

// NameIndex finds features by name.
type NameIndex map[string]int

// Add gives name the next index. It returns false if name has an index already.
func (p NameIndex) Add(name string) bool {
	if _, twice := p[name]; twice {
		return false
	}
	p[name] = len(p)
	return true
}

// Find returns the index of name; -1 if it has none.
func (p NameIndex) Find(name string) int {
	if i, ok := p[name]; ok {
		return i
	}
	return -1
}

// CapabilitiesIn returns the capabilities that clients of rev are told.
func (f *Features) CapabilitiesIn(rev protocol.Revision) protocol.ServerCapabilities {
	c := f.Capabilities
	if len(c.Extensions) > 0 && !era.IsModern(rev) { // clients in use look for the member here too
		c.Extra = slices.Clone(c.Extra)
		c.Extra.Set(call.MemberExtensions, wire.AppendMap(nil, c.Extensions, wire.AppendObject))
	}
	if x := f.Extensions; x != nil {
		x.Declare(&c, rev)
	}
	return c
}

// Check reports contradictions in f, which generated code does not have.
func (f *Features) Check() error {
	var errs [NumKinds + 1]error
	for k, row := range Kinds {
		errs[k] = row.check(f)
	}
	if f.Extensions != nil {
		errs[NumKinds] = f.Extensions.Check()
	}
	return errors.Join(errs[:]...)
}
