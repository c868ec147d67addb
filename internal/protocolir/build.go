package protocolir

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/goname"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/protocolir/comment"
	"github.com/mcpgen/mcpgen/internal/protocolir/merged"
	"github.com/mcpgen/mcpgen/internal/protocolir/record"
	"github.com/mcpgen/mcpgen/internal/protocolir/revision"
	"github.com/mcpgen/mcpgen/schema"
)

func (b *builder) build() *ir.Protocol {
	p := &ir.Protocol{}
	for _, s := range b.Schemas {
		name := b.names.claim("Revision"+strings.ReplaceAll(s.Revision, "-", ""), "X")
		p.Revisions = append(p.Revisions, ir.Revision{Date: s.Revision, Go: name})
	}
	b.comments.Dates, b.comments.All = b.Dates(), p.All()
	for _, g := range b.ex.Groups {
		p.Groups = append(p.Groups, g.Name)
	}
	p.Groups = append(p.Groups, b.group(""))
	slices.Sort(p.Groups)
	for _, d := range b.Order {
		if name := b.foreignName(d); name != "" {
			b.goNames[d.Name] = name
		}
	}
	b.reach()
	for _, d := range b.Order {
		if b.goNames[d.Name] == "" && b.wanted(d) {
			b.goNames[d.Name] = b.claimType(d)
		}
	}
	p.EmptyResult = b.goNames[b.Empty]
	for _, d := range b.Order {
		if name := b.goNames[d.Name]; name == "" || record.IsForeign(name) {
			continue
		}
		switch d.Kind {
		case revision.Struct:
			p.Structs = append(p.Structs, b.structOf(d))
		case revision.Enum:
			p.Enums = append(p.Enums, b.enumOf(d))
		case revision.Union:
			p.Unions = append(p.Unions, b.unionOf(d))
		case revision.Alias:
			p.Aliases = append(p.Aliases, b.aliasOf(d))
		}
	}
	b.methodsOf(p)
	b.codesOf(p)
	b.markersOf(p)
	comment.See(b.docs, b.Schemas, func(name string) bool { return b.extension == nil || b.extension.Own[name] })
	for _, d := range b.Order {
		if record.IsForeign(b.goNames[d.Name]) {
			continue
		}
		for _, f := range d.Fields {
			b.docs.Seen("types " + d.Path + "." + f.JSON)
		}
	}
	b.review()
	return p
}

func (b *builder) enumOf(d *merged.Def) *ir.Enum {
	e := &ir.Enum{Go: b.goNames[d.Name], Schema: d.Name, Group: b.group(d.Name), Revs: d.Revs}
	doc := b.docs.Enum(d.Name)
	if doc == "" {
		doc = b.docs.Type(d.Name)
	}
	e.Doc = b.comments.Type(e.Go, d, doc)
	kept := b.API.Types[d.Name].Values
	for _, v := range d.Values {
		value := ir.EnumValue{Go: b.names.claimKept(kept[v.Text], e.Go+goname.Of(v.Text), "Value"), Value: v.Text,
			Revs: v.Revs}
		key := schema.DocKey{Section: "enums", Name: d.Name, Member: v.Text}
		value.Doc = b.comments.Member(key, b.docs.Value(d.Name, v.Text), v.Revs, d.Revs)
		e.Values = append(e.Values, value)
	}
	return e
}

func (b *builder) aliasOf(d *merged.Def) *ir.Alias {
	a := &ir.Alias{Go: b.goNames[d.Name], Schema: d.Name, Group: b.group(d.Name), Revs: d.Revs, Type: b.typeRef(d.Alias)}
	a.Doc = b.comments.Type(a.Go, d, b.docs.Type(d.Path))
	return a
}
