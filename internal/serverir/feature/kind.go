// Package feature has what the kinds of features have in common: how they are built, and the directives that may stand
// on each of them.
package feature

import (
	"fmt"
	"go/token"
	"go/types"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/serverir/codec"
	"github.com/mcpgen/mcpgen/internal/serverir/impl"
	"github.com/mcpgen/mcpgen/internal/serverir/names"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
	"github.com/mcpgen/mcpgen/internal/serverir/variable"
)

// Kind builds the features of one kind for one server, in passes.
type Kind interface {
	// Declare reads the declarations of the features.
	Declare()
	// Refer reads what belongs to features and names them, wherever it stands.
	Refer()
	// Finish computes what needs the features of all kinds.
	Finish()
	// Lint gives advice about what is finished.
	Lint()
	// Capabilities adds what the features can answer.
	Capabilities(c *ir.Capabilities)
	// Mounted checks what needs the servers that the server mounts.
	Mounted()
	// Claim reserves the generated names of the features.
	Claim(names *names.Registry)
}

// Passes implements the passes of [Kind], each without effect. Kinds embed it, and override those that they need.
type Passes struct{}

// Declare does nothing.
func (Passes) Declare() {}

// Refer does nothing.
func (Passes) Refer() {}

// Finish does nothing.
func (Passes) Finish() {}

// Lint does nothing.
func (Passes) Lint() {}

// Capabilities does nothing.
func (Passes) Capabilities(*ir.Capabilities) {}

// Mounted does nothing.
func (Passes) Mounted() {}

// Claim does nothing.
func (Passes) Claim(*names.Registry) {}

// Find returns the builder of another kind of the same server, which must have been made before.
func Find[T any](s *Context) T {
	for _, k := range s.Kinds {
		if t, ok := k.(T); ok {
			return t
		}
	}
	panic("the kinds are in another order") // which is a constant
}

// Context is what the builders of all kinds of one server share.
type Context struct {
	*codec.Codecs
	// Vars reads variables and arguments, and Impl makes the fields of the Impl struct.
	Vars *variable.Reader
	Impl *impl.Fields
	// Servers tells which servers of the package offer a declaration.
	Servers *Servers
	// Name is what the source calls the server.
	Name   string
	Server *ir.Server
	// ServerDecl is the comment with the server directive; nil without one.
	ServerDecl *load.Decl
	// Decls finds declarations of the server.
	Decls DeclIndex
	// Kinds are the kinds of features that were made so far.
	Kinds []Kind
}

// New returns the context of the server called name.
func New(c *codec.Codecs, servers *Servers, name string, server *ir.Server, decl *load.Decl) *Context {
	return &Context{
		Codecs: c, Vars: &variable.Reader{Scope: c.Scope, Holders: map[*ir.Var]*types.Var{}},
		Impl: impl.New(c.Scope, server), Servers: servers, Name: name, Server: server, ServerDecl: decl,
	}
}

// Completed is something whose variables have completion functions.
type Completed struct {
	*variable.Set
	Completers *[]ir.Completer
	// Unknown reports a name that is none of the variables.
	Unknown func(arg *directive.Arg, name string)
	// Strange reports a parameter of a function that nothing can fill.
	Strange func(d *load.Decl, p *types.Var)
}

// Taken reports the name or id of a feature, of a kind that messages call what, that the earlier declaration first has
// too.
func (b *Context) Taken(from, to token.Pos, what, name string, first *load.Decl, better string) {
	ofrom, oto := source.NameOf(first)
	b.Report("MCP207", from, to, fmt.Sprintf("%s `%s` is already declared by `%s`", what, name, first.Name),
		b.Related(ofrom, oto, "declared here first"), report.Fix(better))
}

// Twice reports that a second function is declared for the same purpose.
func (b *Context) Twice(ref directive.Ref, what string) {
	from, to := source.ValueOf(ref.Arg)
	b.Report("MCP106", from, to, fmt.Sprintf("`%s` already has a %s function", ref.V, what),
		report.Fix("remove one of them"))
}
