package feature

import (
	"sync"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/uri"
)

// Registry finds the features of one server by their names and URIs, and knows which features are switched off. Its
// methods identify a feature by its kind and its index among the features of the kind. It is safe for concurrent use.
type Registry struct {
	*Features
	indexes [NumKinds]atomic.Pointer[NameIndex] // nil before their first use: there may be thousands of resources
	states  [NumKinds][]state
	// canonicalIndex has, for each resource, the index of the resource of which it is an alias, or its own index if it is
	// no alias; nil without aliases.
	canonicalIndex []int
	keys           sync.Pool // of *Key
}

// state says whether a feature is switched off, and which revisions have it.
type state struct {
	off    atomic.Bool
	served RevisionRange
}

// Init makes r the registry of f. Afterwards f must not change, except that the capability of tools may be added with a
// tool at run time.
func (r *Registry) Init(f *Features) {
	r.Features, r.canonicalIndex = f, canonicalIndexOf(f.Resources)
	for k, row := range Kinds {
		r.states[k] = make([]state, row.Number(f))
	}
	f.All(func(k Kind, i int, x Feature) { r.states[k][i].served = *x.Served })
}

// canonicalIndexOf returns the canonicalIndex of a [Registry] for list.
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

// Canonical returns the index of the resource of which the i-th is an alias; i if the i-th is no alias.
func (r *Registry) Canonical(i int) int {
	if r.canonicalIndex == nil {
		return i
	}
	return r.canonicalIndex[i]
}

// index returns the indexes of the features of a kind by name. For resources it has those with a literal URI, by this
// URI.
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

// Route returns the index of the resource that serves uri; -1 if there is none. It sets v to the variables of uri.
func (r *Registry) Route(uri string, v *uri.Vars) int {
	v.Reset()
	if i := r.index(KindResource).Find(uri); i >= 0 || r.Features.Route == nil {
		return i
	}
	return r.Features.Route(uri, v)
}

// RouteFor is Route for clients of rev: it also returns -1 for a resource that is switched off or that rev does not
// have.
func (r *Registry) RouteFor(uri string, v *uri.Vars, rev protocol.Revision) int {
	i := r.Route(uri, v)
	if i < 0 || !r.Visible(KindResource, i, rev) {
		return -1
	}
	return i
}

// IndexOf is Route without the result in v.
func (r *Registry) IndexOf(uri string) int {
	k := r.takeKey()
	defer r.keys.Put(k)
	return r.Route(uri, &k.vars)
}

// Visible reports whether a feature exists for clients of rev: it is not switched off, and rev has it.
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

// Has reports whether there is a feature of kind k with the identity id (see [KindRow].ID).
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

// Switch switches the features of kind k with the identity id on or off. It calls changed with the index of each
// feature whose state has changed.
func (r *Registry) Switch(k Kind, id any, on bool, changed func(i int)) {
	for i := range r.states[k] {
		if Kinds[k].ID(r.Features, i) == id && r.states[k][i].off.Swap(!on) == on {
			changed(i)
		}
	}
}
