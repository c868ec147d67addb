package serverir

import (
	"cmp"
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/mimetype"
	"github.com/mcpgen/mcpgen/internal/uritemplate"
)

// resourceFunc is a resource whose content is what a method or function returns.
func (b *serverBuilder) resourceFunc(r *resource) {
	sig := signature(r.decl)
	if sig == nil {
		return
	}
	b.guard(r.decl, r.decl.Name)
	b.varLines(r)
	if b.hasContext(r.decl, sig, "resource reader", directive.ReadForm) {
		r.Callee.Params = b.bind(r, r.decl, sig, 1)
	}
	b.fileRoot(r)
	b.result(r, sig)
	b.checkVars(r)
}

// hasContext reports whether the first parameter is a context, and complains if not.
func (b *serverBuilder) hasContext(d *load.Decl, sig *types.Signature, what, forms string) bool {
	from, to := nameOf(d)
	if sig.TypeParams().Len()+sig.RecvTypeParams().Len() > 0 {
		b.report("MCP401", from, to, fmt.Sprintf("a %s cannot have type parameters", what),
			hint("valid form: "+forms), fix("write a function without, which calls this one"))
		return false
	}
	if sig.Variadic() {
		b.report("MCP401", from, to, fmt.Sprintf("a %s has no variable number of parameters", what),
			hint("valid form: "+forms), fix("write a slice instead of ..."))
		return false
	}
	if sig.Params().Len() == 0 || !isNamed(sig.Params().At(0).Type(), "context", "Context") {
		b.report("MCP401", from, to, fmt.Sprintf("a %s takes a context.Context first", what),
			hint("valid form: "+forms), fix("ctx context.Context"))
		return false
	}
	return true
}

// bind gives each parameter from the first-th on its template variable, by name.
func (b *serverBuilder) bind(r *resource, d *load.Decl, sig *types.Signature, first int) []ir.Param {
	var out []ir.Param
	var strange []*types.Var
	whole, fields := b.varsOf(r, d, sig)
	for i := first; i < sig.Params().Len(); i++ {
		p := sig.Params().At(i)
		if p == whole {
			out = append(out, b.bindFields(r, d, p, fields))
			continue
		}
		if special(p.Type()) {
			out = append(out, b.specialParam(p))
			continue
		}
		if d == r.decl && isFile(p.Type()) && r.spec.Root.Set() {
			out = append(out, ir.Param{Kind: ir.ParamFile, Type: b.goType(p.Type())})
			continue
		}
		k := b.varFor(r, d, p)
		if k < 0 {
			strange = append(strange, p)
			continue
		}
		out = append(out, ir.Param{Kind: ir.ParamVar, Var: k, Type: b.goType(p.Type())})
		if d == r.decl {
			b.typeVar(r, r.Vars[k], p)
		} else {
			b.sameType(r, r.Vars[k], p)
		}
	}
	if d == r.decl && whole == nil {
		strange = b.unboundVars(r, sig, out, strange)
	}
	for _, p := range strange {
		b.strangeParam(r, d, p)
	}
	return out
}

// strangeParam reports a parameter of d, a function of r, that nothing can fill.
func (b *serverBuilder) strangeParam(r *resource, d *load.Decl, p *types.Var) {
	if r.alias != nil {
		b.noAliasVar(r, p.Name())
		return
	}
	from, to := paramRange(p)
	if r.prompt != nil {
		b.report("MCP302", from, to, fmt.Sprintf("parameter `%s` is neither an argument of the prompt nor a special type",
			cmp.Or(p.Name(), "_")),
			hint("arguments: "+orNone(varNames(r))), fix("name it like an argument, or remove it"))
		return
	}
	if isFile(p.Type()) {
		b.report("MCP302", from, to, fmt.Sprintf("nothing opens the file `%s`", p.Name()),
			fix("add root= to the resource directive, with a field of type *os.Root"))
		return
	}
	if blank(p.Name()) {
		b.report("MCP302", from, to, "a parameter without a name stands for no template variable",
			hint("variables: "+orNone(varNames(r))), fix("name it like its variable"))
		return
	}
	repair := b.addVar(r, p.Name())
	if d != r.decl { // the template is somebody else's
		repair = "name it like a variable, or remove it"
	}
	b.report("MCP302", from, to, fmt.Sprintf("parameter `%s` is neither a template variable nor a special type", p.Name()),
		hint("variables: "+orNone(varNames(r))), fix(repair))
}

// blank reports whether name is that of a parameter which has none.
func blank(name string) bool { return name == "" || name == "_" }

// varFor returns the place of the variable that parameter p of d stands for, or -1. A var line of the
// resource may say it; else the names are equal, or equal but for case and underscores.
func (b *serverBuilder) varFor(r *resource, d *load.Decl, p *types.Var) int {
	loose, n := -1, 0
	if blank(p.Name()) {
		return loose
	}
	for i, v := range r.Vars {
		switch {
		case v.Param != "" && d == r.decl:
			if v.Param == p.Name() {
				return i
			}
		case v.Name == p.Name():
			return i
		case sameName(v.Name, p.Name()):
			loose, n = i, n+1
		}
	}
	if n > 1 {
		from, to := paramRange(p)
		b.report("MCP301", from, to, fmt.Sprintf("parameter `%s` could stand for several variables", p.Name()),
			hint("variables: "+orNone(varNames(r))), fix("name it exactly like one of them"))
	}
	return loose
}

// unboundVars reports the variables that no parameter takes. A strange parameter that was probably meant
// for one is named with it; the other strange ones are returned.
func (b *serverBuilder) unboundVars(r *resource, sig *types.Signature, bound []ir.Param,
	strange []*types.Var) []*types.Var {
	free := slices.Clone(r.Vars)
	for _, p := range bound {
		if p.Kind == ir.ParamVar {
			free = slices.DeleteFunc(free, func(v *ir.Var) bool { return v == r.Vars[p.Var] })
		}
	}
	if len(free) == 1 && len(strange) == 0 && r.spec.Root.Set() && pathOnly(r, free[0]) {
		return nil // the file was found by it
	}
	params := paramNames(sig)
	for _, v := range free {
		from, to := b.varRange(r, v)
		pfrom, pto := nameOf(r.decl)
		there := "the signature"
		repair := fmt.Sprintf("add a parameter `%s`", v.Name)
		if i := meantFor(v, strange, len(free)); i >= 0 {
			pfrom, pto = paramRange(strange[i])
			there = "is this it?"
			name := strange[i].Name()
			repair = fmt.Sprintf("rename `%s`, or write //mcp:var %s param=%s", name, v.Name, name)
			if blank(name) {
				repair = fmt.Sprintf("name the parameter `%s`", v.Name)
			}
			strange = slices.Delete(strange, i, i+1)
		}
		if b.misnamed[v] {
			continue
		}
		b.report("MCP301", from, to, fmt.Sprintf("no parameter for template variable `%s`; parameters are %s", v.Name,
			orNone(params)),
			b.related(pfrom, pto, there), fix(repair))
	}
	return strange
}

// meantFor returns the strange parameter that was meant for v, or -1: one with a similar name, or the only
// one if v is the only of free variables.
func meantFor(v *ir.Var, strange []*types.Var, free int) int {
	if free == 1 && len(strange) == 1 {
		return 0
	}
	var names []string
	for _, p := range strange {
		names = append(names, p.Name())
	}
	if near := directive.Nearest(v.Name, names); near != "" {
		return slices.Index(names, near)
	}
	return slices.IndexFunc(names, func(name string) bool { return name == "" || name == "_" })
}

// paramNames are the names of the parameters after the context.
func paramNames(sig *types.Signature) []string {
	var out []string
	for i := 1; i < sig.Params().Len(); i++ {
		out = append(out, cmp.Or(sig.Params().At(i).Name(), "_"))
	}
	return out
}

// varRange is where a variable's name stands in the template.
func (b *serverBuilder) varRange(r *resource, v *ir.Var) (from, to token.Pos) {
	arg := r.spec.URI.Arg
	_, vars, _ := uritemplate.Parse(r.URI)
	for _, o := range vars {
		if o.Name == v.Name {
			return arg.At(o.Start), arg.At(o.End)
		}
	}
	return valueOf(arg)
}

// addVar shows the template with another variable.
func (b *serverBuilder) addVar(r *resource, name string) string {
	if r.Template != nil && len(r.Template.Query) > 0 {
		return fmt.Sprintf("add {&%s} to the template, or remove the parameter", name)
	}
	return fmt.Sprintf("add {?%s} to the template, or remove the parameter", name)
}

// result finds out how the result becomes contents.
func (b *serverBuilder) result(r *resource, sig *types.Signature) {
	res := sig.Results()
	if res.Len() != 2 || !isError(res.At(1).Type()) {
		from, to := resultRange(r.decl)
		better := "return (T, error)"
		if res.Len() == 1 && !isError(res.At(0).Type()) {
			better = fmt.Sprintf("return (%s, error)", b.typeText(res.At(0).Type()))
		}
		b.report("MCP401", from, to, "a resource reader returns (T, error); found "+b.resultsText(sig),
			hint("valid form: "+directive.ReadForm), fix(better))
		return
	}
	if t := res.At(0).Type(); isByteLike(t) && !isBytes(t) && !marshalsText(t) && !marshalsJSON(t) {
		from, to := resultRange(r.decl)
		b.report("MCP401", from, to, fmt.Sprintf("the elements of `%s` are no bytes: they have a type of their own",
			b.typeText(t)), fix("return []byte"))
		return
	}
	r.Result = resultKind(res.At(0).Type(), r.MIME)
	if r.Result == ir.ResultJSON && !isNamed(res.At(0).Type(), "encoding/json", "RawMessage") {
		from, to := resultRange(r.decl)
		b.checkJSON(res.At(0).Type(), false, from, to)
		var out types.Type
		out, r.OutPointer = pointedTo(res.At(0).Type())
		mapped := b.holdsMapped(out)
		if _, isMap := out.Underlying().(*types.Map); !isMap || mapped {
			r.Encode = b.encoder(out)
		}
		if mapped && r.Encode == nil {
			b.report("MCP804", from, to,
				fmt.Sprintf("a mapped type in `%s`, of which this package cannot name all parts, is not supported by this version of mcpgen yet", b.typeText(out)),
				fix("return a struct of this package"))
		}
	}
	b.mimeOf(r, "")
}

// resultsText is the result list of a signature for messages.
func (b *serverBuilder) resultsText(sig *types.Signature) string {
	if sig.Results().Len() == 0 {
		return "nothing"
	}
	return "`" + types.TypeString(sig.Results(), b.qualifier) + "`"
}

// resultKind is the row of the grammar's table of results that t belongs to.
func resultKind(t types.Type, mimeType string) ir.ResultKind {
	switch {
	case isNamed(t, "encoding/json", "RawMessage"):
		return ir.ResultJSON
	case isNamed(t, mcpPath, "Contents"):
		return ir.ResultRaw
	case isNamed(t, mcpPath, "Content"):
		return ir.ResultContent
	case isContentSlice(t):
		return ir.ResultContents
	case seq2(t) != nil:
		if args := seq2(t); isNamed(args[0], mcpPath, "Content") && isError(args[1]) {
			return ir.ResultContentSeq
		}
	case isBytes(t) && mimetype.IsText(mimeType):
		return ir.ResultTextBytes
	case isBytes(t):
		return ir.ResultBlob
	case isReader(t):
		if mimetype.IsText(mimeType) {
			return ir.ResultTextStream
		}
		return ir.ResultStream
	case marshalsText(t) && !isStruct(t):
		return ir.ResultMarshaler
	case isString(t):
		return ir.ResultText
	}
	return ir.ResultJSON
}

func isContentSlice(t types.Type) bool {
	s, ok := t.Underlying().(*types.Slice)
	return ok && isNamed(s.Elem(), mcpPath, "Content")
}

func isReader(t types.Type) bool { return hasTextMethod(t, "Read", "[]byte", "int", "error") }

func isStruct(t types.Type) bool {
	_, ok := t.Underlying().(*types.Struct)
	return ok
}

func varNames(r *resource) []string {
	var out []string
	for _, v := range r.Vars {
		out = append(out, v.Name)
	}
	return out
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
