package protocolir

import (
	"cmp"
	"slices"

	"github.com/mcpgen/mcpgen/internal/protocolir/merged"
	"github.com/mcpgen/mcpgen/internal/protocolir/revision"
	"github.com/mcpgen/mcpgen/schema"
)

// foreignName returns the qualified Go name of a definition, or "" if it is no type of the core's package. A definition
// that the extension changes is none.
func (b *builder) foreignName(d *merged.Def) string {
	x := b.extension
	if x == nil || x.Own[d.Name] || x.Files[d.Pos.File] && !slices.Contains(x.MetaNames(), d.Name) {
		return ""
	}
	for _, s := range x.Core.Protocol.Structs {
		if s.Schema == d.Name && d.Kind == revision.Struct {
			return x.CoreName(s.Go)
		}
	}
	for _, e := range x.Core.Protocol.Enums {
		if e.Schema == d.Name && d.Kind == revision.Enum {
			return x.CoreName(e.Go)
		}
	}
	for _, u := range x.Core.Protocol.Unions {
		if u.Schema == d.Name && d.Kind == revision.Union {
			return x.CoreName(u.Go)
		}
	}
	return ""
}

// likeDoc returns the doc sentence of a field, taken from another object that has it: an object of the core that this
// one includes, or one of the extension whose members are all in this one.
func (b *builder) likeDoc(d *merged.Def, f *merged.Field) string {
	x := b.extension
	if x == nil {
		return ""
	}
	for _, base := range d.Bases {
		if doc := x.Core.Docs.Field(base, f.JSON); doc != "" {
			return doc
		}
	}
	for _, like := range b.likes(d) {
		if doc := b.docs.Field(like.Name, f.JSON); doc != "" {
			return doc
		}
	}
	return ""
}

// likes lists the definitions of the extension whose properties are all in an object, the largest first.
func (b *builder) likes(d *merged.Def) []*schema.Def {
	lacks := func(p *schema.Property) bool { return d.Field(p.Name) == nil }
	var out []*schema.Def
	for _, v := range b.extension.Extension.Versions {
		for _, def := range v.Defs {
			properties := def.Node.Properties
			if len(properties) >= minLike && b.extension.Own[def.Name] && !slices.ContainsFunc(properties, lacks) {
				out = append(out, def)
			}
		}
	}
	slices.SortFunc(out, func(a, b *schema.Def) int {
		return cmp.Or(len(b.Node.Properties)-len(a.Node.Properties), cmp.Compare(a.Name, b.Name))
	})
	return out
}

// minLike is how many properties an object must have for others to take over its sentences.
const minLike = 3

// reach finds what the package of an extension has to declare: what the extension adds, and what that refers to, as far
// as the package of the core does not declare it.
func (b *builder) reach() {
	x := b.extension
	if x == nil {
		return
	}
	b.reached = map[string]bool{}
	for name, foreign := range b.goNames {
		b.reached[name] = foreign != "" // the way ends here
	}
	for _, d := range b.Order {
		if x.Own[d.Name] {
			b.Mark(d.Name, b.reached)
		}
	}
	for _, m := range b.Methods {
		b.Mark(m.Params, b.reached)
		for _, r := range m.Results {
			b.Mark(r, b.reached)
		}
	}
	for _, c := range b.Codes {
		if x.Own[c.Def] {
			b.Mark(c.Data, b.reached)
		}
	}
}
