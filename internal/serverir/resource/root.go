package resource

import (
	"fmt"
	"go/types"
	"strings"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/goname"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/mimetype"
	"github.com/mcpgen/mcpgen/internal/serverir/gotype"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/resource/binding"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
)

// isRoot reports whether t is *os.Root.
func isRoot(t types.Type) bool {
	p, ok := types.Unalias(t).(*types.Pointer)
	return ok && gotype.IsNamed(p.Elem(), "os", "Root")
}

// isRootVar reports whether d is a variable of type *os.Root, whose files are served unchanged.
func isRootVar(d *load.Decl) bool {
	return d.Kind == directive.OnVar && d.Obj != nil && isRoot(d.Obj.Type())
}

// fileRoot finds the directory whose files a function reads.
func (b *rootReader) fileRoot(r *binding.Resource) {
	ref := r.Spec.Root
	if !ref.Set() {
		b.noRoot(r)
		return
	}
	root := &ir.FileRoot{Name: ref.V, Directory: r.Spec.Directory.V}
	if !b.rootNamed(r, root) || !b.rootPath(r, root) {
		return
	}
	from, to := source.NameOf(r.Decl)
	takes := false
	for _, p := range r.Callee.Params {
		takes = takes || p.Kind == ir.ParamFile
	}
	if !takes && len(r.Callee.Params) > 0 {
		b.Report("MCP301", from, to, "no parameter for the file", report.Hint("root= opens it"),
			report.Fix("add a parameter `file fs.File`"))
	}
	r.Root = root
}

// rootNamed finds the field or variable in root=.
func (b *rootReader) rootNamed(r *binding.Resource, root *ir.FileRoot) bool {
	obj, where := b.rootObject(r.Decl, root.Name)
	arg := r.Spec.Root.Arg
	from, to := source.ValueOf(arg)
	switch {
	case obj == nil:
		known := b.rootsNear(r.Decl)
		options := []func(*diag.Diagnostic){report.Hint("found: " + report.OrNone(known)),
			report.Fix("declare it with type *os.Root")}
		if near := directive.Nearest(root.Name, known); near != "" {
			options = append(options, report.Fix("did you mean `"+near+"`?"), b.Meant(from, to, root.Name, known))
		}
		b.Report("MCP501", from, to, fmt.Sprintf("`root=%s` names no %s", root.Name, where), options...)
		return false
	case !isRoot(obj.Type()):
		b.Report("MCP501", from, to, fmt.Sprintf("`%s` is no *os.Root; found %s", root.Name, b.TypeText(obj.Type())),
			b.Related(obj.Pos(), obj.Pos(),
				"declared here"), report.Fix("open the directory with os.OpenRoot, and name the field that holds it"))
		return false
	}
	if obj.IsField() {
		root.Recv = b.Impl.Holder(r.Decl)
	}
	return true
}

// rootObject returns the field of d's receiver called name, or else the variable of the package. where says for
// messages where it has looked.
func (b *rootReader) rootObject(d *load.Decl, name string) (obj *types.Var, where string) {
	where = "variable of this package"
	if t := receiverType(d); t != nil {
		where = fmt.Sprintf("field of `%s`", d.Recv)
		found, _, _ := types.LookupFieldOrMethod(t, true, b.Pkg.Types, name)
		if field, ok := found.(*types.Var); ok {
			return field, where
		}
	}
	if b.Pkg.Types != nil {
		obj, _ = b.Pkg.Types.Scope().Lookup(name).(*types.Var)
	}
	return obj, where
}

// receiverType returns the type that d is a method of; nil if it is a function.
func receiverType(d *load.Decl) types.Type {
	sig := source.Signature(d)
	if sig == nil || sig.Recv() == nil {
		return nil
	}
	return sig.Recv().Type()
}

// rootsNear returns the names that could stand in root=.
func (b *rootReader) rootsNear(d *load.Decl) []string {
	var out []string
	if t := receiverType(d); t != nil {
		if s, ok := gotype.Deref(t).Underlying().(*types.Struct); ok {
			for f := range s.Fields() {
				if isRoot(f.Type()) {
					out = append(out, f.Name())
				}
			}
		}
	}
	if b.Pkg.Types != nil {
		for _, name := range b.Pkg.Types.Scope().Names() {
			if v, ok := b.Pkg.Types.Scope().Lookup(name).(*types.Var); ok && isRoot(v.Type()) {
				out = append(out, name)
			}
		}
	}
	return out
}

// rootPath finds the variable that has the path of the file: the only one that is not in the query.
func (b *rootReader) rootPath(r *binding.Resource, root *ir.FileRoot) bool {
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
	from, to := source.ValueOf(r.Spec.URI.Arg)
	b.Report("MCP301", from, to,
		"files have one variable of type string in the path of their URI, and nothing else there varies",
		report.Fix("write a URI such as "+strings.TrimSuffix(strings.SplitN(r.URI, "{", 2)[0], "/")+"/{+path}"))
	return false
}

// noRoot reports options that only files have.
func (b *rootReader) noRoot(r *binding.Resource) {
	spec := r.Spec
	if spec.Root.Set() {
		b.Report("MCP109", spec.Root.Arg.Pos, spec.Root.Arg.End, "`root=` is for functions that get a file",
			report.Fix("remove it"))
		return
	}
	if spec.Directory.V {
		b.Report("MCP110", spec.Directory.Arg.Pos, spec.Directory.Arg.End,
			"`directory` needs a root, and this resource has none", report.Fix("add root=, or remove it"))
	}
	if spec.List.V == "walk" && r.Alias == nil {
		b.Report("MCP110", spec.List.Arg.Pos, spec.List.Arg.End, "`list=walk` needs a root, and this resource has none",
			report.Fix("add root=, or write a function with //mcp:list"))
	}
}

// rootVar builds a template whose instances are the files below a variable of type *os.Root.
func (b *rootReader) rootVar(r *binding.Resource) {
	if r.Spec.Root.Set() {
		b.Report("MCP109", r.Spec.Root.Arg.Pos, r.Spec.Root.Arg.End, "the root is this variable", report.Fix("remove root="))
		return
	}
	b.VarLines(r)
	root := &ir.FileRoot{Name: r.Decl.Name, Directory: r.Spec.Directory.V}
	if !b.rootPath(r, root) {
		return
	}
	for _, v := range r.Vars {
		if v != r.Vars[root.Path] {
			from, to := b.VarRange(r, v)
			b.Report("MCP301", from, to, fmt.Sprintf("no parameter for template variable `%s`: a var has none", v.Name),
				report.Fix("annotate a function"))
			return
		}
		binding.PathOnly(r, v)
	}
	r.Root, r.Result = root, ir.ResultStream
	if mimetype.IsText(r.MIME) {
		r.Result = ir.ResultTextStream
	}
}

// aliasRoot returns the root of an alias of r: the same files at another address.
func (b *rootReader) aliasRoot(a, r *binding.Resource) *ir.FileRoot {
	root := *r.Root
	if !b.rootPath(a, &root) {
		return r.Root
	}
	return &root
}

// walkList makes a template list its instances by walking through the files below its root.
func (b *Builder) walkList(r *binding.Resource) {
	if r.Spec.List.V != "walk" || r.Root == nil {
		return
	}
	arg := r.Spec.List.Arg
	if r.List != nil {
		b.Report("MCP106", arg.Pos, arg.End, fmt.Sprintf("`%s` already has a list function", r.Decl.Name),
			report.Fix("remove one of them"))
		return
	}
	for i, v := range r.Vars {
		if i != r.Root.Path && !LeftOut(v) {
			from, to := b.VarRange(r, v)
			b.Report("MCP303", from, to, fmt.Sprintf("`list=walk` knows no value of `%s`", v.Name),
				b.Related(arg.Pos, arg.End, "asked for here"),
				report.Fix("give it a default"))
			return
		}
	}
	r.List = &ir.ListSource{Walk: true, Changes: true}
	r.Names.ListChanged = goname.UpperFirst(b.base(r)) + "ListChanged"
}
