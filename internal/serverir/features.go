package serverir

import (
	"slices"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/serverir/app"
	"github.com/mcpgen/mcpgen/internal/serverir/codec"
	"github.com/mcpgen/mcpgen/internal/serverir/completion"
	"github.com/mcpgen/mcpgen/internal/serverir/event"
	"github.com/mcpgen/mcpgen/internal/serverir/extension"
	"github.com/mcpgen/mcpgen/internal/serverir/feature"
	"github.com/mcpgen/mcpgen/internal/serverir/form"
	"github.com/mcpgen/mcpgen/internal/serverir/gotype"
	"github.com/mcpgen/mcpgen/internal/serverir/names"
	"github.com/mcpgen/mcpgen/internal/serverir/prompt"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/resource"
	"github.com/mcpgen/mcpgen/internal/serverir/skill"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
	"github.com/mcpgen/mcpgen/internal/serverir/tool"
)

// Features returns the IR of a package: what its mcp_gen.go is written from. Mistakes are added to out. If there are
// errors among them, the IR must not be used.
func Features(res *load.Result, pkg *load.Package, out *diag.List) *ir.GoPackage {
	return featuresIn(res, pkg, out, nil)
}

// featuresIn is Features for a package that others mount. mounting has the packages that lead to it.
func featuresIn(res *load.Result, pkg *load.Package, out *diag.List, mounting map[string]bool) *ir.GoPackage {
	r := &report.Reporter{Res: res, Pkg: pkg, Out: out, Unparsed: lostDirectives(pkg, out)}
	b := &packageBuilder{
		Codecs:  codec.New(gotype.NewScope(r)),
		servers: &feature.Servers{Pkg: pkg}, mounting: mounting, taken: map[string]names.Claim{},
	}
	source.EachSpec(pkg, func(_ *load.Decl, spec *directive.Server) { b.Output.Split = b.Output.Split || spec.Split.V })
	b.unnamed()
	b.embeds()
	source.EachSpec(pkg, b.MapType)
	b.EndlessTypes()
	source.EachSpec(pkg, b.checkEnum)
	source.EachSpec(pkg, func(d *load.Decl, _ *directive.Form) { form.Build(b.Codecs, d) })
	b.hiddenPredeclared()
	b.strayArgs()
	b.refinementsElsewhere()
	b.limitValues()
	servers := b.boundServers()
	found := make([]diag.List, len(servers))
	builders := make([]*serverBuilder, len(servers))
	for i, s := range servers {
		builders[i] = b.forServer(s, &found[i])
		builders[i].build()
	}
	names.TakeShared(b.Output, b.taken)
	for _, s := range builders { // last: these names give way to all others
		s.names.PlaceNames(s.Server)
	}
	b.mergeDiagnostics(servers, found)
	b.UnusedMappings()
	b.order()
	return b.Output
}

// forServer returns the builder of one server. It shares with b what the output has only once.
func (b *packageBuilder) forServer(s boundServer, out *diag.List) *serverBuilder {
	c := b.To(&report.Reporter{Res: b.Res, Pkg: s.pkg, Out: out, Unparsed: b.Unparsed})
	server, decl := serverOf(c.Scope)
	return &serverBuilder{
		Context: feature.New(c, b.servers, s.name, server, decl), mounting: b.mounting,
		names: names.NewRegistry(c.Scope, b.taken, s.name, decl),
	}
}

// kinds are the kinds of features, in the order in which they are built: each may ask those before it.
var kinds = []func(*feature.Context) feature.Kind{resource.New, prompt.New, completion.New, app.New,
	skill.New, tool.New, event.New, extension.New}

// build builds the server.
func (b *serverBuilder) build() {
	b.Output.Servers = append(b.Output.Servers, b.Server)
	b.defaultsMistakes()
	for _, n := range kinds {
		b.Kinds = append(b.Kinds, n(b.Context))
	}
	for _, k := range b.Kinds {
		k.Declare()
	}
	for _, k := range b.Kinds {
		k.Refer()
	}
	for _, k := range b.Kinds {
		k.Finish()
	}
	for _, k := range b.Kinds {
		k.Lint()
	}
	b.Impl.ReceiverOrder()
	b.Impl.Unfillable()
	b.middleware()
	for _, k := range b.Kinds {
		k.Capabilities(&b.Server.Caps)
	}
	b.mounts()
	for _, k := range b.Kinds {
		k.Mounted()
	}
	b.clashes()
}

// clashes reports generated names that the user's package declares too, and those that two features need. Resources
// come last, because they have most names.
func (b *serverBuilder) clashes() {
	s := b.Server.Names
	b.names.Claim(b.ServerDecl, s.Type, s.Impl, s.New, s.Features, s.Route)
	if b.Server.Middleware != nil {
		b.names.Claim(b.ServerDecl, s.Middleware)
	}
	for _, k := range slices.Backward(b.Kinds) {
		k.Claim(b.names)
	}
}
