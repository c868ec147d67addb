package protocolir

import (
	"strings"

	"github.com/mcpgen/mcpgen/internal/goname"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/schema"
)

// typeDoc returns the doc comment of a type: the sentence of docs.json or one made from
// the name, and the revisions that have it.
func (b *protocolBuilder) typeDoc(name string, d *mergedDef, doc string) string {
	if doc == "" {
		key := schema.DocKey{Section: "types", Name: d.path}
		if d.kind == defEnum {
			key = schema.DocKey{Section: "enums", Name: d.name}
		}
		b.missing = append(b.missing, key)
		doc = name + " is the " + d.path + " object of the protocol."
	}
	doc = rename(doc, goname.Of(d.path), name)
	if note := b.note(d.revs, b.all); note != "" && !b.tells(doc, d.revs) {
		doc += "\n\n" + note
	}
	return doc
}

// memberDoc returns the doc comment of a field, an enum value, a method or a code. The key
// is what its sentence is looked up by.
func (b *protocolBuilder) memberDoc(key schema.DocKey, doc string, revs, owner ir.Revs) string {
	if doc == "" {
		b.missing = append(b.missing, key)
	}
	note := b.note(revs, owner)
	switch {
	case doc == "" || note == "":
		return doc + note
	case b.tells(doc, revs):
		return doc
	default:
		return doc + " " + note
	}
}

// tells reports whether a sentence already names the revision in which something came or
// after which it went.
func (b *protocolBuilder) tells(doc string, revs ir.Revs) bool {
	first, after := revs.First(), revs.Last()+1
	if first > 0 && !strings.Contains(doc, b.schemas[first].Revision) {
		return false
	}
	if after == len(b.schemas) {
		return true
	}
	return strings.Contains(doc, b.schemas[after].Revision) || strings.Contains(doc, b.schemas[after-1].Revision)
}

// rename lets a sentence that begins with the computed name of an anonymous type begin
// with the name that the exceptions chose for it.
func rename(doc, from, to string) string {
	if rest, ok := strings.CutPrefix(doc, from+" "); ok {
		return to + " " + rest
	}
	return doc
}

// note says in words which revisions have something, or nothing if its owner has the same.
func (b *protocolBuilder) note(revs, owner ir.Revs) string {
	if revs == 0 || revs&owner == owner {
		return ""
	}
	date := func(i int) string { return b.schemas[i].Revision }
	first, last := revs.First(), revs.Last()
	switch {
	case first == last && last < len(b.schemas)-1:
		return "Only in " + date(first) + "."
	case !revs.Contiguous():
		return "In " + b.dates(revs) + "."
	case last == owner.Last():
		return "Since " + date(first) + "."
	case first == owner.First():
		return "Until " + date(last) + "."
	default:
		return "From " + date(first) + " to " + date(last) + "."
	}
}

func (b *protocolBuilder) dates(revs ir.Revs) string {
	var list []string
	for i, s := range b.schemas {
		if revs.Has(i) {
			list = append(list, s.Revision)
		}
	}
	last := len(list) - 1
	return strings.Join(list[:last], ", ") + " and " + list[last]
}

// see tells the docs about everything that the schemas have, with or without a Go
// declaration, so that only entries about nothing are left over.
func (b *protocolBuilder) see() {
	for _, s := range b.schemas {
		for _, d := range s.Defs {
			if b.extension != nil && !b.extension.own[d.Name] {
				continue
			}
			b.seeNode(s, d.Name, d.Node)
			for _, v := range d.Node.Enum {
				b.docs.Seen("enums " + d.Name + "." + v.Text)
			}
			if p := d.Node.Property("params"); p != nil && methodOf(d.Node) != "" {
				b.seeNode(s, d.Name+"Params", p.Node)
			}
		}
	}
	for _, d := range b.order {
		if isForeign(b.goNames[d.name]) {
			continue
		}
		for _, f := range d.fields {
			b.docs.Seen("types " + d.path + "." + f.json)
		}
	}
}

func (b *protocolBuilder) seeNode(s *schema.Schema, path string, n *schema.Node) {
	b.docs.Seen("types " + path)
	b.docs.Seen("enums " + path)
	for _, p := range n.Properties {
		b.seeNode(s, path+"."+p.Name, p.Node)
	}
	for _, part := range n.AllOf {
		if part.Ref != "" {
			part = s.Lookup(part.Ref).Node
		}
		b.seeNode(s, path, part)
	}
	if n.Items != nil {
		b.seeNode(s, path, n.Items)
	}
}
