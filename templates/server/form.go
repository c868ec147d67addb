package server

import (
	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/templates/jenutil"
)

// emitForms writes the methods that make structs forms.
//
//	// MCPForm is the form that asks a user for a Contact, see mcp.AskForm.
//	func (*Contact) MCPForm() mcprt.FormSchema[Contact] {
//		return mcprt.FormSchema[Contact]{
//			Schema: `{"type":"object",…}`,
//			Decode: decodeContact,
//		}
//	}
func emitForms(f *serverFile) {
	for _, form := range f.pkg.Forms {
		f := f.of(form.Args.File)
		of := jenutil.RT("FormSchema").Types(jenutil.GoType(form.Args.Type))
		var m jenutil.Members
		m.Add("Schema", jenutil.JSON(form.Schema, 2))
		m.Add("Decode", jenutil.Ident(form.Args.Decode))
		f.note("MCPForm is the form that asks a user for a " + form.Args.Type.Name + ", see mcp.AskForm.")
		f.Func().Params(jenutil.PtrTo(jenutil.GoType(form.Args.Type))).Id("MCPForm").Params().Add(of.Clone()).
			Block(jen.Return(of.Clone().Add(m.Lines(""))))
	}
}
