package prompt

import (
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/serverir/feature"
	"github.com/mcpgen/mcpgen/internal/serverir/variable"
)

// Builder builds the prompts of a server.
type Builder struct {
	feature.Passes
	*feature.Context
	// all are in source order.
	all []*prompt
	// mcpNames and getNames find prompts by what clients and generated code call them.
	mcpNames, getNames *feature.Seen[*prompt]
}

// New returns what builds the prompts of one server.
func New(s *feature.Context) feature.Kind {
	return &Builder{
		Context:  s,
		mcpNames: feature.SeenBy(func(p *prompt) string { return p.Name }),
		getNames: feature.SeenBy(func(p *prompt) string { return p.GetName }),
	}
}

// prompt is a prompt and where it was declared.
type prompt struct {
	*ir.Prompt
	decl *load.Decl
}

// set are the arguments of p.
func (p *prompt) set() *variable.Set { return &variable.Set{Decl: p.decl, Vars: p.Vars(), Args: true} }
