// Package extension builds the extensions of the protocol that a server defines, with their methods, and its
// experimental capabilities.
package extension

import (
	"fmt"
	"go/types"
	"path/filepath"
	"slices"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/serverir/feature"
	"github.com/mcpgen/mcpgen/internal/serverir/gotype"
	"github.com/mcpgen/mcpgen/internal/serverir/jsoncheck"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
)

// builder builds the extensions of a server.
type builder struct {
	feature.Passes
	*feature.Context
	// all are the extensions in the order of server.Extensions, with their declarations.
	all []declared
	// experimental are the declarations in the order of server.Experimental.
	experimental []*load.Decl
	// names are the methods that were found.
	names []*ir.ServerMethod
	// used are the names on the wire that were found, of methods and of notifications, with their declarations.
	used map[string]*load.Decl
}

// declared is an extension and its variable.
type declared struct {
	*ir.ServerExtension
	decl *load.Decl
}

// New returns what builds the extensions of one server.
func New(s *feature.Context) feature.Kind { return &builder{Context: s, used: map[string]*load.Decl{}} }

// Declare reads the extensions and the experimental capabilities, and then the methods.
func (b *builder) Declare() {
	source.EachSpec(b.Pkg, b.buildExtension)
	source.EachSpec(b.Pkg, b.buildExperimental)
	source.EachSpec(b.Pkg, b.buildMethod)
	source.EachSpec(b.Pkg, b.buildNotification)
}

// Capabilities adds what the methods can do.
func (b *builder) Capabilities(c *ir.Capabilities) {
	for _, m := range b.names {
		c.Logging = c.Logging || !m.Revisions.Off && m.Callee.Takes(ir.ParamLogger)
	}
}

// mostExtensions is how many extensions the runtime takes.
const mostExtensions = 32

// buildExtension turns one extension directive into IR.
func (b *builder) buildExtension(d *load.Decl, spec *directive.Extension) {
	from, to := source.ValueOf(spec.ID.Arg)
	if why, better := badID(spec.ID.V, b.Pkg.Name); why != "" {
		b.Report("MCP620", from, to, why, report.Fix(better))
	}
	for _, o := range b.all {
		if o.ID == spec.ID.V {
			b.Taken(from, to, "extension", o.ID, o.decl, "give one of them another id=…")
		}
	}
	if len(b.all) == mostExtensions {
		b.Report("MCP620", from, to, fmt.Sprintf("a server has %d extensions at most", mostExtensions),
			report.Fix("put some of them into another server"))
	}
	x := &ir.ServerExtension{
		Pos: b.Res.Pos(d.Primary.Pos, d.Primary.End), ID: spec.ID.V, Description: source.Description(d.Doc, d.Name),
	}
	x.Settings, x.SettingsSchema = b.settings(d)
	x.Revisions = b.revisions(d, spec)
	b.all = append(b.all, declared{x, d})
	b.Server.Extensions = append(b.Server.Extensions, x)
}

// buildExperimental turns one experimental directive into IR.
func (b *builder) buildExperimental(d *load.Decl, spec *directive.Experimental) {
	from, to := source.ValueOf(spec.Name.Arg)
	if !capabilityName.MatchString(spec.Name.V) {
		b.Report("MCP620", from, to, fmt.Sprintf("`%s` is not a name for a capability: 1 to 128 of A-Z a-z 0-9 _ . / -",
			spec.Name.V), report.Fix("name=com.example/"+b.Pkg.Name))
	}
	same := func(name string) bool { return name == spec.Name.V }
	var first *load.Decl
	if i := slices.IndexFunc(b.Server.Experimental, func(e *ir.Experimental) bool { return same(e.Name) }); i >= 0 {
		first = b.experimental[i]
	}
	if i := slices.IndexFunc(b.all, func(x declared) bool { return same(x.ID) }); i >= 0 {
		first = b.all[i].decl // sessions of revisions before 2026-07-28 have both in one object
	}
	if first != nil {
		b.Taken(from, to, "capability", spec.Name.V, first, "give one of them another name")
	}
	e := &ir.Experimental{Pos: b.Res.Pos(d.Primary.Pos, d.Primary.End), Name: spec.Name.V}
	e.Settings, _ = b.settings(d)
	b.experimental = append(b.experimental, d)
	b.Server.Experimental = append(b.Server.Experimental, e)
}

// settings describes the variable that has the settings of a capability, and their schema.
func (b *builder) settings(d *load.Decl) (s ir.Settings, schema string) {
	s = ir.Settings{File: filepath.Base(d.File.Path), Var: d.Name}
	if d.Obj == nil || source.Invalid(d.Obj.Type()) {
		return s, ""
	}
	b.HiddenFunc(d.Name)
	b.HiddenFuncBy(d.Name, "impl")
	t := d.Obj.Type()
	from, to := source.NameOf(d)
	_, isMap := t.Underlying().(*types.Map)
	isText := gotype.MarshalsText(t) && !gotype.MarshalsJSON(t) || gotype.IsNamed(t, "time", "Time")
	if !isMap && !gotype.IsStruct(t) || isText {
		b.Report("MCP403", from, to, fmt.Sprintf("the settings of a capability are a struct or a map; found %s",
			b.TypeText(t)), report.Fix("var "+d.Name+" struct{} for no settings"))
		return s, ""
	}
	if u, ok := t.Underlying().(*types.Struct); ok && u.NumFields() == 0 && !gotype.MarshalsJSON(t) {
		s.None = true
		return s, ""
	}
	if !jsoncheck.Output(b.Types, t, from, to) {
		return s, ""
	}
	s.Encode = b.Encoder(t)
	return s, b.OutputSchema(t)
}
