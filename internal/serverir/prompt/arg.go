package prompt

import (
	"cmp"
	"fmt"
	"go/types"
	"reflect"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/goname"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/serverir/gotype"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
	"github.com/mcpgen/mcpgen/internal/serverir/variable"
	"github.com/mcpgen/mcpgen/internal/uritemplate"
)

// argHolder is a parameter, or the field of a struct, that takes an argument of a prompt.
type argHolder struct {
	v *types.Var
	// name is what clients call the argument if no arg line says otherwise.
	name string
	// line is the arg line about it; nil for none.
	line *directive.PromptArg
}

// promptParams reads the parameters after the context: one for each argument, or one struct.
func (b *Builder) promptParams(p *prompt, sig *types.Signature) {
	whole, fields := promptStruct(sig)
	var holders []argHolder
	for i := 1; i < sig.Params().Len(); i++ {
		v := sig.Params().At(i)
		switch {
		case gotype.Special(v.Type()):
			p.Callee.Params = append(p.Callee.Params, b.SpecialParam(v))
		case v == whole:
			b.HiddenParam(v.Type(), "err")
			param := ir.Param{Kind: ir.ParamVarsOf, Type: b.ParamGoType(v.Type())}
			for f := range fields.Fields() {
				if name := argName(f, fields); name != "" && (f.Exported() || f.Pkg().Path() == b.Pkg.Path) {
					param.Fields = append(param.Fields, ir.VarField{Name: f.Name(), Var: len(holders)})
					holders = append(holders, argHolder{v: f, name: name})
				}
			}
			p.Callee.Params = append(p.Callee.Params, param)
		case gotype.Blank(v.Name()):
			from, to := source.ParamRange(v)
			b.Report("MCP302", from, to, "a parameter without a name stands for no argument",
				report.Fix("give it the name of the argument"))
		default:
			p.Callee.Params = append(p.Callee.Params, ir.Param{Kind: ir.ParamVar, Var: len(holders), Type: b.GoType(v.Type())})
			holders = append(holders, argHolder{v: v, name: v.Name()})
		}
	}
	b.argLines(p, holders)
	for _, h := range holders {
		b.promptArg(p, h)
	}
	b.tooManyArgs(p)
}

// tooManyArgs keeps prompts within what mcprt.Vars holds.
func (b *Builder) tooManyArgs(p *prompt) {
	if len(p.Args) > uritemplate.MaxVars {
		from, to := source.NameOf(p.decl)
		b.Report("MCP401", from, to, fmt.Sprintf("the prompt has %d arguments; at most %d can be read", len(p.Args),
			uritemplate.MaxVars),
			report.Fix("join some of them"))
	}
}

// promptStruct returns the parameter whose fields are the arguments, if the prompt takes them that way:
// one struct, which is no value of an argument itself, beside what the runtime gives.
func promptStruct(sig *types.Signature) (p *types.Var, s *types.Struct) {
	for i := 1; i < sig.Params().Len(); i++ {
		v := sig.Params().At(i)
		if gotype.Special(v.Type()) {
			continue
		}
		t := types.Unalias(gotype.Deref(types.Unalias(v.Type())))
		u, ok := t.Underlying().(*types.Struct)
		if p != nil || !ok || gotype.UnmarshalsText(t) || gotype.IsNamed(t, "time", "Time") {
			return nil, nil
		}
		p, s = v, u
	}
	return p, s
}

// argName is the name of the argument that a field takes: that of its json tag, else its own. It is
// empty for fields that take none.
func argName(f *types.Var, s *types.Struct) string {
	if f.Name() == "_" {
		return ""
	}
	for i := range s.NumFields() {
		if s.Field(i) != f {
			continue
		}
		tag, _, _ := strings.Cut(reflect.StructTag(s.Tag(i)).Get("json"), ",")
		if tag == "-" {
			return ""
		}
		return cmp.Or(tag, goname.Unexported(f.Name()))
	}
	return ""
}

// argLines gives each arg line to the holder of its argument.
func (b *Builder) argLines(p *prompt, holders []argHolder) {
	var names []string
	for _, h := range holders {
		names = append(names, h.name)
	}
	for _, m := range load.Refinements[*directive.PromptArg](p.decl) {
		i := slices.IndexFunc(holders, func(h argHolder) bool {
			if m.Param.Set() {
				return h.v.Name() == m.Param.V
			}
			return h.name == m.Name.V
		})
		if i < 0 && !m.Param.Set() {
			i = slices.IndexFunc(holders, func(h argHolder) bool { return goname.SameName(h.name, m.Name.V) })
		}
		from, to := source.ValueOf(m.Name.Arg)
		switch {
		case i < 0 && m.Param.Set():
			from, to = source.ValueOf(m.Param.Arg)
			b.Report("MCP301", from, to, fmt.Sprintf("no parameter `%s` for argument `%s`; parameters are %s", m.Param.V,
				m.Name.V, report.OrNone(names)),
				report.Fix("param="+cmp.Or(directive.Nearest(m.Param.V, names), "NAME")))
		case i < 0:
			b.noArg(p, m.Name.Arg, m.Name.V, names)
		case holders[i].line != nil:
			ofrom, oto := source.ValueOf(holders[i].line.Name.Arg)
			b.Report("MCP106", from, to, fmt.Sprintf("`arg %s` given twice", m.Name.V), b.Related(ofrom, oto, "first"),
				report.Fix("write one line"))
		default:
			holders[i].line = m
		}
	}
}

// noArg reports a name that is no argument of the prompt.
func (b *Builder) noArg(p *prompt, arg *directive.Arg, name string, names []string) {
	from, to := source.ValueOf(arg)
	dfrom, dto := source.NameOf(p.decl)
	repair := report.Fix("remove the line, or add a parameter `" + name + "`")
	if near := directive.Nearest(name, names); near != "" {
		repair = b.Meant(from, to, name, names)
		b.Report("MCP502", from, to, fmt.Sprintf("`%s` is not an argument of the prompt `%s`", name, p.decl.Name),
			report.Hint("arguments: "+report.OrNone(names)), b.Related(dfrom, dto, "the prompt"), report.Fix(near), repair)
		return
	}
	b.Report("MCP502", from, to, fmt.Sprintf("`%s` is not an argument of the prompt `%s`", name, p.decl.Name),
		report.Hint("arguments: "+report.OrNone(names)), b.Related(dfrom, dto, "the prompt"), repair)
}

// promptArg makes the argument that h takes.
func (b *Builder) promptArg(p *prompt, h argHolder) {
	m := h.line
	if m == nil {
		m = &directive.PromptArg{}
	}
	v := &ir.Var{
		Name: cmp.Or(m.Name.V, h.name), Param: goname.Unexported(h.v.Name()), MinLen: -1, MaxLen: -1, Raw: true,
		Desc: m.Desc.V,
	}
	b.Vars.Limit(v, &m.Limits)
	if h.v.IsField() && !m.Desc.Set() {
		v.Desc = source.Description(b.Res.Doc(h.v), h.v.Name())
	}
	if slices.ContainsFunc(p.Args, func(a *ir.PromptArg) bool { return a.Name == v.Name }) {
		from, to := source.ParamRange(h.v)
		b.Report("MCP106", from, to, fmt.Sprintf("argument `%s` given twice", v.Name),
			report.Fix("give one of them another name"))
		return
	}
	t := h.v.Type()
	if ptr, ok := types.Unalias(t).(*types.Pointer); ok {
		v.Pointer, t = true, ptr.Elem()
	}
	b.Vars.Holders[v] = h.v
	b.Vars.KindOf(p.set(), v, t, h.v)
	p.Args = append(p.Args, &ir.PromptArg{Var: v, Title: m.Title.V})
	if v.Kind == 0 {
		return
	}
	b.promptOptional(v, m)
	b.Vars.CheckLimits(p.set(), v, &m.Limits)
	b.Vars.CheckComplete(v, m.Complete)
}

// promptOptional decides whether an argument may be left out: if it is a pointer or has a default, unless
// the author says otherwise.
func (b *Builder) promptOptional(v *ir.Var, m *directive.PromptArg) {
	optional := v.Pointer || v.HasDefault
	switch {
	case m.Required.Set() && m.Required.V && v.HasDefault:
		from, to := source.ValueOf(m.Default.Arg)
		b.Report("MCP304", from, to, fmt.Sprintf("`%s` is required, so its default is never used", v.Name),
			b.Related(m.Required.Arg.Pos, m.Required.Arg.End, "required here"), report.Fix("remove one of them"))
	case m.Required.Set() && !m.Required.V && !optional:
		typ := b.GoTypeText(v.Type)
		b.Report("MCP304", m.Required.Arg.Pos, m.Required.Arg.End,
			fmt.Sprintf("argument `%s` may be left out but `%s` has no default", v.Name, typ),
			report.Fix(fmt.Sprintf("default=%s, or *%s", variable.ExampleOf(v), typ)))
	case m.Required.Set():
		optional = !m.Required.V
	}
	if optional {
		v.Op = uritemplate.OpQuery
	}
}
