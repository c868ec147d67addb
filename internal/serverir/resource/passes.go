package resource

import (
	"slices"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/serverir/feature"
	"github.com/mcpgen/mcpgen/internal/serverir/lint"
	"github.com/mcpgen/mcpgen/internal/serverir/names"
	"github.com/mcpgen/mcpgen/internal/serverir/resource/binding"
	"github.com/mcpgen/mcpgen/internal/serverir/resource/route"
	"github.com/mcpgen/mcpgen/internal/serverir/resource/structs"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
)

// New returns the builder for the resources of one server.
func New(s *feature.Context) feature.Kind {
	b := &binding.Binder{Context: s, Misnamed: map[*ir.Var]bool{}}
	return &Builder{
		Binder: b, roots: &rootReader{Binder: b}, structs: &structs.Reader{Binder: b},
		ByName: map[string]*binding.Resource{}, byURI: map[string]int{},
		Broken: brokenResources(s.Pkg), Updated: map[*binding.Resource]bool{},
		reads: feature.SeenBy(func(r *binding.Resource) string { return r.Names.Read }),
	}
}

// Declare reads the resources.
func (b *Builder) Declare() { source.EachSpec(b.Pkg, b.buildResource) }

// Refer reads lists and watchers.
func (b *Builder) Refer() {
	source.EachSpec(b.Pkg, b.buildList)
	source.EachSpec(b.Pkg, b.buildWatch)
}

// Finish completes resources by what other directives say of them, and decides how URIs are routed.
func (b *Builder) Finish() {
	for _, r := range b.All {
		shareAliases(r)
		b.enumList(r)
		b.walkList(r)
		b.freeCompletions(r)
		b.decideList(r)
	}
	dropSkillFiles(b)
	b.topicNames()
	b.Server.Routes = route.Build(b.Server.Resources)
}

// dropSkillFiles removes the files of skills. The runtime finds them among the embedded files.
func dropSkillFiles(b *Builder) {
	b.All = slices.DeleteFunc(b.All, func(r *binding.Resource) bool { return r.SkillFile })
	b.doubles = slices.DeleteFunc(b.doubles, func(r *binding.Resource) bool { return r.SkillFile })
	b.Server.Resources = slices.DeleteFunc(b.Server.Resources, func(r *ir.Resource) bool { return r.SkillFile })
}

// Lint warns about the resources.
func (b *Builder) Lint() {
	var all []lint.Resource
	for _, r := range b.All {
		all = append(all, lint.Resource{Resource: r.Resource, Decl: r.Decl, Spec: r.Spec})
	}
	lint.HiddenItems(b.Reporter, all)
	for i, r := range b.All {
		if r.Alias == nil && !b.Updated[r] {
			lint.SilentSubscription(b.Reporter, all[i], func(name string) bool { return b.ByName[name] != nil })
		}
	}
}

// Capabilities adds what the resources can answer.
func (b *Builder) Capabilities(c *ir.Capabilities) {
	for _, r := range b.All {
		if r.Proto.Off {
			continue
		}
		c.Resources = true
		c.Subscribe = c.Subscribe || r.Subscribe
		c.ListChanged = c.ListChanged || r.ListChanges()
		c.Completions = c.Completions || len(r.Completers) > 0
		c.Logging = c.Logging || r.Callee.Takes(ir.ParamLogger)
	}
}

// Claim reserves the names of the resources.
func (b *Builder) Claim(c *names.Registry) {
	for _, r := range slices.Concat(b.All, b.doubles) {
		n := r.Names
		if r.Alias == nil {
			c.Claim(r.Decl, "."+r.Toggle)
		}
		c.Claim(r.Decl, n.URI, n.Parse, n.Ref, n.Vars, n.ReadVars, n.Topic, n.Entry, n.Append, n.List,
			"."+n.Updated, "."+n.ListChanged)
		if r.Struct != nil {
			s := r.Struct.Names
			c.Claim(r.Decl, s.Keeper, s.New, s.Key, s.Watcher, s.Contents)
		}
	}
}
