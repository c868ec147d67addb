package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/templates/snip"
)

// emitForms writes the methods that make structs forms.
//
//	// MCPForm is the form that asks a user for a Contact, see mcp.Elicit.
//	func (*Contact) MCPForm() mcprt.FormSchema[Contact] {
//		return mcprt.FormSchema[Contact]{
//			Schema: `{"type":"object",…}`,
//			Decode: decodeContact,
//		}
//	}
func emitForms(f *serverFile) {
	for _, form := range f.pkg.Forms {
		of := snip.RT("FormSchema").Types(snip.GoType(form.Args.Type))
		var m snip.Members
		m.Add("Schema", snip.JSON(form.Schema, 2))
		m.Add("Decode", snip.Ident(form.Args.Decode))
		f.note("MCPForm is the form that asks a user for a " + form.Args.Type.Name + ", see mcp.Elicit.")
		f.Func().Params(snip.PtrTo(snip.GoType(form.Args.Type))).Id("MCPForm").Params().Add(of.Clone()).
			Block(jen.Return(of.Clone().Add(m.Lines(""))))
	}
}
