package serverir

import (
	"fmt"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
)

// buildServer reads the server directive. Without one the package name is the server's name.
func (b *serverBuilder) buildServer() {
	s := b.server
	b.p.Servers = append(b.p.Servers, s)
	s.Name, s.Version = b.pkg.Name, "0.0.0"
	eachSpec(b.pkg, func(d *load.Decl, spec *directive.Server) {
		b.serverDecl = d
		s.Pos = b.res.Pos(d.Primary.Pos, d.Primary.End)
		s.Name, s.Title, s.WebsiteURL = spec.Name.V, spec.Title.V, spec.URL.V
		s.Description, s.Instructions, s.PageSize = spec.Desc.V, spec.Instructions.V, int(spec.Page.V)
		s.ResourceTools, b.typedTools = astoolsValue(spec)
		if spec.Version.V != "" {
			s.Version = spec.Version.V
		}
	})
	if b.serverDecl == nil && !b.unparsed && !b.pkg.Vocabulary() &&
		!slices.ContainsFunc(b.pkg.Decls, func(d *load.Decl) bool { return d.Kind == directive.OnPackage }) {
		from, to := b.packageName()
		b.report("MCP807", from, to, fmt.Sprintf("no server directive: the server is called `%s`, like the package", s.Name),
			fix(fmt.Sprintf("//mcp:server name=%s above the package clause", s.Name)))
	}
	s.Names = serverNames(s.Name)
}

// packageName is where the first file with a directive names the package.
func (b *serverBuilder) packageName() (from, to token.Pos) {
	id := b.pkg.Decls[0].File.AST.Name
	return id.Pos(), id.End()
}

// callee describes how generated code reaches a method, function, variable or constant.
func (b *serverBuilder) callee(d *load.Decl) ir.Callee {
	c := ir.Callee{Name: d.Name, File: filepath.Base(d.File.Path), Decl: d.Name}
	switch d.Kind {
	case directive.OnMethod:
		c.Kind, c.Recv = ir.CalleeMethod, b.holder(d)
		c.Decl = d.Recv + "." + d.Name
		if d.RecvPointer {
			c.Decl = "(*" + d.Recv + ")." + d.Name
		}
	case directive.OnFunc:
		c.Kind = ir.CalleeFunc
	case directive.OnConst:
		c.Kind = ir.CalleeConst
	case directive.OnStruct:
		c.Kind = ir.CalleeType
	default:
		c.Kind = ir.CalleeVar
	}
	if c.Kind != ir.CalleeMethod && c.Kind != ir.CalleeType {
		b.hiddenFunc(d.Name)
	}
	if (c.Kind == ir.CalleeVar || c.Kind == ir.CalleeConst) && d.Obj != nil {
		c.Type = b.goType(d.Obj.Type())
	}
	return c
}

// signature returns the signature of an annotated method or function, or nil if it did not
// type-check, which the loader has reported.
func signature(d *load.Decl) *types.Signature {
	f, ok := d.Obj.(*types.Func)
	if !ok {
		return nil
	}
	sig := f.Signature()
	for v := range sig.Params().Variables() {
		if invalid(v.Type()) {
			return nil
		}
	}
	for v := range sig.Results().Variables() {
		if invalid(v.Type()) {
			return nil
		}
	}
	return sig
}

func invalid(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.Invalid
}

// guard notes that the output relies on the signature of d, and that the server calls it.
func (b *serverBuilder) guard(d *load.Decl, feature string) {
	sig := signature(d)
	if sig == nil {
		return
	}
	g := ir.Guard{Func: d.Name, Type: b.goType(sig)}
	g.Name = fmt.Sprintf("signature_of_%s_changed__run_go_generate", d.Name)
	if sig.Recv() != nil {
		g.Recv = b.goType(sig.Recv().Type())
		g.Type.Params = slices.Insert(g.Type.Params, 0, g.Recv)
		g.Name = fmt.Sprintf("signature_of_%s_%s_changed__run_go_generate", d.Recv, d.Name)
		b.receiver(d, feature)
	}
	if !slices.ContainsFunc(b.p.Guards, func(o ir.Guard) bool { return o.Name == g.Name && o.Func == g.Func }) {
		b.p.Guards = append(b.p.Guards, g)
	}
}

// pointedTo returns what a pointer points to, with the name that its source gives it; other types as they are.
func pointedTo(t types.Type) (elem types.Type, pointer bool) {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		return p.Elem(), true
	}
	return t, false
}

func deref(t types.Type) types.Type {
	if p, ok := t.(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// defaultsFor returns the declarations whose refining directives are defaults for d: the server's comment and
// the receiver type, in that order.
func (b *serverBuilder) defaultsFor(d *load.Decl) []*load.Decl {
	var out []*load.Decl
	if b.serverDecl != nil {
		out = append(out, b.serverDecl)
	}
	for _, t := range b.pkg.Decls {
		if t.Kind == directive.OnStruct && t.Primary == nil && d.Recv != "" && t.Name == d.Recv {
			out = append(out, t)
		}
	}
	return out
}
