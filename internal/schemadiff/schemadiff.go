// Package schemadiff compares the JSON schemas of two protocol revisions, place by place.
//
// It reads the schemas as they are and knows nothing of the Go types that are generated from them; the names of those
// come from a [Names]. Definitions of both revisions are paired first: by name, by the aliases of the exceptions, by
// method and error code, and by their place. Each pair is then compared on its own, so that a change of a definition
// is told once and not at every place that refers to it.
//
// A spelling that allows the same values is no change: additionalProperties of {}, of true and none at all, the order
// of alternatives, and an anonymous type that got a name.
package schemadiff

import (
	"cmp"
	"slices"

	"github.com/mcpgen/mcpgen/schema"
)

// Compare returns what changed from the older to the newer schema, sorted by kind and place.
func Compare(older, newer *schema.Schema, ex *schema.Exceptions, names Names) []Change {
	d := &differ{older: older, newer: newer, ex: ex, names: names}
	d.pairs = newPairs(older, newer, ex)
	d.definitions()
	d.methods()
	d.results()
	d.codes()
	for i := range d.list {
		if d.list[i].Means == "" {
			d.list[i].Means = meaning(&d.list[i])
		}
	}
	slices.SortStableFunc(d.list, func(a, b Change) int {
		return cmp.Or(cmp.Compare(slices.Index(Kinds, a.Kind), slices.Index(Kinds, b.Kind)),
			cmp.Compare(a.Place, b.Place), cmp.Compare(a.Item, b.Item))
	})
	return d.list
}

// definitions compares all but the lists of methods, whose changes are told as those of methods.
func (d *differ) definitions() {
	for _, old := range d.older.Defs {
		name, paired := d.pairs.newer[old.Name]
		if !paired {
			d.lone(d.older, old, "removed")
			continue
		}
		def := d.newer.Lookup(name)
		at := place{definition: name, schema: d.newer, method: methodOf(def.Node) != ""}
		if name != old.Name {
			d.add(Change{Kind: KindDefinition, What: "renamed", Place: name, Old: old.Name, New: name,
				Go: d.names.Definition(d.newer, name)})
		}
		if !d.isRole(name) {
			d.node(at, old.Node, def.Node)
		}
	}
	for _, def := range d.newer.Defs {
		if _, paired := d.pairs.older[def.Name]; !paired {
			d.lone(d.newer, def, "added")
		}
	}
}

// lone reports a definition of one revision. Methods and errors are told as such.
func (d *differ) lone(s *schema.Schema, def *schema.Def, what string) {
	if methodOf(def.Node) != "" || len(codesOf(def.Node)) > 0 {
		return
	}
	c := Change{Kind: KindDefinition, What: what, Place: def.Name, Go: d.names.Definition(s, def.Name)}
	if what == "added" {
		c.New = formOfDefinition(def.Node)
	} else {
		c.Old = formOfDefinition(def.Node)
	}
	d.add(c)
}
