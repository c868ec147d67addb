package protocolir

import (
	"cmp"
	"slices"
)

// minLike is how many properties an object must have for others to take over its sentences.
const minLike = 3

// fieldDoc returns the sentence of a field that an object has from another one: an object of the core that it
// includes, or one of the extension all of whose members it repeats.
func (x *extension) fieldDoc(d *mergedDef, f *mergedField) string {
	if x == nil {
		return ""
	}
	for _, base := range d.bases {
		if doc := x.core.Tables.Docs.Field(base, f.json); doc != "" {
			return doc
		}
	}
	for _, like := range x.likes(d) {
		if doc := x.ext.Docs.Field(like, f.json); doc != "" {
			return doc
		}
	}
	return ""
}

// likes lists the definitions of the extension all of whose properties an object has, the largest first.
func (x *extension) likes(d *mergedDef) []string {
	type candidate struct {
		name string
		size int
	}
	var list []candidate
	for _, v := range x.ext.Versions {
		for _, def := range v.Defs {
			names := def.Node.Properties
			if len(names) < minLike || !x.own[def.Name] {
				continue
			}
			all := true
			for _, p := range names {
				all = all && d.field(p.Name) != nil
			}
			if all {
				list = append(list, candidate{def.Name, len(names)})
			}
		}
	}
	slices.SortFunc(list, func(a, b candidate) int { return cmp.Or(b.size-a.size, cmp.Compare(a.name, b.name)) })
	var out []string
	for _, c := range list {
		out = append(out, c.name)
	}
	return out
}

// reach finds what the package of an extension declares: what the extension adds, and what that refers to unless the
// core's package has it.
func (b *protocolBuilder) reach() {
	x := b.extension
	if x == nil {
		return
	}
	b.reached = map[string]bool{}
	for name, foreign := range b.goNames {
		b.reached[name] = foreign != "" // the way ends here
	}
	for _, d := range b.order {
		if x.own[d.name] {
			b.mark(d.name, b.reached)
		}
	}
	for _, m := range b.methods {
		b.mark(m.params, b.reached)
		for _, r := range m.results {
			b.mark(r, b.reached)
		}
	}
	for _, c := range b.codes {
		if x.own[c.def] {
			b.mark(c.data, b.reached)
		}
	}
}
