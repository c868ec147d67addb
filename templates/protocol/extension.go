package protocol

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/version"
	"github.com/mcpgen/mcpgen/templates/jenutil"
)

// coreType names what holds a message of the core's package among those of an extension, and the method of a version
// that returns the revision of the core.
const coreType = "Core"

// emitExtensionDoc writes the package comment of an extension and declares its identifier.
//
//	// ID is the identifier of the extension, under which both sides declare it.
//	const ID = "io.modelcontextprotocol/tasks"
//
//	// Since is the first revision of the core in which the extension is spoken.
//	const Since = protocol.Revision20260728
func emitExtensionDoc(f *protocolFile) {
	x := f.p.Extension
	text := "Package " + f.name + " has the messages of the extension " + x.ID + " of the Model Context Protocol: one " +
		"Go type for each definition that the extension adds, merged over its [Revisions]. What it has from the core is in " +
		"package " + x.Name + ".\n\n" +
		"Codecs take a [Revision] of the extension and work as those of the core do. They do not depend on the revision of " +
		"the core that was negotiated: what a message has from the core is always as in [Revision.Core]."
	for _, line := range jenutil.Wrap(text, jenutil.DocWidth) {
		f.PackageComment("// " + line)
	}
	f.Type().Id("_").Add(jenutil.Wire(version.Contract))
	f.Line()
	f.doc("ID is the identifier of the extension, under which both sides declare it.")
	f.Const().Id("ID").Op("=").Lit(x.ID)
	f.Line()
	f.doc("Since is the first revision of the core in which the extension is spoken.")
	f.Const().Id("Since").Op("=").Add(typeName(x.Since))
}

// emitCore writes the method that returns what a version extends. Versions that follow each other share a condition.
//
//	func (r Revision) Core() protocol.Revision {
//		if r <= Revision20260126 {
//			return protocol.Revision20251125
//		}
//		return protocol.Revision20260728
//	}
func emitCore(f *protocolFile) {
	f.Line()
	f.doc("Core returns the revision of the core that the version of the extension extends.")
	receiver, revisions := jen.Id("r"), f.p.Revisions
	newest := revisions[len(revisions)-1].Core
	if revisions[0].Core == newest {
		receiver = jen.Null()
	}
	f.Func().Params(receiver.Id("Revision")).Id(coreType).Params().Add(core(f.p, "Revision")).
		BlockFunc(func(g *jen.Group) {
			for i, r := range revisions[:len(revisions)-1] {
				if next := revisions[i+1].Core; r.Core != next {
					g.If(jen.Id("r").Op("<=").Id(r.Go)).Block(jen.Return(typeName(r.Core)))
				}
			}
			g.Return(typeName(newest))
		})
}

// emitCoreMessage declares what makes a message of the core a member of a union of the extension, or a reply, if there
// are any.
//
//	type Core struct {
//		Message interface {
//			AppendJSON(b []byte, rev protocol.Revision) []byte
//		}
//	}
func emitCoreMessage(f *protocolFile) {
	if f.empty = !hasCoreMember(f.p); f.empty {
		return
	}
	f.doc("Core holds a message of package " + f.p.Extension.Name + " where the extension has one: as a member of a " +
		"union, or as a reply. It is written as in [Revision.Core].")
	appendJSON := jen.Id("AppendJSON").Params(jen.Id("b").Index().Byte(), jen.Id("rev").Add(core(f.p, "Revision"))).
		Index().Byte()
	f.Type().Id(coreType).Struct(jen.Id("Message").Interface(appendJSON))
	f.Line()
	f.doc("AppendJSON appends the message; nil is null.")
	f.Func().Params(jen.Id("c").Id(coreType)).Add(appendMethod()).Block(
		jen.If(jen.Id("c").Dot("Message").Op("==").Nil()).Block(
			jen.Return(jen.Append(jen.Id("b"), jen.Lit("null").Op("..."))),
		),
		jen.Return(jen.Id("c").Dot("Message").Dot("AppendJSON").Call(jen.Id("b"), jen.Id("rev").Dot(coreType).Call())),
	)
}

// hasCoreMember reports whether a union of an extension, or a reply, has a member that is the core's.
func hasCoreMember(p *ir.Protocol) bool {
	var all []string
	for _, u := range p.Unions {
		all = append(all, structsOf(u)...)
	}
	for _, m := range requestMethods(p) {
		all = append(all, m.Results...)
	}
	return slices.ContainsFunc(all, isForeign)
}

// coreCase handles the members of a union that are the core's, if some are replaced.
//
//	case Core:
//		switch v := v.Message.(type) {
//		case *protocol.AudioContent:
//			…
//		}
func coreCase(g *jen.Group, p *ir.Protocol, u *ir.Union) {
	if !slices.ContainsFunc(u.Variants, func(v *ir.Variant) bool { return v.Downgrade != nil && isForeign(v.Struct) }) {
		return
	}
	g.Case(jen.Id(coreType)).Block(
		jen.Switch(jen.Id("v").Op(":=").Id("v").Dot("Message").Assert(jen.Type())).BlockFunc(func(g *jen.Group) {
			downgradeCases(g, p, u, true)
		}),
	)
}

// members lists the members of a union, or the replies of a request, as values of its Go type.
func members(structs []string) []string {
	out := make([]string, len(structs))
	for i, s := range structs {
		out[i] = "*" + shortName(s)
		if isForeign(s) {
			out[i] = coreType + "{" + out[i] + "}"
		}
	}
	return out
}

// markMembers makes structs members of a union, or replies of a request. Those of the core are that in a Core.
//
//	func (*AudioContent) contentBlock() {}
//	func (Core) contentBlock()          {}
func markMembers(f *protocolFile, method string, structs []string) {
	for _, s := range structs {
		if !isForeign(s) {
			f.Func().Params(jenutil.Ptr(s)).Id(method).Params().Block()
		}
	}
	if slices.ContainsFunc(structs, isForeign) {
		f.Func().Params(jen.Id(coreType)).Id(method).Params().Block()
	}
}
