package serverir

import (
	"cmp"
	"fmt"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
)

// takesPlain reports whether each of the parameters of a tool that the runtime does not fill is an argument: there are
// several, or the only one is no struct.
func (b *serverBuilder) takesPlain(own []*types.Var) bool {
	if len(own) != 1 {
		return len(own) > 1
	}
	t := own[0].Type()
	for {
		elem, pointer := pointedTo(t)
		if !pointer {
			break
		}
		t = elem
	}
	if isNamed(t, "encoding/json", "RawMessage") {
		return false
	}
	return !isStruct(t) || b.mappingOf(t) != nil || isNamed(t, "time", "Time") || unmarshalsText(t) && !unmarshalsJSON(t)
}

// plainArg is a parameter of a tool that is an argument.
type plainArg struct {
	v *types.Var
	// line is the arg line about it; an empty one if there is none.
	line *directive.PromptArg
	// name is what clients call it, and field the field that generated code reads it into.
	name, field string
}

// plainArguments makes a struct of the parameters of a tool, which its arguments are read into.
func (b *serverBuilder) plainArguments(t *ir.Tool, d *load.Decl, sig *types.Signature, own []*types.Var) types.Type {
	args, ok := b.plainArgs(d, own)
	var fields []*types.Var
	var tags []string
	for _, a := range args {
		f := types.NewField(a.v.Pos(), b.pkg.Types, a.field, a.v.Type(), false)
		b.argLineOf[f] = a.line
		fields, tags = append(fields, f), append(tags, b.plainTag(a))
	}
	in := types.NewStruct(fields, tags)
	for i, f := range jsonFields(in) {
		from, to := paramType(d, args[i].v)
		w := &jsonChecker{b: b, root: f.field().Type(), from: from, to: to, in: true, seen: map[string]bool{},
			headers: map[string]tagWord{}}
		w.visit(f.field().Type(), nil, args[i].name)
		w.unnamed()
		b.rulesOf(f, w)
		ok = ok && w.found == 0
	}
	next := 0
	for i := 1; i < sig.Params().Len(); i++ {
		if p := sig.Params().At(i); special(p.Type()) {
			t.Callee.Params = append(t.Callee.Params, b.specialParam(p))
		} else if next < len(args) {
			t.Callee.Params = append(t.Callee.Params, ir.Param{Kind: ir.ParamArg, Field: args[next].field,
				Type: b.goType(p.Type())})
			next++
		}
	}
	if !ok {
		return nil
	}
	t.Args = b.plainStruct(d, in)
	b.plainIn[d] = in
	return in
}

// plainArgs gives each parameter its name and its line, and reports what cannot be an argument.
func (b *serverBuilder) plainArgs(d *load.Decl, own []*types.Var) (args []plainArg, ok bool) {
	ok = true
	for i, v := range own {
		if blank(v.Name()) {
			from, to := paramRange(v)
			b.report("MCP302", from, to, "a parameter without a name stands for no argument",
				fix("give it the name of the argument"))
			ok = false
		}
		field := upperFirst(strings.TrimLeft(v.Name(), "_"))
		taken := func(a plainArg) bool { return a.field == field }
		if !types.NewField(0, nil, field, v.Type(), false).Exported() || slices.ContainsFunc(args, taken) {
			field = "Arg" + strconv.Itoa(i+1)
		}
		args = append(args, plainArg{v: v, line: &directive.PromptArg{}, name: v.Name(), field: field})
	}
	for _, m := range load.Refinements[*directive.PromptArg](d) {
		ok = b.plainLine(d, args, m) && ok
	}
	for i, a := range args {
		from, to := paramRange(a.v)
		if slices.ContainsFunc(args[:i], func(o plainArg) bool { return o.name == a.name }) && !blank(a.name) {
			b.report("MCP106", from, to, fmt.Sprintf("argument `%s` given twice", a.name), fix("give one of them another name"))
			ok = false
		}
	}
	return args, ok
}

// plainLine gives an arg line to its parameter.
func (b *serverBuilder) plainLine(d *load.Decl, args []plainArg, m *directive.PromptArg) bool {
	var names []string
	for _, a := range args {
		names = append(names, a.v.Name())
	}
	name, at := m.Name.V, m.Name.Arg
	if m.Param.Set() {
		name, at = m.Param.V, m.Param.Arg
	}
	i := slices.Index(names, name)
	if i < 0 && !m.Param.Set() {
		i = slices.IndexFunc(names, func(n string) bool { return sameName(n, name) })
	}
	from, to := valueOf(at)
	switch {
	case i < 0:
		dfrom, dto := nameOf(d)
		repair := fix("remove the line, or add a parameter `" + name + "`")
		if near := directive.Nearest(name, names); near != "" {
			repair = b.replace(from, to, near)
		}
		b.report("MCP502", from, to, fmt.Sprintf("`%s` is not a parameter of the tool `%s`", name, d.Name),
			hint("arguments: "+orNone(names)),
			b.related(dfrom, dto, "the tool"), repair)
		return false
	case args[i].line.Name.Set():
		ofrom, oto := valueOf(args[i].line.Name.Arg)
		b.report("MCP106", from, to, fmt.Sprintf("`arg %s` given twice", m.Name.V), b.related(ofrom, oto, "first"),
			fix("write one line"))
		return false
	case !validName(m.Name.V) || m.Name.V == "-":
		b.report("MCP109", from, to, fmt.Sprintf("`%s` cannot be the name of a member of a JSON object that Go reads",
			m.Name.V), fix("use letters, digits and underscores"))
		return false
	}
	args[i].line, args[i].name = m, m.Name.V
	return b.plainOptions(args[i])
}

// plainOptions refuses options that mean something for text only.
func (b *serverBuilder) plainOptions(a plainArg) bool {
	ok := true
	for _, arg := range []*directive.Arg{a.line.Layout.Arg, a.line.Complete.Arg} {
		if arg != nil {
			b.report("MCP104", arg.Pos, arg.End, fmt.Sprintf("`%s` is for arguments of prompts; those of tools are JSON",
				arg.Option), fix("remove it"))
			ok = false
		}
	}
	_, pointer := pointedTo(a.v.Type())
	c := b.plainClass(a.v.Type())
	if r := a.line.Required; r.Set() && !r.V && !pointer && !c.has(onList|onMap) && !a.line.Default.Set() {
		typ := b.typeText(a.v.Type())
		b.report("MCP304", r.Arg.Pos, r.Arg.End, fmt.Sprintf("argument `%s` may be left out but `%s` has no default", a.name,
			typ), fix(fmt.Sprintf("default=…, or *%s", typ)))
		ok = false
	}
	return ok
}

// plainTag is the tag that a field of a struct would have to say the same as the arg line.
func (b *serverBuilder) plainTag(a plainArg) string {
	m := a.line
	var words []string
	add := func(key, value string, set bool) {
		if set {
			words = append(words, key+"="+strings.ReplaceAll(value, ",", `\,`))
		}
	}
	add("title", m.Title.V, m.Title.Set())
	add("minimum", m.Min.V, m.Min.Set())
	add("maximum", m.Max.V, m.Max.Set())
	add("minLength", strconv.FormatInt(m.Minlen.V, 10), m.Minlen.Set())
	add("maxLength", strconv.FormatInt(m.Maxlen.V, 10), m.Maxlen.Set())
	if m.Pattern.Set() {
		add("pattern", m.Pattern.V.String(), true)
	}
	add("default", m.Default.V, m.Default.Set())
	if m.Required.V {
		words = append(words, "required")
	}
	name := a.name
	if m.Required.Set() && !m.Required.V {
		name += ",omitempty"
	}
	tag := "json:" + strconv.Quote(name)
	if words != nil {
		tag += " jsonschema:" + strconv.Quote(strings.Join(words, ","))
	}
	if m.Desc.Set() {
		tag += " jsonschema_description:" + strconv.Quote(m.Desc.V)
	}
	return tag
}

// plainStruct is the decoder of the arguments of d, with a type of its own.
func (b *serverBuilder) plainStruct(d *load.Decl, in *types.Struct) *ir.ArgStruct {
	key := types.TypeString(in, nil)
	if s := b.args[key]; s != nil {
		return s
	}
	s := b.argStruct(in)
	used := func(name string) bool {
		return slices.ContainsFunc(b.server.Prompts, func(p *ir.Prompt) bool { return p.ArgsName == name }) ||
			b.declaration(name) != nil || slices.ContainsFunc(b.p.Args,
			func(a *ir.ArgStruct) bool { return a.Decode == name || a.Type.Name == name })
	}
	word := upperFirst(d.Name)
	for n := 2; used("decode"+word+"Args") || used(unexported(word)+"Args"); n++ {
		word = upperFirst(cmp.Or(d.Recv, b.pkg.Name)) + upperFirst(d.Name)
		if n > 2 {
			word += strconv.Itoa(n)
		}
	}
	s.Decode, s.Declare = "decode"+word+"Args", &ir.GoType{Kind: ir.GoStruct}
	for f := range in.Fields() {
		s.Declare.Fields = append(s.Declare.Fields, ir.GoField{Name: f.Name(), Type: b.goType(f.Type())})
	}
	s.Type = &ir.GoType{Kind: ir.GoNamed, Path: b.pkg.Path, PkgName: b.pkg.Name, Name: unexported(word) + "Args"}
	return s
}

// noArgLines refuses arg lines on a tool whose arguments are the fields of a struct, or that has none.
func (b *serverBuilder) noArgLines(d *load.Decl, own []*types.Var) {
	for _, dir := range d.Directives {
		if _, ok := dir.Spec.(*directive.PromptArg); !ok || dir.Bad {
			continue
		}
		repair := "remove the line"
		if len(own) == 1 {
			repair = "write it as the doc comment and the jsonschema tag of the field"
		}
		b.report("MCP108", dir.NamePos, dir.NameEnd(),
			fmt.Sprintf("`arg` is for parameters that are arguments, and `%s` has none", d.Name), fix(repair))
	}
}

// place puts a word that an arg line was turned into where the line says it.
func (w *tagWord) place(line *directive.PromptArg) {
	arg := map[string]*directive.Arg{
		"title": line.Title.Arg, "minimum": line.Min.Arg, "maximum": line.Max.Arg, "minLength": line.Minlen.Arg,
		"maxLength": line.Maxlen.Arg,
		"pattern":   line.Pattern.Arg, "default": line.Default.Arg, "required": line.Required.Arg,
	}[w.name]
	if arg != nil {
		w.from, w.to = arg.Pos, arg.End
		w.at, _ = valueOf(arg)
	}
}
