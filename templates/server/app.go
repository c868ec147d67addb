package server

import (
	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/templates/jenutil"
)

// appMembers are the members of the page of an app: a file, or the document of a directory.
//
//	Extension: "io.modelcontextprotocol/ui",
//	Static:    new(mcprt.AppPage(BoardPage)),
//
//	Read:      mcpapp.Dir(BoardFiles, "app"),
func appMembers(r *ir.Resource, m *jenutil.Members) {
	value := jenutil.Ident(r.Callee.Name)
	m.Text("Extension", ir.AppsExtension)
	if r.App.Files {
		m.Add("Read", jen.Qual(jenutil.AppPath, "Dir").Call(value, jen.Lit(r.App.Dir)))
		return
	}
	if r.Result != ir.ResultText || isNamed(r.Callee.Type) {
		value = jen.String().Call(value)
	}
	m.Add("Static", jen.New(jenutil.RT("AppPage").Call(value)))
}
