package tool

import (
	"cmp"
	"fmt"
	"go/types"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/goname"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/serverir/gotype"
	"github.com/mcpgen/mcpgen/internal/serverir/jsoncheck"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
	"github.com/mcpgen/mcpgen/internal/serverir/tagrule"
	"github.com/mcpgen/mcpgen/internal/serverir/variable"
)

// takesPlain reports whether each parameter of a tool is an argument, apart from those that the runtime fills. That is
// so if there are several, or if the only one is no struct.
func (b *builder) takesPlain(own []*types.Var) bool {
	if len(own) != 1 {
		return len(own) > 1
	}
	t := own[0].Type()
	for {
		elem, pointer := gotype.PointedTo(t)
		if !pointer {
			break
		}
		t = elem
	}
	if gotype.IsNamed(t, "encoding/json", "RawMessage") {
		return false
	}
	return !gotype.IsStruct(t) || b.MappingOf(t) != nil || gotype.IsNamed(t, "time", "Time") ||
		gotype.UnmarshalsText(t) && !gotype.UnmarshalsJSON(t)
}

// plainArg is a parameter of a tool that is one of its arguments.
type plainArg struct {
	v *types.Var
	// line is the arg line about it; an empty one if there is none.
	line *directive.PromptArg
	// name is what clients call it, and field the field that generated code reads it into.
	name, field string
}

// plainArguments returns a struct with the parameters of a tool as fields, into which its arguments are decoded.
func (b *builder) plainArguments(t *ir.Tool, d *load.Decl, sig *types.Signature, own []*types.Var) types.Type {
	args, ok := b.plainArgs(d, own)
	var fields []*types.Var
	var tags []string
	for _, a := range args {
		f := types.NewField(a.v.Pos(), b.Pkg.Types, a.field, a.v.Type(), false)
		b.Tags.ArgLineOf[f] = a.line
		fields, tags = append(fields, f), append(tags, plainTag(a))
	}
	in := types.NewStruct(fields, tags)
	for i, f := range tagrule.Fields(in) {
		from, to := source.ParamType(d, args[i].v)
		ok = jsoncheck.Argument(b.Types, f, args[i].name, from, to) && ok
	}
	next := 0
	for i := 1; i < sig.Params().Len(); i++ {
		if p := sig.Params().At(i); gotype.Special(p.Type()) {
			t.Callee.Params = append(t.Callee.Params, b.SpecialParam(p))
		} else if next < len(args) {
			t.Callee.Params = append(t.Callee.Params, ir.Param{Kind: ir.ParamArg, Field: args[next].field,
				Type: b.GoType(p.Type())})
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

// plainArgs finds the name and the arg line of each parameter, and reports parameters that cannot be arguments.
func (b *builder) plainArgs(d *load.Decl, own []*types.Var) (args []plainArg, ok bool) {
	ok = true
	for i, v := range own {
		if gotype.Blank(v.Name()) {
			from, to := source.ParamRange(v)
			b.Report("MCP302", from, to, "a parameter without a name stands for no argument",
				report.Fix("give it the name of the argument"))
			ok = false
		}
		field := goname.UpperFirst(strings.TrimLeft(v.Name(), "_"))
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
		from, to := source.ParamRange(a.v)
		if slices.ContainsFunc(args[:i], func(o plainArg) bool { return o.name == a.name }) && !gotype.Blank(a.name) {
			b.Report("MCP106", from, to, fmt.Sprintf("argument `%s` given twice", a.name),
				report.Fix("give one of them another name"))
			ok = false
		}
	}
	return args, ok
}

// plainLine gives an arg line to its parameter.
func (b *builder) plainLine(d *load.Decl, args []plainArg, m *directive.PromptArg) bool {
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
		i = slices.IndexFunc(names, func(n string) bool { return goname.SameName(n, name) })
	}
	from, to := source.ValueOf(at)
	switch {
	case i < 0:
		dfrom, dto := source.NameOf(d)
		repair := report.Fix("remove the line, or add a parameter `" + name + "`")
		if near := directive.Nearest(name, names); near != "" {
			repair = b.Replace(from, to, near)
		}
		b.Report("MCP502", from, to, fmt.Sprintf("`%s` is not a parameter of the tool `%s`", name, d.Name),
			report.Hint("arguments: "+report.OrNone(names)),
			b.Related(dfrom, dto, "the tool"), repair)
		return false
	case args[i].line.Name.Set():
		ofrom, oto := source.ValueOf(args[i].line.Name.Arg)
		b.Report("MCP106", from, to, fmt.Sprintf("`arg %s` given twice", m.Name.V), b.Related(ofrom, oto, "first"),
			report.Fix("write one line"))
		return false
	case !tagrule.ValidName(m.Name.V) || m.Name.V == "-":
		b.Report("MCP109", from, to, fmt.Sprintf("`%s` cannot be the name of a member of a JSON object that Go reads",
			m.Name.V), report.Fix("use letters, digits and underscores"))
		return false
	}
	args[i].line, args[i].name = m, m.Name.V
	return b.plainOptions(args[i])
}

// plainOptions reports options that only texts have.
func (b *builder) plainOptions(a plainArg) bool {
	ok := true
	for _, arg := range []*directive.Arg{a.line.Layout.Arg, a.line.Complete.Arg} {
		if arg != nil {
			b.Report("MCP104", arg.Pos, arg.End, fmt.Sprintf("`%s` is for arguments of prompts; those of tools are JSON",
				arg.Option), report.Fix("remove it"))
			ok = false
		}
	}
	_, pointer := gotype.PointedTo(a.v.Type())
	c := b.PlainClass(a.v.Type())
	if r := a.line.Required; r.Set() && !r.V && !pointer && !c.Has(tagrule.OnList|tagrule.OnMap) && !a.line.Default.Set() {
		typ := b.TypeText(a.v.Type())
		b.Report("MCP304", r.Arg.Pos, r.Arg.End, fmt.Sprintf("argument `%s` may be left out but `%s` has no default", a.name,
			typ), report.Fix(fmt.Sprintf("default=…, or *%s", typ)))
		ok = false
	}
	return b.plainExample(a, c) && ok
}

// plainExample checks the example of an argument, or of the elements of a list, by the rules for variables. Text that
// is no number is reported when the tag is read.
func (b *builder) plainExample(a plainArg, c tagrule.Class) bool {
	if !a.line.Example.Set() {
		return true
	}
	if c.Has(tagrule.OnList) {
		c = b.PlainClass(c.Type.Underlying().(interface{ Elem() types.Type }).Elem())
	}
	kind := &ir.Var{Kind: ir.VarText, Bits: 64}
	switch basic, _ := c.Type.Underlying().(*types.Basic); {
	case gotype.IsNamed(c.Type, "time", "Time"):
		kind.Kind = ir.VarTime
	case c.Values != nil:
		kind.Kind = ir.VarEnum
		for _, v := range c.Values {
			kind.Values = append(kind.Values, fmt.Sprint(v))
		}
	case c.Has(tagrule.OnText):
		kind.Kind = ir.VarString
	case c.Has(tagrule.OnFloat):
		kind.Kind = ir.VarFloat
	case c.Has(tagrule.OnInt) && basic != nil && basic.Info()&types.IsUnsigned != 0:
		kind.Kind = ir.VarUint
	case c.Has(tagrule.OnInt):
		kind.Kind = ir.VarInt
	}
	if c.Has(tagrule.OnInt|tagrule.OnFloat) && c.Values == nil && !variable.Parses(kind, a.line.Example.V) {
		return true
	}
	return variable.CheckExample(b.Reporter, a.name, kind, &a.line.Limits, b.TypeText(c.Type))
}

// plainTag returns the struct tag that says the same as an arg line.
func plainTag(a plainArg) string {
	m := a.line
	var words []string
	for _, o := range directive.Lookup("arg").Options {
		arg, text := o.Written(m)
		switch {
		case arg == nil || o.Keyword == "":
		case o.Kind != "bool":
			words = append(words, o.Keyword+"="+strings.ReplaceAll(text, ",", `\,`))
		case text != "false":
			words = append(words, o.Keyword)
		}
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

// plainStruct returns the decoder for the arguments of d.
func (b *builder) plainStruct(d *load.Decl, in *types.Struct) *ir.ArgStruct {
	key := types.TypeString(in, nil)
	if s := b.Args[key]; s != nil {
		return s
	}
	s := b.ArgStruct(in)
	used := func(name string) bool {
		return b.argsNames.Index(b.Server.Prompts, name) >= 0 || b.Declaration(name) != nil || b.Once.Decoders[name] ||
			b.Once.ArgTypes[name]
	}
	word := goname.UpperFirst(d.Name)
	for n := 2; used("decode"+word+"Args") || used(goname.Unexported(word)+"Args"); n++ {
		word = goname.UpperFirst(cmp.Or(d.Recv, b.Pkg.Name)) + goname.UpperFirst(d.Name)
		if n > 2 {
			word += strconv.Itoa(n)
		}
	}
	delete(b.Once.Decoders, s.Decode)
	s.File = filepath.Base(d.File.Path)
	s.Decode, s.Declare = "decode"+word+"Args", &ir.GoType{Kind: ir.GoStruct}
	for f := range in.Fields() {
		s.Declare.Fields = append(s.Declare.Fields, ir.GoField{Name: f.Name(), Type: b.GoType(f.Type())})
	}
	s.Type = &ir.GoType{Kind: ir.GoNamed, Path: b.Pkg.Path, PkgName: b.Pkg.Name, Name: goname.Unexported(word) + "Args"}
	b.Once.Decoders[s.Decode], b.Once.ArgTypes[s.Type.Name] = true, true
	return s
}

// noArgLines reports arg lines on a tool whose arguments are the fields of a struct, or that has none.
func (b *builder) noArgLines(d *load.Decl, own []*types.Var) {
	for _, dir := range d.Directives {
		if _, ok := dir.Spec.(*directive.PromptArg); !ok || dir.Bad {
			continue
		}
		repair := "remove the line"
		if len(own) == 1 {
			repair = "write it as the doc comment and the jsonschema tag of the field"
		}
		b.Report("MCP108", dir.NamePos, dir.NameEnd(),
			fmt.Sprintf("`arg` is for parameters that are arguments, and `%s` has none", d.Name), report.Fix(repair))
	}
}
