package serverir

import (
	"cmp"
	"fmt"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
)

// finish computes what needs all features: free completions, undecided lists, capabilities, routes,
// order and clashes of names.
func (b *serverBuilder) finish() {
	for _, r := range b.resources {
		b.shareAliases(r)
		b.enumList(r)
		b.walkList(r)
		b.freeCompletions(r)
		b.decideList(r)
	}
	for _, p := range b.prompts {
		b.promptCompletions(p)
	}
	b.hiddenItems()
	b.updates()
	b.templateTools()
	b.silentSubscriptions()
	b.receiverOrder()
	b.unfillable()
	b.middleware()
	b.capabilities()
	b.server.Routes = buildRoutes(b.server.Resources)
	b.mounts()
	b.topicNames()
	b.clashes()
}

// topicNames leaves out the names of functions that no subscription and no list needs.
func (b *serverBuilder) topicNames() {
	for _, r := range b.resources {
		n := &r.Names
		if !r.Subscribe {
			n.Topic = ""
		}
		if n.URI != "" && (n.Entry != "" || n.Topic != "" && r.AliasOf == nil) {
			n.Append = "append" + n.URI
		}
	}
}

// freeCompletions adds the completions that types give: the constants of an enum, true and false.
func (b *serverBuilder) freeCompletions(r *resource) {
	off := map[string]bool{}
	for _, m := range load.Refinements[*directive.Var](r.decl) {
		off[m.Name.V] = m.Complete.V == "none" || m.Complete.V == "list"
		if m.Complete.V == "list" && r.alias == nil {
			b.listedCompletion(r, m)
		}
	}
	for i, v := range r.Vars {
		has := slices.ContainsFunc(r.Completers, func(c ir.Completer) bool { return c.Var == i })
		switch {
		case has || off[v.Name]:
		case v.Kind == ir.VarEnum:
			r.Completers = append(r.Completers, ir.Completer{Var: i, Values: v.Values})
		case v.Kind == ir.VarBool:
			r.Completers = append(r.Completers, ir.Completer{Var: i, Values: []string{"false", "true"}})
		}
	}
	slices.SortFunc(r.Completers, func(x, y ir.Completer) int { return cmp.Compare(x.Var, y.Var) })
}

// decideList insists that the author of a template says where its instances are listed.
func (b *serverBuilder) decideList(r *resource) {
	if r.Template == nil || r.alias != nil || r.decl.Kind == directive.OnStruct || r.List != nil || r.spec.List.Set() ||
		b.listMeant(r) {
		return
	}
	from, to := valueOf(r.spec.URI.Arg)
	b.report("MCP504", from, to, "instances of this template will not appear in resources/list",
		fix(fmt.Sprintf("add a function with //mcp:list of=%s, or say list=none", r.decl.Name)))
}

// order puts guards in source order, and notes the files with directives.
func (b *serverBuilder) order() {
	place := map[string]int{}
	for i, d := range b.pkg.Decls {
		place[d.Recv+"."+d.Name] = i
	}
	at := func(g ir.Guard) int {
		recv := ""
		if g.Recv != nil {
			recv = cmp.Or(g.Recv.Name, nameOfElem(g.Recv))
		}
		return place[recv+"."+g.Func]
	}
	slices.SortStableFunc(b.p.Guards, func(x, y ir.Guard) int { return cmp.Compare(at(x), at(y)) })
	for _, d := range b.pkg.Decls {
		b.p.Sources = append(b.p.Sources, filepath.Base(d.File.Path))
	}
	slices.Sort(b.p.Sources)
	b.p.Sources = slices.Compact(b.p.Sources)
	b.declared()
}

// receiverOrder puts the fields of the Impl struct in source order.
func (b *serverBuilder) receiverOrder() {
	first := func(r ir.Receiver) int {
		return slices.IndexFunc(b.pkg.Decls, func(d *load.Decl) bool {
			return r.Recv != "" && b.calledThrough(d, r.Recv) || r.Doc != "" && upperFirst(d.Name) == r.Field &&
				d.Kind == directive.OnStruct
		})
	}
	slices.SortStableFunc(b.server.Receivers, func(x, y ir.Receiver) int { return cmp.Compare(first(x), first(y)) })
}

// declared notes the names that the user's files declare, which imports of the output must not take.
func (b *serverBuilder) declared() {
	if b.pkg.Types == nil {
		return
	}
	scope := b.pkg.Types.Scope()
	for _, name := range scope.Names() {
		if !b.pkg.Generated(scope.Lookup(name)) {
			b.p.Declared = append(b.p.Declared, name)
		}
	}
}

func nameOfElem(t *ir.GoType) string {
	if t.Elem != nil {
		return t.Elem.Name
	}
	return ""
}

// capabilities declares exactly what the features can answer.
func (b *serverBuilder) capabilities() {
	c := &b.server.Caps
	for _, r := range b.resources {
		if r.Proto.Off {
			continue
		}
		c.Resources = true
		c.Subscribe = c.Subscribe || r.Subscribe
		c.ListChanged = c.ListChanged || r.ListChanges()
		c.Completions = c.Completions || len(r.Completers) > 0
		c.Logging = c.Logging || r.Callee.Takes(ir.ParamLogger)
	}
	for _, t := range b.server.Tools {
		if t.Proto.Off {
			continue
		}
		c.Tools = true
		c.ToolsChanged = c.ToolsChanged || t.ListChanges()
		c.Logging = c.Logging || t.Callee.Takes(ir.ParamLogger)
	}
	for _, p := range b.prompts {
		if p.Proto.Off {
			continue
		}
		c.Prompts = true
		c.Logging = c.Logging || p.Callee.Takes(ir.ParamLogger)
		c.PromptsChanged = c.PromptsChanged || p.ListChanges()
		c.Completions = c.Completions || len(p.Completers) > 0
	}
}

// reserved are the methods of the runtime's server that a generated method would hide.
var reserved = []string{".ResourceUpdated", ".ResourceListChanged"}

// predeclared are the names of Go itself that generated code uses.
var predeclared = []string{
	"append", "bool", "byte", "error", "false", "float32", "float64", "int", "int16", "int32", "int64", "int8",
	"len", "make", "new", "nil", "string", "true", "uint", "uint16", "uint32", "uint64", "uint8",
}

// nameRegistry remembers which declaration needs a generated name.
type nameRegistry struct {
	b *serverBuilder
	// methods are those of the type of the server; other names belong to the package.
	methods map[string]*load.Decl
}

// claimed is who needs a name of the package, and for which server. Servers share what is generated for one
// declaration.
type claimed struct {
	decl   *load.Decl
	server string
}

// hiddenPredeclared reports declarations that hide what generated code needs.
func (b *serverBuilder) hiddenPredeclared() {
	for _, name := range predeclared {
		if obj := b.hides(name); obj != nil {
			b.report("MCP803", obj.Pos(), obj.Pos()+token.Pos(len(name)),
				fmt.Sprintf("generated code needs Go's own `%s`, which this declaration hides", name),
				fix("rename it"))
		}
	}
}

// clashes reports generated names that the user's package declares, and those that two features want.
func (b *serverBuilder) clashes() {
	c := &nameRegistry{b: b, methods: map[string]*load.Decl{}}
	s := b.server.Names
	c.claim(b.serverDecl, s.Type, s.Impl, s.New, s.Features, s.Handlers, s.Route, s.RouteTool, s.RoutePrompt)
	if b.server.Middleware != nil {
		c.claim(b.serverDecl, s.Middleware)
	}
	for i, t := range b.server.Tools {
		c.claim(b.tools[i], "."+t.Toggle)
		if t.Reads != nil {
			c.claim(b.tools[i], t.CallName)
		}
	}
	for _, p := range b.prompts {
		c.claim(p.decl, "."+p.Toggle, p.ArgsName)
	}
	for _, r := range slices.Concat(b.resources, b.doubles) {
		n := r.Names
		if r.alias == nil {
			c.claim(r.decl, "."+r.Toggle)
		}
		c.claim(r.decl, n.URI, n.Parse, n.Ref, n.Vars, n.Topic, n.Entry, n.Append, n.List, "."+n.Updated, "."+n.ListChanged)
		if r.Struct != nil {
			s := r.Struct.Names
			c.claim(r.decl, s.Keeper, s.New, s.Key, s.Watcher, s.Contents)
		}
	}
}

// claim reserves generated names for d; nil is the server without a directive. A leading dot marks methods,
// which only clash with each other.
func (c *nameRegistry) claim(d *load.Decl, names ...string) {
	for _, name := range names {
		if name == "" || name == "." {
			continue
		}
		first, twice := c.first(name, d)
		mine := c.mine(name)
		switch plain := strings.TrimPrefix(name, "."); {
		case mine != nil && mine.Pkg() != c.b.pkg.Types:
			c.report(d, fmt.Sprintf("generated name `%s` clashes with what a file imports with a dot from %q", plain,
				mine.Pkg().Path()))
			return
		case mine != nil:
			c.report(d, fmt.Sprintf("generated name `%s` clashes with a declaration of yours", plain),
				c.b.related(mine.Pos(), mine.Pos()+token.Pos(len(mine.Name())), "declared here"))
		case slices.Contains(reserved, name):
			c.report(d, fmt.Sprintf("generated method `%s` would hide one that the server has already", plain))
		case twice:
			c.needed(d, first, plain)
			return // one is enough: renaming cures all
		default:
			c.take(name, d)
		}
	}
}

// needed reports a generated name that two features want.
func (c *nameRegistry) needed(d, first *load.Decl, name string) {
	from, to := c.place(first)
	related := c.b.related(from, to, "first needed here")
	if d == nil || first == nil || d.Name == "" || first.Name == "" {
		c.report(d, fmt.Sprintf("generated name `%s` is needed twice", name), related)
		return
	}
	message := fmt.Sprintf("generated name `%s` is needed by `%s` and by `%s`", name, declared(first), declared(d))
	other := apart(d)
	if first.Name != d.Name || other == "" {
		c.report(d, message, related)
		return
	}
	end := d.Primary.End
	c.b.report("MCP803", d.Primary.Pos, end, message, related, fix("rename one of them, or add name="+other))
}

// first is who needed name before d, if that is somebody else.
func (c *nameRegistry) first(name string, d *load.Decl) (first *load.Decl, twice bool) {
	if name[0] == '.' {
		first, twice = c.methods[name]
		return first, twice
	}
	other, twice := c.b.taken[name]
	return other.decl, twice && (other.decl != d || other.server == c.b.name)
}

func (c *nameRegistry) take(name string, d *load.Decl) {
	if name[0] == '.' {
		c.methods[name] = d
		return
	}
	c.b.taken[name] = claimed{d, c.b.name}
}

// mine is the user's declaration of a name, or nil.
func (c *nameRegistry) mine(name string) types.Object {
	return c.b.declaration(name)
}

func (c *nameRegistry) report(d *load.Decl, message string, options ...func(*diag.Diagnostic)) {
	better := "rename one of them"
	if d == c.b.serverDecl {
		better += ", or give the server another name with //mcp:server name=…"
	}
	from, to := c.place(d)
	c.b.report("MCP803", from, to, message, append(options, fix(better))...)
}

// place is the directive of d, or the package clause if there is none.
func (c *nameRegistry) place(d *load.Decl) (from, to token.Pos) {
	if d == nil {
		return c.b.packageName()
	}
	return d.Primary.Pos, d.Primary.End
}
