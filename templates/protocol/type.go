package protocol

import (
	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/templates/jenutil"
)

// emitTypes declares the structs and aliases of one group.
//
//	// Root is a folder that the client offers.
//	type Root struct {
//		// URI identifies the folder.
//		URI string
//
//		// Extra holds the members that the revision does not know.
//		Extra wire.Extra
//	}
func emitTypes(f *protocolFile) {
	f.empty = true
	for _, s := range f.p.Structs {
		if s.Group == f.group {
			f.empty = false
			f.doc(s.Doc)
			f.Type().Id(s.Go).StructFunc(func(g *jen.Group) { structFields(g, s) })
			f.Line()
		}
	}
	for _, a := range f.p.Aliases {
		if a.Group == f.group {
			f.empty = false
			f.doc(a.Doc)
			f.Type().Id(a.Go).Op("=").Add(goType(a.Type))
			f.Line()
		}
	}
}

func structFields(g *jen.Group, s *ir.Struct) {
	for _, field := range s.Fields {
		if field.Const != "" {
			continue
		}
		if field.Doc != "" {
			g.Add(jenutil.Doc(field.Doc, 4))
		}
		g.Id(field.Go).Add(goType(field.Type))
		g.Line()
	}
	g.Add(jenutil.Doc("Extra holds the members that the revision does not know, in their order.", 4))
	g.Id("Extra").Add(jenutil.Wire("Extra"))
}

var basicTypes = map[ir.Kind]string{
	ir.KindString: "string", ir.KindBool: "bool", ir.KindInt: "int64", ir.KindFloat: "float64",
}

// goType returns the Go type of a field.
func goType(t *ir.Type) *jen.Statement {
	s := jen.Null()
	if t.Ptr {
		s.Op("*")
	}
	switch t.Kind {
	case ir.KindBytes:
		return s.Index().Byte()
	case ir.KindID:
		return s.Add(jenutil.Wire("ID"))
	case ir.KindError:
		return s.Add(jenutil.Wire("Error"))
	case ir.KindAny, ir.KindObject:
		return s.Qual("encoding/json", "RawMessage")
	case ir.KindStruct, ir.KindEnum, ir.KindUnion:
		return s.Add(typeName(t.Name))
	case ir.KindList, ir.KindOneOrMany:
		return s.Index().Add(goType(t.Elem))
	case ir.KindMap:
		return s.Add(jenutil.Wire("Map")).Index(goType(t.Elem))
	default:
		return s.Id(basicTypes[t.Kind])
	}
}
