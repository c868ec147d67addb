package feature

import (
	"sync"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/uri"
)

// Registry finds the features of one server by their names and URIs, and knows which of them are switched off. A
// feature is named by its kind and its index among those of the kind. Registry is safe for concurrent use.
type Registry struct {
	*Features
	indexes [NumKinds]atomic.Pointer[NameIndex] // nil before their first use: there may be thousands of resources
	states  [NumKinds][]state
	// canonicalIndex has for each resource the index of the one that it is an alias of, else its own; nil without aliases.
	canonicalIndex []int
	keys           sync.Pool // of *Key
}

// state says whether clients may know of a feature: whether it is switched off, and which revisions have it.
type state struct {
	off    atomic.Bool
	served *RevisionRange
}

// Init makes r the registry of f, which must not change any more, except that it may get the capability of tools when a
// tool is added at run time.
func (r *Registry) Init(f *Features) {
	r.Features, r.canonicalIndex = f, canonicalIndexOf(f.Resources)
	for k, row := range Kinds {
		r.states[k] = make([]state, row.Number(f))
	}
	f.All(func(k Kind, i int, x Feature) { r.states[k][i].served = x.Served })
}

// canonicalIndexOf makes the index of [Registry].
func canonicalIndexOf(list []Resource) []int {
	aliases := false
	for i := range list {
		aliases = aliases || list[i].AliasOf != ""
	}
	if !aliases {
		return nil
	}
	places := make(map[string]int, len(list)) // by URI or template
	for i := range list {
		places[list[i].URI()] = i
	}
	index := make([]int, len(list))
	for i := range list {
		index[i] = i
		if j, ok := places[list[i].AliasOf]; ok {
			index[i] = j
		}
	}
	return index
}

// Canonical returns the index of the resource that the i-th one is an alias of; i if it is no alias.
func (r *Registry) Canonical(i int) int {
	if r.canonicalIndex == nil {
		return i
	}
	return r.canonicalIndex[i]
}

// index returns the indexes of the features of a kind by name. Those of resources are by URI, without the templates.
func (r *Registry) index(k Kind) NameIndex {
	if p := r.indexes[k].Load(); p != nil {
		return *p
	}
	n := Kinds[k].Number(r.Features)
	index := make(NameIndex, n)
	for i := range n {
		if k != KindResource || r.Resources[i].Template == nil {
			index[Kinds[k].At(r.Features, i).Name] = i
		}
	}
	r.indexes[k].Store(&index)
	return index
}

// Find returns the index of the tool or prompt called name; -1 if there is none.
func (r *Registry) Find(k Kind, name string) int { return r.index(k).Find(name) }

// Route returns the index of the resource that serves uri, or -1. It stores the variables of uri in v.
func (r *Registry) Route(uri string, v *uri.Vars) int {
	v.Reset()
	if i := r.index(KindResource).Find(uri); i >= 0 || r.Features.Route == nil {
		return i
	}
	return r.Features.Route(uri, v)
}

// RouteFor is Route for clients of rev: it also returns -1 for resources that they may not know of.
func (r *Registry) RouteFor(uri string, v *uri.Vars, rev protocol.Revision) int {
	i := r.Route(uri, v)
	if i < 0 || !r.Visible(KindResource, i, rev) {
		return -1
	}
	return i
}

// IndexOf is Route without the variables.
func (r *Registry) IndexOf(uri string) int {
	k := r.takeKey()
	defer r.keys.Put(k)
	return r.Route(uri, &k.vars)
}

// Visible reports whether clients of rev may know of a feature.
func (r *Registry) Visible(k Kind, i int, rev protocol.Revision) bool {
	x := &r.states[k][i]
	return !x.off.Load() && x.served.Has(rev)
}

// Prompt returns the prompt called name that clients of rev may know, or nil.
func (r *Registry) Prompt(name string, rev protocol.Revision) *Prompt {
	i := r.Find(KindPrompt, name)
	if i < 0 || !r.Visible(KindPrompt, i, rev) {
		return nil
	}
	return &r.Prompts[i]
}

// TemplateOf returns the template with the given text that clients of rev may know, or nil.
func (r *Registry) TemplateOf(text string, rev protocol.Revision) *Resource {
	for i := range r.Resources {
		x := &r.Resources[i]
		if x.Template != nil && x.Template.URITemplate == text && r.Visible(KindResource, i, rev) {
			return x
		}
	}
	return nil
}

// Has reports whether there is a feature with this identity.
func (r *Registry) Has(k Kind, id any) bool {
	for i := range r.states[k] {
		if Kinds[k].ID(r.Features, i) == id {
			return true
		}
	}
	return false
}

// Off reports whether a feature is switched off.
func (r *Registry) Off(k Kind, i int) bool { return r.states[k][i].off.Load() }

// Switch switches the features with an id on or off, and calls changed for each of them that was not so before.
func (r *Registry) Switch(k Kind, id any, on bool, changed func(i int)) {
	for i := range r.states[k] {
		if Kinds[k].ID(r.Features, i) == id && r.states[k][i].off.Swap(!on) == on {
			changed(i)
		}
	}
}
