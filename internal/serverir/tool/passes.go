package tool

import (
	"go/types"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/serverir/feature"
	"github.com/mcpgen/mcpgen/internal/serverir/names"
	"github.com/mcpgen/mcpgen/internal/serverir/resource"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
)

// New returns the builder for the tools of one server.
func New(s *feature.Context) feature.Kind {
	return &builder{
		Context: s, resources: feature.Find[*resource.Builder](s),
		plainIn: map[*load.Decl]types.Type{}, refused: map[*load.Decl]bool{},
		names:     feature.SeenBy(func(t *ir.Tool) string { return t.Name }),
		callNames: feature.SeenBy(func(t *ir.Tool) string { return t.CallName }),
		argsNames: feature.SeenBy(func(p *ir.Prompt) string { return p.ArgsName }),
	}
}

// Declare reads the tools.
func (b *builder) Declare() { source.EachSpec(b.Pkg, b.buildTool) }

// Finish finds the resources that tools change and the apps that they name, and adds the tools that read resources.
func (b *builder) Finish() {
	b.updates()
	pages(b)
	b.templateTools()
}

// Capabilities adds what the tools can answer.
func (b *builder) Capabilities(c *ir.Capabilities) {
	for _, t := range b.Server.Tools {
		if t.Proto.Off {
			continue
		}
		c.Tools = true
		c.ToolsChanged = c.ToolsChanged || t.ListChanges()
		c.Logging = c.Logging || t.Callee.Takes(ir.ParamLogger)
	}
}

// Claim reserves the names of the tools.
func (b *builder) Claim(c *names.Registry) {
	for i, t := range b.Server.Tools {
		c.Claim(b.decls[i], "."+t.Toggle)
		if t.Reads != nil {
			c.Claim(b.decls[i], t.CallName)
		}
	}
}
