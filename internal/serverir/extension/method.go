package extension

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/serverir/gotype"
	"github.com/mcpgen/mcpgen/internal/serverir/jsoncheck"
	"github.com/mcpgen/mcpgen/internal/serverir/jsontype"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
	"github.com/mcpgen/mcpgen/internal/serverir/variable"
)

// buildMethod turns one method directive into IR.
func (b *builder) buildMethod(d *load.Decl, spec *directive.Method) {
	x := b.extensionOf(d, spec.Extension)
	m := &ir.ServerMethod{
		Pos: b.Res.Pos(d.Primary.Pos, d.Primary.End), Callee: b.Callee(d), Description: source.Description(d.Doc, d.Name),
		Notification: spec.Notification.V, Undeclared: spec.Undeclared.V, Filter: spec.Filter.V,
		Revisions: b.ProtoOf(d),
	}
	m.Description = b.Deprecated(d, m.Description)
	if m.Callee.Kind == ir.CalleeFunc {
		b.HiddenFuncBy(d.Name, "params")
	}
	b.Misplaced(d, nil)
	if m.Filter {
		b.filter(d, spec)
	}
	if x != nil {
		m.Name = b.methodName(d, spec.Name, x.ID, m.Notification)
		m.Since = b.since(x, spec.Since)
		x.Methods = append(x.Methods, m)
	}
	m.Serve = b.HandlerName("serve", d, func(name string) bool {
		return slices.ContainsFunc(b.names, func(o *ir.ServerMethod) bool { return o.Serve == name })
	})
	b.names = append(b.names, m)
	if sig := source.Signature(d); sig != nil {
		b.Guard(d)
		form := formOf(m)
		if b.HasContext(d, sig, "method", form) {
			b.params(m, d, sig, form)
			b.result(m, d, sig, form)
		}
	}
	m.Rules = b.GuardOf(&variable.Set{Decl: d}, "")
}

// extensionOf returns the extension of a method; nil if there is none, which is reported.
func (b *builder) extensionOf(d *load.Decl, named directive.Ref) *ir.ServerExtension {
	var known []string
	for _, x := range b.all {
		if ref := named.V; ref == x.ID || ref == x.decl.Name {
			return x.ServerExtension
		}
		known = append(known, x.decl.Name)
	}
	if b.Unparsed || slices.ContainsFunc(b.Pkg.Decls, brokenExtension) {
		return nil // it may be the one that is meant
	}
	from, to := d.Primary.NamePos, d.Primary.NameEnd()
	switch {
	case named.Set():
		from, to = source.ValueOf(named.Arg)
		repair := report.Fix("write //mcp:extension id=com.example/" + b.Pkg.Name + " on a variable")
		if near := directive.Nearest(named.V, known); near != "" {
			repair = b.Replace(from, to, near)
		}
		b.Report("MCP501", from, to, fmt.Sprintf("`extension=%s` names no extension here", named.V),
			report.Hint("extensions: "+report.OrNone(known)), repair)
	case len(b.all) == 1:
		return b.all[0].ServerExtension
	case len(b.all) == 0:
		b.Report("MCP501", from, to, "the server has no extension that the "+d.Primary.Name+" could belong to",
			report.Fix("write //mcp:extension id=com.example/"+b.Pkg.Name+" on a variable"))
	default:
		b.Report("MCP501", from, to, "the server has several extensions, and the "+d.Primary.Name+" does not name its own",
			report.Hint("extensions: "+report.OrNone(known)), report.Fix("extension="+known[0]))
	}
	return nil
}

// brokenExtension reports whether d declares an extension that could not be read.
func brokenExtension(d *load.Decl) bool {
	return d.Primary != nil && d.Primary.Bad && d.Primary.Name == "extension"
}

// methodName returns the name of a method, which is checked. set is the name in the directive, if there is one.
func (b *builder) methodName(d *load.Decl, set directive.String, id string, notification bool) string {
	standard := methodOf(id, d.Name, notification)
	name := standard
	from, to := source.NameOf(d)
	if set.Set() {
		name = set.V
		from, to = source.ValueOf(set.Arg)
		if why := badMethod(name, notification); why != "" {
			b.Report("MCP621", from, to, why, report.Fix("name="+standard))
			return name
		}
	}
	if first := b.used[name]; first != nil {
		b.Taken(from, to, "method", name, first, "give one of them another name=…")
		return name
	}
	b.used[name] = d
	return name
}

// params reads the parameters after the context.
func (b *builder) params(m *ir.ServerMethod, d *load.Decl, sig *types.Signature, form string) {
	var in types.Type
	for i := 1; i < sig.Params().Len(); i++ {
		p := sig.Params().At(i)
		b.HiddenParam(p.Type(), "params")
		from, to := source.ParamType(d, p)
		if why := unfit(gotype.SpecialKind(p.Type()), m); why != "" {
			b.Report("MCP401", from, to, why, report.Hint("valid form: "+form), report.Fix("remove the parameter"))
			continue
		}
		if gotype.Special(p.Type()) {
			m.Callee.Params = append(m.Callee.Params, b.SpecialParam(p))
			continue
		}
		if why := b.notParams(p.Type(), in != nil); why != "" {
			b.Report("MCP401", from, to, why, report.Hint("valid form: "+form),
				report.Fix("take one struct with a field for each member of the params"))
			return
		}
		m.Callee.Params = append(m.Callee.Params, ir.Param{Kind: ir.ParamArgs, Type: b.ParamGoType(p.Type())})
		in, _ = gotype.PointedTo(p.Type())
		if jsoncheck.Check(b.Types, in, true, from, to) {
			b.reserved(b.ArgsOf(in), "params", from, to)
			m.Args = b.ArgStruct(in)
		}
	}
	m.ParamsSchema = b.InputSchema(in)
}

// unfit says why the runtime cannot fill a parameter of that kind; empty if it can, or does not fill it.
func unfit(kind ir.ParamKind, m *ir.ServerMethod) string {
	reports := kind == ir.ParamProgress || kind == ir.ParamLogger
	switch {
	case kind == ir.ParamPeer:
		return "a method of an extension cannot send requests to the client"
	case m.Notification && reports:
		return "a notification has no response that progress or log messages could precede"
	case m.Filter && reports:
		return "a listen has no response that progress or log messages could precede"
	}
	return ""
}

// notParams says why a parameter of type t cannot be the params; empty if it can.
func (b *builder) notParams(t types.Type, twice bool) string {
	in, _ := gotype.PointedTo(t)
	switch {
	case twice:
		return fmt.Sprintf("the params of a method are one struct; %s is a second one", b.TypeText(t))
	case !gotype.IsStruct(in) || gotype.IsNamed(in, "time", "Time"):
		return fmt.Sprintf("the params of a method are one struct; found %s", b.TypeText(t))
	case !b.Namable(in):
		return fmt.Sprintf("the struct of params needs a name; found %s", b.TypeText(t))
	case gotype.UnmarshalsJSON(in) || gotype.UnmarshalsText(in):
		return fmt.Sprintf("`%s` reads itself, so its members are not known", b.TypeText(in))
	}
	return ""
}

// result reads the results.
func (b *builder) result(m *ir.ServerMethod, d *load.Decl, sig *types.Signature, form string) {
	res := sig.Results()
	from, to := source.ResultRange(d)
	switch n := res.Len(); {
	case m.Filter:
		b.topics(d, res, form)
		return
	case n == 1 && gotype.IsError(res.At(0).Type()):
		if !m.Notification {
			m.ResultSchema = b.InputSchema(nil)
		}
		return
	case n != 2 || !gotype.IsError(res.At(1).Type()):
		b.Report("MCP401", from, to, fmt.Sprintf("a method returns (Result, error) or error; found %s",
			types.TypeString(res, b.Qualifier)), report.Hint("valid form: "+form), report.Fix("return (Result, error)"))
		return
	case m.Notification:
		b.Report("MCP401", from, to, "a notification has no response, so that nobody gets its result",
			report.Hint("valid form: "+form), report.Fix("return error, or remove `notification`"))
		return
	}
	out, pointer := gotype.PointedTo(res.At(0).Type())
	writesItself := gotype.MarshalsJSON(out) || gotype.MarshalsText(out) || gotype.IsNamed(out, "time", "Time")
	if !gotype.IsStruct(out) || writesItself {
		b.Report("MCP401", from, to, fmt.Sprintf("the result of a method is a struct that does not write itself; found %s",
			b.TypeText(res.At(0).Type())), report.Hint("valid form: "+form),
			report.Fix(fmt.Sprintf("put it into one: type %sResult struct { … }", d.Name)))
		return
	}
	m.Returns, m.OutPointer = true, pointer
	if jsoncheck.Output(b.Types, out, from, to) {
		b.reserved(b.Of(out, false), "results", from, to)
		m.ResultSchema = b.OutputSchema(out)
	}
	m.Encode = b.Encoder(out)
}

// reserved reports members that the protocol itself has.
func (b *builder) reserved(t *jsontype.Type, of string, from, to token.Pos) {
	for _, x := range t.Members {
		if x.Name == "_meta" || x.Name == "resultType" && of == "results" {
			b.Report("MCP622", from, to, fmt.Sprintf("the protocol itself has `%s` in %s, and a field of `%s` has it too",
				x.Name, of, b.TypeText(t.Typ)), report.Fix("give the field another name in its json tag"))
		}
	}
}
