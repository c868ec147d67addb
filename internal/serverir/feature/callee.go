package feature

import (
	"cmp"
	"path/filepath"
	"strconv"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/goname"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
)

// Callee describes how generated code reaches a method, function, variable or constant.
func (b *Context) Callee(d *load.Decl) ir.Callee {
	c := ir.Callee{Name: d.Name, File: filepath.Base(d.File.Path), Decl: d.Name}
	switch d.Kind {
	case directive.OnMethod:
		c.Kind, c.Recv = ir.CalleeMethod, b.Impl.Holder(d)
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
		b.HiddenFunc(d.Name)
	}
	if (c.Kind == ir.CalleeVar || c.Kind == ir.CalleeConst) && d.Obj != nil {
		b.HiddenFuncBy(d.Name, "impl") // of the function that makes the Features
		c.Type = b.GoType(d.Obj.Type())
	}
	return c
}

// Guard notes that the output depends on the signature of d, because the server calls it.
func (b *Context) Guard(d *load.Decl) {
	if sig := b.RelyOn(d); sig != nil && sig.Recv() != nil {
		b.Impl.Receiver(d)
	}
}

// DefaultsFor returns the declarations whose refining directives are defaults for d: the server's comment and
// the receiver type, in that order.
func (b *Context) DefaultsFor(d *load.Decl) []*load.Decl {
	var out []*load.Decl
	if b.ServerDecl != nil {
		out = append(out, b.ServerDecl)
	}
	if d.Recv == "" {
		return out
	}
	for _, t := range b.Decls.Of(b.Pkg).Named[d.Recv] {
		if t.Kind == directive.OnStruct && t.Primary == nil {
			out = append(out, t)
		}
	}
	return out
}

// HandlerName is the method that calls d: callSearch, else callNotesSearch and so on.
func (b *Context) HandlerName(prefix string, d *load.Decl, taken func(name string) bool) string {
	name := prefix + goname.UpperFirst(d.Name)
	if taken(name) {
		name = prefix + goname.UpperFirst(cmp.Or(d.Recv, b.Pkg.Name)) + goname.UpperFirst(d.Name)
	}
	for n, base := 2, name; taken(name); n++ {
		name = base + strconv.Itoa(n)
	}
	return name
}
