package binding

import (
	"fmt"
	"go/types"
	"slices"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/serverir/gotype"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
	"github.com/mcpgen/mcpgen/internal/serverir/variable"
	"github.com/mcpgen/mcpgen/internal/uritemplate"
)

// noAliasVar reports a parameter that gets a value from the first template and none from this alias.
func (b *Binder) noAliasVar(a *Resource, param string) {
	from, to := source.ValueOf(a.Spec.URI.Arg)
	ufrom, uto := source.ValueOf(a.Alias.Spec.URI.Arg)
	b.Report("MCP301", from, to, fmt.Sprintf("nothing in this alias fills the parameter `%s`", param),
		report.Hint("its variables: "+report.OrNone(variable.Names(a.Vars))), b.Related(ufrom, uto,
			"the first address"), report.Fix("add "+a.Alias.expressionOf(param)))
}

// expressionOf returns the expression of the template with the variable of a parameter, such as {/path*}.
func (r *Resource) expressionOf(param string) string {
	i := slices.IndexFunc(r.Vars, func(v *ir.Var) bool { return v.Param == param })
	if i < 0 {
		return "{" + param + "}"
	}
	v, op, star := r.Vars[i], "", ""
	if v.Op != uritemplate.OpNone {
		op = string(rune(v.Op))
	}
	if v.Explode {
		star = "*"
	}
	return "{" + op + v.Name + star + "}"
}

// Bind binds each parameter, from index first on, to the variable of its name.
func (b *Binder) Bind(r *Resource, d *load.Decl, sig *types.Signature, first int) []ir.Param {
	var out []ir.Param
	var strange []*types.Var
	whole, fields := b.varsOf(r, d, sig)
	for i := first; i < sig.Params().Len(); i++ {
		p := sig.Params().At(i)
		if p == whole {
			out = append(out, b.bindFields(r, d, p, fields))
			continue
		}
		if gotype.Special(p.Type()) {
			out = append(out, b.SpecialParam(p))
			continue
		}
		if d == r.Decl && isFile(p.Type()) && r.Spec.Root.Set() {
			out = append(out, ir.Param{Kind: ir.ParamFile, Type: b.GoType(p.Type())})
			continue
		}
		k := b.Vars.VarFor(r.Set(), d, p)
		if k < 0 {
			strange = append(strange, p)
			continue
		}
		out = append(out, ir.Param{Kind: ir.ParamVar, Var: k, Type: b.GoType(p.Type())})
		if d == r.Decl {
			b.TypeVar(r, r.Vars[k], p)
		} else {
			b.Vars.SameType(r.Set(), r.Vars[k], p)
		}
	}
	if d == r.Decl && whole == nil {
		strange = b.unboundVars(r, sig, out, strange)
	}
	for _, p := range strange {
		b.StrangeParam(r, d, p)
	}
	return out
}

// StrangeParam reports a parameter of d, the function of r, that gets its value from nowhere.
func (b *Binder) StrangeParam(r *Resource, d *load.Decl, p *types.Var) {
	if r.Alias != nil {
		b.noAliasVar(r, p.Name())
		return
	}
	from, to := source.ParamRange(p)
	if isFile(p.Type()) {
		b.Report("MCP302", from, to, fmt.Sprintf("nothing opens the file `%s`", p.Name()),
			report.Fix("add root= to the resource directive, with a field of type *os.Root"))
		return
	}
	if gotype.Blank(p.Name()) {
		b.Report("MCP302", from, to, "a parameter without a name stands for no template variable",
			report.Hint("variables: "+report.OrNone(variable.Names(r.Vars))), report.Fix("name it like its variable"))
		return
	}
	repair := b.addVar(r, p.Name())
	if d != r.Decl { // the template is somebody else's
		repair = "name it like a variable, or remove it"
	}
	b.Report("MCP302", from, to, fmt.Sprintf("parameter `%s` is neither a template variable nor a special type", p.Name()),
		report.Hint("variables: "+report.OrNone(variable.Names(r.Vars))), report.Fix(repair))
}

// unboundVars reports the variables that no parameter gets. If a strange parameter was probably meant for one, the
// message names it. It returns the other strange parameters.
func (b *Binder) unboundVars(r *Resource, sig *types.Signature, bound []ir.Param,
	strange []*types.Var) []*types.Var {
	free := slices.Clone(r.Vars)
	for _, p := range bound {
		if p.Kind == ir.ParamVar {
			free = slices.DeleteFunc(free, func(v *ir.Var) bool { return v == r.Vars[p.Var] })
		}
	}
	if len(free) == 1 && len(strange) == 0 && r.Spec.Root.Set() && PathOnly(r, free[0]) {
		return nil // the file was found by it
	}
	params := gotype.ParamNames(sig)
	for _, v := range free {
		from, to := b.VarRange(r, v)
		pfrom, pto := source.NameOf(r.Decl)
		there := "the signature"
		repair := fmt.Sprintf("add a parameter `%s`", v.Name)
		if i := meantFor(v, strange, len(free)); i >= 0 {
			pfrom, pto = source.ParamRange(strange[i])
			there = "is this it?"
			name := strange[i].Name()
			repair = fmt.Sprintf("rename `%s`, or write //mcp:var %s param=%s", name, v.Name, name)
			if gotype.Blank(name) {
				repair = fmt.Sprintf("name the parameter `%s`", v.Name)
			}
			strange = slices.Delete(strange, i, i+1)
		}
		if b.Misnamed[v] {
			continue
		}
		b.Report("MCP301", from, to, fmt.Sprintf("no parameter for template variable `%s`; parameters are %s", v.Name,
			report.OrNone(params)),
			b.Related(pfrom, pto, there), report.Fix(repair))
	}
	return strange
}

// meantFor returns the index of the strange parameter that was meant for v; -1 if there is none. It has a similar name,
// or no name. If free is 1, no other variable lacks a parameter; then it is the only strange one, whatever its name is.
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

// addVar returns the template with one more variable, for a message.
func (b *Binder) addVar(r *Resource, name string) string {
	if r.Template != nil && len(r.Template.Query) > 0 {
		return fmt.Sprintf("add {&%s} to the template, or remove the parameter", name)
	}
	return fmt.Sprintf("add {?%s} to the template, or remove the parameter", name)
}

// isFile reports whether t is fs.File.
func isFile(t types.Type) bool { return gotype.IsNamed(t, "io/fs", "File") }

// PathOnly makes v, a variable without a parameter, the path of a file. It reports whether v can be that.
func PathOnly(r *Resource, v *ir.Var) bool {
	if v.Op.InQuery() || v.Explode {
		return false
	}
	v.Param, v.Kind, v.Type = v.Name, ir.VarString, &ir.GoType{Kind: ir.GoNamed, Name: "string"}
	v.GoName = variable.FieldName(r.Vars, v.Name)
	return true
}
