package build

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/marker"
)

// The forms of signatures, for messages.
const (
	readForms     = "func(ctx, variables…) (T, error)"
	listForms     = "func(ctx) iter.Seq2[%[1]s, error] or func(ctx, mcp.Page) (mcp.List[%[1]s], error)"
	watchForms    = "func(ctx, variables…) iter.Seq2[time.Time, error]"
	completeForms = "func(ctx, prefix string, earlier variables…) ([]string, error)"
)

// resourceFunc is a resource whose content is what a method or function returns.
func (b *features) resourceFunc(r *resource) {
	sig := signature(r.decl)
	if sig == nil {
		return
	}
	b.guard(r.decl, r.decl.Name)
	b.varLines(r)
	if b.hasContext(r.decl, sig, "resource reader", readForms) {
		r.Callee.Params = b.bind(r, r.decl, sig, 1)
	}
	b.result(r, sig)
	b.checkVars(r)
}

// hasContext reports whether the first parameter is a context, and complains if not.
func (b *features) hasContext(d *load.Decl, sig *types.Signature, what, forms string) bool {
	if !sig.Variadic() && sig.Params().Len() > 0 && isNamed(sig.Params().At(0).Type(), "context", "Context") {
		return true
	}
	from, to := nameOf(d)
	b.report("MCP401", from, to, fmt.Sprintf("a %s takes a context.Context first, and no variable number of parameters", what),
		hint("valid form: "+forms), fix("ctx context.Context"))
	return false
}

// bind gives each parameter from the first-th on its template variable, by name.
func (b *features) bind(r *resource, d *load.Decl, sig *types.Signature, first int) []ir.Param {
	if p, ok := b.varsStruct(r, sig, first); ok {
		return p
	}
	var out []ir.Param
	for i := first; i < sig.Params().Len(); i++ {
		p := sig.Params().At(i)
		if special(p.Type()) {
			out = append(out, ir.Param{Kind: ir.ParamCall, Type: b.goType(p.Type())})
			continue
		}
		k := b.varFor(r, d, p)
		if k < 0 && d == r.decl && nearVar(r, sig, p) != "" {
			continue // MCP301 at the variable says what both should be called
		}
		if k < 0 {
			from, to := paramRange(p)
			b.report("MCP302", from, to, fmt.Sprintf("parameter `%s` is neither a template variable nor a special type", p.Name()),
				hint("variables: "+orNone(varNames(r))), fix(b.addVar(r, p.Name())))
			continue
		}
		out = append(out, ir.Param{Kind: ir.ParamVar, Var: k, Type: b.goType(p.Type())})
		if d == r.decl {
			b.typeVar(r, r.Vars[k], p)
		} else {
			b.sameType(r, r.Vars[k], p)
		}
	}
	if d == r.decl {
		b.unboundVars(r, sig, out)
	}
	return out
}

// special reports whether a parameter gets its value from the runtime because of its type.
func special(t types.Type) bool {
	p, ok := types.Unalias(t).(*types.Pointer)
	return ok && isNamed(p.Elem(), mcpPath, "Call")
}

// varFor returns the place of the variable that parameter p of d stands for, or -1. A var line of the
// resource may say it; else the names are equal, or equal but for case and underscores.
func (b *features) varFor(r *resource, d *load.Decl, p *types.Var) int {
	loose, n := -1, 0
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

// unboundVars reports the variables that no parameter takes.
func (b *features) unboundVars(r *resource, sig *types.Signature, bound []ir.Param) {
	taken := map[int]bool{}
	for _, p := range bound {
		if p.Kind == ir.ParamVar {
			taken[p.Var] = true
		}
	}
	var params []string
	for i := 1; i < sig.Params().Len(); i++ {
		params = append(params, sig.Params().At(i).Name())
	}
	for i, v := range r.Vars {
		if taken[i] {
			continue
		}
		from, to := b.varRange(r, v)
		nfrom, nto := nameOf(r.decl)
		repair := fmt.Sprintf("add a parameter %s", v.Name)
		for q := range sig.Params().Variables() {
			if nearVar(r, sig, q) == v.Name {
				repair = fmt.Sprintf("rename %s, or //mcp:var %s param=%s", q.Name(), v.Name, q.Name())
			}
		}
		b.report("MCP301", from, to, fmt.Sprintf("no parameter for template variable `%s`; parameters are %s", v.Name, orNone(params)),
			b.related(nfrom, nto, "the signature"), fix(repair))
	}
}

// nearVar returns the variable without a parameter of its own name that p was probably meant for, or "".
func nearVar(r *resource, sig *types.Signature, p *types.Var) string {
	var free []string
	for _, v := range r.Vars {
		taken := v.Param != ""
		for q := range sig.Params().Variables() {
			taken = taken || sameName(q.Name(), v.Name)
		}
		if !taken {
			free = append(free, v.Name)
		}
	}
	if slices.ContainsFunc(r.Vars, func(v *ir.Var) bool { return sameName(v.Name, p.Name()) || v.Param == p.Name() }) {
		return ""
	}
	return marker.Nearest(p.Name(), free)
}

// varRange is where a variable's name stands in the template.
func (b *features) varRange(r *resource, v *ir.Var) (from, to token.Pos) {
	arg := r.spec.URI.Arg
	for at := 0; at < len(r.URI); at++ {
		i := strings.Index(r.URI[at:], v.Name)
		if i < 0 {
			break
		}
		at += i
		end := at + len(v.Name)
		before := strings.LastIndexAny(r.URI[:at], "{}")
		whole := !isNameRune(rune(r.URI[at-1])) && (end == len(r.URI) || !isNameRune(rune(r.URI[end])))
		if before >= 0 && r.URI[before] == '{' && whole {
			return arg.At(at), arg.At(end)
		}
	}
	return valueOf(arg)
}

// addVar shows the template with another variable.
func (b *features) addVar(r *resource, name string) string {
	if r.Template != nil && len(r.Template.Query) > 0 {
		return fmt.Sprintf("add {&%s} to the template, or remove the parameter", name)
	}
	return fmt.Sprintf("add {?%s} to the template, or remove the parameter", name)
}

// result finds out how the result becomes contents.
func (b *features) result(r *resource, sig *types.Signature) {
	res := sig.Results()
	if res.Len() != 2 || !isError(res.At(1).Type()) {
		from, to := resultRange(r.decl)
		b.report("MCP401", from, to, fmt.Sprintf("a resource reader returns (T, error); found %s", types.TypeString(res, b.qualifier)),
			hint("valid form: "+readForms), fix("return (T, error)"))
		return
	}
	r.Result = resultKind(res.At(0).Type(), r.MIME)
	if r.Result == 0 {
		from, to := resultRange(r.decl)
		b.report("MCP403", from, to, fmt.Sprintf("`%s` cannot be encoded as JSON", b.typeText(res.At(0).Type())), fix("return a struct, string or []byte"))
		return
	}
	b.mimeOf(r, "")
}

// resultKind is the row of the grammar's table of results that t belongs to, or 0.
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
		return 0
	case isBytes(t) && textual(mimeType):
		return ir.ResultTextBytes
	case isBytes(t):
		return ir.ResultBlob
	case isReader(t):
		return ir.ResultStream
	case marshalsText(t) && !isStruct(t):
		return ir.ResultMarshaler
	case isString(t):
		return ir.ResultText
	}
	switch t.Underlying().(type) {
	case *types.Chan, *types.Signature:
		return 0
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

// varsStruct recognises a reader whose only parameter is a struct with a field for each variable.
func (b *features) varsStruct(r *resource, sig *types.Signature, first int) ([]ir.Param, bool) {
	if len(r.Vars) == 0 || sig.Params().Len() != first+1 {
		return nil, false
	}
	p := sig.Params().At(first)
	s, ok := p.Type().Underlying().(*types.Struct)
	if !ok || unmarshalsText(p.Type()) || isNamed(p.Type(), "time", "Time") {
		return nil, false
	}
	from, to := paramRange(p)
	b.report("MCP804", from, to, fmt.Sprintf("variables in a struct (`%s` has %d fields) are not supported by this version of mcpgen yet", b.typeText(p.Type()), s.NumFields()),
		fix("take one parameter per variable"))
	return nil, true
}
