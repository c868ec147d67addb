package protocol

import (
	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/templates/jenutil"
)

// emitEnums declares the string enumerations. They are open: other values are kept.
//
//	// Role says who speaks.
//	type Role string
//
//	// Values of Role.
//	const (
//		RoleUser Role = "user"
//	)
func emitEnums(f *protocolFile) {
	f.empty = len(f.p.Enums) == 0
	for _, e := range f.p.Enums {
		f.doc(e.Doc)
		f.Type().Id(e.Go).String()
		f.Line()
		f.doc("The values of " + e.Go + " that this package knows. Others are kept as they are.")
		f.Const().DefsFunc(func(g *jen.Group) {
			for _, v := range e.Values {
				if v.Doc != "" {
					g.Add(jenutil.Doc(v.Doc, 4))
				}
				g.Id(v.Go).Id(e.Go).Op("=").Lit(v.Value)
			}
		})
		f.Line()
	}
}

// emitCodes declares the JSON-RPC error codes that the schemas name.
func emitCodes(f *protocolFile) {
	f.empty = len(f.p.Codes) == 0
	f.doc("Error codes of the protocol. The schemas name no others.")
	f.Const().DefsFunc(func(g *jen.Group) {
		for _, c := range f.p.Codes {
			if c.Doc != "" {
				g.Add(jenutil.Doc(c.Doc, 4))
			}
			g.Id(c.Go).Op("=").Id(c.Value)
		}
	})
}

// emitUnions declares the unions.
//
//	// ContentBlock is one unit of output.
//	//
//	// It is one of *AudioContent and *TextContent.
//	type ContentBlock interface {
//		AppendJSON(b []byte, rev Revision) []byte
//		contentBlock()
//	}
func emitUnions(f *protocolFile) {
	f.empty = len(f.p.Unions) == 0 && len(requestMethods(f.p)) == 0
	emitUnknown(f)
	for _, u := range f.p.Unions {
		f.doc(u.Doc + "\n\n" + "It is one of " + series(members(structsOf(u))) + ", or an *Unknown.")
		f.Type().Id(u.Go).InterfaceFunc(func(g *jen.Group) {
			g.Add(appendMethod())
			g.Id(u.Marker).Params()
		})
		f.Line()
		markMembers(f, u.Marker, structsOf(u))
		f.Line()
		emitUnionEncoder(f, u)
		emitUnionDecoder(f, u)
	}
}

func appendMethod() *jen.Statement {
	return jen.Id("AppendJSON").Params(jen.Id("b").Index().Byte(), jen.Id("rev").Add(revision())).Index().Byte()
}

func structsOf(u *ir.Union) []string {
	names := make([]string, len(u.Variants))
	for i, v := range u.Variants {
		names[i] = v.Struct
	}
	return names
}
