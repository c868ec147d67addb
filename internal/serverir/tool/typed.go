package tool

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/goname"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/resource/binding"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
)

// templateTools adds a tool for each template, if the server asks for them. They come after the declared tools, in the
// order of the resources.
func (b *builder) templateTools() {
	if !b.typed() {
		return
	}
	for _, r := range b.resources.All {
		if r.Template != nil && r.Alias == nil && !slices.ContainsFunc(r.Vars, func(v *ir.Var) bool { return v.Kind == 0 }) {
			b.templateTool(r)
		}
	}
}

// templateTool adds the tool that reads instances of r.
func (b *builder) templateTool(r *binding.Resource) {
	t := &ir.Tool{
		Pos: r.Pos, Reads: r.Resource, Callee: ir.Callee{File: r.Callee.File, Decl: r.Callee.Decl},
		Name: "read_" + strings.ReplaceAll(r.Name, "-", "_"), Title: r.Title, Description: cmp.Or(r.Description,
			"Reads a resource "+r.URI+"."),
		ReadOnly: new(true), OpenWorld: new(false), Icons: r.Icons,
		Proto: r.Proto, Tags: r.Tags, CallName: "tool" + r.Names.URI, InputSchema: b.Vars.VarsSchema(r.Vars,
			directoryOf(r)),
	}
	if !NamePattern.MatchString(t.Name) {
		t.Name = "read_" + goname.JoinLower(r.Decl.Name, "_")
	}
	from, to := source.NameOf(r.Decl)
	if i := b.names.Index(b.Server.Tools, t.Name); i >= 0 {
		ofrom, oto := source.NameOf(b.decls[i])
		b.Report("MCP207", from, to,
			fmt.Sprintf("tool `%s`, which `astools=typed` makes of `%s`, is already declared by `%s`", t.Name, r.Decl.Name,
				b.decls[i].Name),
			b.Related(ofrom, oto, "declared here first"), report.Fix("give one of them another name=…"))
		return
	}
	if slices.Contains(resourceTools, t.Name) {
		b.Report("MCP207", from, to,
			fmt.Sprintf("tool `%s`, which `astools=typed` makes of `%s`, is one of those that `astools=` adds", t.Name,
				r.Decl.Name),
			report.Fix("give the resource another name=…"))
		return
	}
	b.Server.Tools = append(b.Server.Tools, t)
	b.decls = append(b.decls, r.Decl)
}

// directoryOf returns the variable that is empty in the URI of a directory; nil if there is none.
func directoryOf(r *binding.Resource) *ir.Var {
	if r.Root == nil || !r.Root.Directory {
		return nil
	}
	return r.Vars[r.Root.Path]
}

// typed reports whether the server asks for a tool for each template.
func (b *builder) typed() bool {
	if b.ServerDecl == nil {
		return false
	}
	return b.ServerDecl.Primary.Spec.(*directive.Server).Astools.V == "typed"
}
