package server

import (
	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/templates/jenutil"
)

const mcptestPath = jenutil.MCPPath + "/mcptest"

// EmitPackageTest returns the text of the mcp_gen_test.go of one annotated package, which says in go test what
// mcpgen -check says.
func EmitPackageTest(p *ir.GoPackage) ([]byte, error) {
	f := newServerFile(p)
	f.ImportName(mcptestPath, "mcptest")
	f.Comment("// TestMCPGen fails if mcp_gen.go is not what the directives of this package say now.")
	f.Func().Id("TestMCPGen").Params(jen.Id("t").Op("*").Qual("testing", "T")).Block(
		jen.Qual(mcptestPath, "CheckGenerated").Call(jen.Id("t")),
	)
	return f.render("mcp_gen_test.go")
}
