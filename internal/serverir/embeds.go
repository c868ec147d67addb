package serverir

import (
	"fmt"
	"go/ast"
	"os"

	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/load/embedfile"
	"github.com/mcpgen/mcpgen/internal/serverir/gotype"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
)

// embeds reports //go:embed lines of annotated variables that the compiler would refuse. The go command reports only
// the first one, and only when the package is built.
func (b *packageBuilder) embeds() {
	for _, d := range b.Pkg.Decls {
		if d.Primary == nil || d.Primary.Bad {
			continue
		}
		if len(d.Embed) > 0 && !b.embed(d) {
			d.Primary.Bad = true
		}
	}
}

// embed checks the patterns of one variable. A file that does not exist is no mistake, because a program that go
// generate runs later may write it.
func (b *packageBuilder) embed(d *load.Decl) bool {
	root, err := os.OpenRoot(b.Pkg.Dir)
	if err != nil {
		return true // the loader has read its files
	}
	defer root.Close()
	ok, files, missing := b.embeddable(d), 0, false
	for _, p := range d.Embed {
		if p.Wrong != "" {
			b.Report("MCP415", p.From, p.To, "//go:embed is not valid: "+p.Wrong, report.Fix("//go:embed page.html"))
			ok = false
			continue
		}
		found, wrong := embedfile.Files(root.FS(), p.Text)
		files += len(found)
		switch {
		case wrong == nil:
		case wrong.Missing:
			missing = true
			b.Report("MCP614", p.From, p.To, wrong.Message+", so that the package does not compile",
				report.Fix("write the file, or suppress this with //mcp:allow MCP614 and what makes it"))
		default:
			ok = false
			b.Report("MCP415", p.From, p.To, "//go:embed is not valid: "+wrong.Message, report.Fix(wrong.Fix))
		}
	}
	if ok && !missing && files > 1 && d.Obj != nil && (gotype.IsString(d.Obj.Type()) || gotype.IsBytes(d.Obj.Type())) {
		from, to := d.Embed[0].From, d.Embed[len(d.Embed)-1].To
		b.Report("MCP415", from, to, fmt.Sprintf("//go:embed is not valid: a %s has one file, and %d match",
			b.TypeText(d.Obj.Type()), files), report.Fix("var "+d.Name+" embed.FS"))
		return false
	}
	return ok
}

// embeddable checks that a variable has a type and a place that the compiler accepts for //go:embed.
func (b *packageBuilder) embeddable(d *load.Decl) bool {
	if v, ok := d.Node.(*ast.ValueSpec); ok && len(v.Values) > 0 {
		b.Report("MCP415", v.Values[0].Pos(), v.Values[0].End(), "//go:embed is not valid: the variable has a value",
			report.Fix("var "+d.Name+" string"))
		return false
	}
	for _, i := range d.File.AST.Imports {
		if i.Path.Value == `"embed"` {
			return true
		}
	}
	from, to := d.Embed[0].From, d.Embed[len(d.Embed)-1].To
	b.Report("MCP415", from, to, "//go:embed is not valid: the file does not import embed", report.Fix(`import _ "embed"`))
	return false
}
