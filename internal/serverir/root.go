package serverir

import (
	"fmt"
	"go/types"
	"strings"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/mimetype"
)

// isFile reports whether t is fs.File.
func isFile(t types.Type) bool { return isNamed(t, "io/fs", "File") }

// isRoot reports whether t is *os.Root.
func isRoot(t types.Type) bool {
	p, ok := types.Unalias(t).(*types.Pointer)
	return ok && isNamed(p.Elem(), "os", "Root")
}

// isRootVar reports whether d is a variable of type *os.Root: its files are served as they are.
func isRootVar(d *load.Decl) bool {
	return d.Kind == directive.OnVar && d.Obj != nil && isRoot(d.Obj.Type())
}

// fileRoot finds the directory that a reader gets its files from.
func (b *serverBuilder) fileRoot(r *resource) {
	ref := r.spec.Root
	if !ref.Set() {
		b.noRoot(r)
		return
	}
	root := &ir.FileRoot{Name: ref.V, Directory: r.spec.Directory.V}
	if !b.rootNamed(r, root) || !b.rootPath(r, root) {
		return
	}
	from, to := nameOf(r.decl)
	takes := false
	for _, p := range r.Callee.Params {
		takes = takes || p.Kind == ir.ParamFile
	}
	if !takes && len(r.Callee.Params) > 0 {
		b.report("MCP301", from, to, "no parameter for the file", hint("root= opens it"),
			fix("add a parameter `file fs.File`"))
	}
	r.Root = root
}

// rootNamed finds the field or variable that root= names.
func (b *serverBuilder) rootNamed(r *resource, root *ir.FileRoot) bool {
	obj, where := b.rootObject(r.decl, root.Name)
	arg := r.spec.Root.Arg
	from, to := valueOf(arg)
	switch {
	case obj == nil:
		known := b.rootsNear(r.decl)
		options := []func(*diag.Diagnostic){hint("found: " + orNone(known)), fix("declare it with type *os.Root")}
		if near := directive.Nearest(root.Name, known); near != "" {
			options = append(options, fix("did you mean `"+near+"`?"), b.meant(from, to, root.Name, known))
		}
		b.report("MCP501", from, to, fmt.Sprintf("`root=%s` names no %s", root.Name, where), options...)
		return false
	case !isRoot(obj.Type()):
		b.report("MCP501", from, to, fmt.Sprintf("`%s` is no *os.Root; found %s", root.Name, b.typeText(obj.Type())),
			b.related(obj.Pos(), obj.Pos(),
				"declared here"), fix("open the directory with os.OpenRoot, and name the field that holds it"))
		return false
	}
	if obj.IsField() {
		root.Recv = b.holder(r.decl)
	}
	return true
}

// rootObject is the variable called name that d can reach: a field of its receiver, else a variable of the
// package. where says in words what was looked through.
func (b *serverBuilder) rootObject(d *load.Decl, name string) (obj *types.Var, where string) {
	where = "variable of this package"
	if t := receiverType(d); t != nil {
		where = fmt.Sprintf("field of `%s`", d.Recv)
		found, _, _ := types.LookupFieldOrMethod(t, true, b.pkg.Types, name)
		if field, ok := found.(*types.Var); ok {
			return field, where
		}
	}
	if b.pkg.Types != nil {
		obj, _ = b.pkg.Types.Scope().Lookup(name).(*types.Var)
	}
	return obj, where
}

// receiverType is the type that d is a method of, or nil.
func receiverType(d *load.Decl) types.Type {
	sig := signature(d)
	if sig == nil || sig.Recv() == nil {
		return nil
	}
	return sig.Recv().Type()
}

// rootsNear are the names that root= could give.
func (b *serverBuilder) rootsNear(d *load.Decl) []string {
	var out []string
	if t := receiverType(d); t != nil {
		if s, ok := deref(t).Underlying().(*types.Struct); ok {
			for f := range s.Fields() {
				if isRoot(f.Type()) {
					out = append(out, f.Name())
				}
			}
		}
	}
	if b.pkg.Types != nil {
		for _, name := range b.pkg.Types.Scope().Names() {
			if v, ok := b.pkg.Types.Scope().Lookup(name).(*types.Var); ok && isRoot(v.Type()) {
				out = append(out, name)
			}
		}
	}
	return out
}

// rootPath finds the variable that is the path of the file: the only one outside of the query.
func (b *serverBuilder) rootPath(r *resource, root *ir.FileRoot) bool {
	root.Path = -1
	for i, v := range r.Vars {
		if v.Op.InQuery() {
			continue
		}
		if root.Path >= 0 || v.Kind != 0 && (v.Kind != ir.VarString || v.Pointer) {
			root.Path = -1
			break
		}
		root.Path = i
	}
	if root.Path >= 0 {
		r.Template.MultiEmpty = root.Directory && !r.Template.Opaque && r.Template.Multi == len(r.Template.Segments)-1
		return true
	}
	from, to := valueOf(r.spec.URI.Arg)
	b.report("MCP301", from, to,
		"files have one variable of type string in the path of their URI, and nothing else there varies",
		fix("write a URI such as "+strings.TrimSuffix(strings.SplitN(r.URI, "{", 2)[0], "/")+"/{+path}"))
	return false
}

// noRoot refuses the options that are about files.
func (b *serverBuilder) noRoot(r *resource) {
	spec := r.spec
	if spec.Root.Set() {
		b.report("MCP109", spec.Root.Arg.Pos, spec.Root.Arg.End, "`root=` is for functions that get a file", fix("remove it"))
		return
	}
	if spec.Directory.V {
		b.report("MCP110", spec.Directory.Arg.Pos, spec.Directory.Arg.End,
			"`directory` needs a root, and this resource has none", fix("add root=, or remove it"))
	}
	if spec.List.V == "walk" && r.alias == nil {
		b.report("MCP110", spec.List.Arg.Pos, spec.List.Arg.End, "`list=walk` needs a root, and this resource has none",
			fix("add root=, or write a function with //mcp:list"))
	}
}

// rootVar is a template whose instances are the files below a variable of type *os.Root.
func (b *serverBuilder) rootVar(r *resource) {
	if r.spec.Root.Set() {
		b.report("MCP109", r.spec.Root.Arg.Pos, r.spec.Root.Arg.End, "the root is this variable", fix("remove root="))
		return
	}
	b.varLines(r)
	root := &ir.FileRoot{Name: r.decl.Name, Directory: r.spec.Directory.V}
	if !b.rootPath(r, root) {
		return
	}
	for _, v := range r.Vars {
		if v != r.Vars[root.Path] {
			from, to := b.varRange(r, v)
			b.report("MCP301", from, to, fmt.Sprintf("no parameter for template variable `%s`: a var has none", v.Name),
				fix("annotate a function"))
			return
		}
		pathOnly(r, v)
	}
	r.Root, r.Result = root, ir.ResultStream
	if mimetype.IsText(r.MIME) {
		r.Result = ir.ResultTextStream
	}
}

// pathOnly makes v, a variable that no parameter takes, the path of a file, and reports whether it can be.
func pathOnly(r *resource, v *ir.Var) bool {
	if v.Op.InQuery() || v.Explode {
		return false
	}
	v.Param, v.Kind, v.Type = v.Name, ir.VarString, &ir.GoType{Kind: ir.GoNamed, Name: "string"}
	v.GoName = fieldName(r, v.Name)
	return true
}

// aliasRoot is the root of an alias of r: the same files under another address.
func (b *serverBuilder) aliasRoot(a, r *resource) *ir.FileRoot {
	root := *r.Root
	if !b.rootPath(a, &root) {
		return r.Root
	}
	return &root
}

// walkList lists the instances of a template by walking through the files below its root.
func (b *serverBuilder) walkList(r *resource) {
	if r.spec.List.V != "walk" || r.Root == nil {
		return
	}
	arg := r.spec.List.Arg
	if r.List != nil {
		b.report("MCP106", arg.Pos, arg.End, fmt.Sprintf("`%s` already has a list function", r.decl.Name),
			fix("remove one of them"))
		return
	}
	for i, v := range r.Vars {
		if i != r.Root.Path && !leftOut(v) {
			from, to := b.varRange(r, v)
			b.report("MCP303", from, to, fmt.Sprintf("`list=walk` knows no value of `%s`", v.Name),
				b.related(arg.Pos, arg.End, "asked for here"),
				fix("give it a default"))
			return
		}
	}
	r.List = &ir.ListSource{Walk: true, Changes: true}
	r.Names.ListChanged = upperFirst(b.base(r)) + "ListChanged"
}
