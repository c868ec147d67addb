// Package tool builds the tools of a server.
package tool

import (
	"cmp"
	"fmt"
	"go/types"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/serverir/feature"
	"github.com/mcpgen/mcpgen/internal/serverir/gotype"
	"github.com/mcpgen/mcpgen/internal/serverir/jsoncheck"
	"github.com/mcpgen/mcpgen/internal/serverir/names"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
	"github.com/mcpgen/mcpgen/internal/serverir/variable"
)

// buildTool turns one tool directive into IR.
func (b *builder) buildTool(d *load.Decl, spec *directive.Tool) {
	t := &ir.Tool{
		Pos: b.Res.Pos(d.Primary.Pos, d.Primary.End), Callee: b.Callee(d),
		Name: spec.Name.V, Title: spec.Title.V, Description: spec.Desc.V,
		Icons: b.Icons(d), Meta: b.Meta(d),
	}
	if !spec.Name.Set() {
		t.Name = names.Shown(d)
	}
	if !spec.Desc.Set() {
		t.Description = source.Description(d.Doc, d.Name)
	}
	if t.Description == "" {
		b.undescribed(d)
	}
	t.Proto, t.Toggle, t.Tags = b.ProtoOf(d), b.ToggleOf(d), feature.Texts(&spec.Tags)
	t.Description = b.Deprecated(d, t.Description)
	b.toolHints(t, spec)
	taskOf(b, t, spec)
	b.Misplaced(d, insteadOf)
	b.toolNameFree(t, d, spec)
	t.CallName = b.HandlerName("call", d, func(name string) bool {
		return b.callNames.Index(b.Server.Tools, name) >= 0
	})
	b.Server.Tools = append(b.Server.Tools, t)
	b.decls = append(b.decls, d)
	if sig := source.Signature(d); sig != nil {
		b.Guard(d)
		b.toolSignature(t, d, sig, spec)
		askingTask(b, d, sig, spec)
	}
	t.Rules = b.GuardOf(&variable.Set{Decl: d}, "")
}

// undescribed warns of a tool without a description, which a model would have to choose by its name.
func (b *builder) undescribed(d *load.Decl) {
	from, to := source.NameOf(d)
	b.Report("MCP609", from, to,
		fmt.Sprintf("tool `%s` has no description: a model chooses tools by their descriptions", d.Name),
		report.Fix("write a doc comment that says what it does and when to call it, or desc="))
}

// toolHints sets only the hints that the directive gives, because clients have defaults of their own.
func (b *builder) toolHints(t *ir.Tool, spec *directive.Tool) {
	hint := func(k directive.Bool) *bool {
		if !k.Set() {
			return nil
		}
		return new(k.V)
	}
	t.ReadOnly, t.Destructive, t.Idempotent = hint(spec.Readonly), hint(spec.Destructive), hint(spec.Idempotent)
	t.OpenWorld = hint(spec.Open)
	if spec.Closed.Set() {
		t.OpenWorld = new(!spec.Closed.V)
	}
	if spec.Readonly.V && spec.Destructive.V {
		b.contradiction(spec.Destructive, spec.Readonly, "`destructive` has no meaning with `readonly`")
	}
	if spec.Open.Set() && spec.Closed.Set() && spec.Open.V == spec.Closed.V {
		b.contradiction(spec.Closed, spec.Open, "`closed` contradicts `open`")
	}
}

func (b *builder) contradiction(k, other directive.Bool, message string) {
	b.Report("MCP604", k.Arg.Pos, k.Arg.End, message, b.Related(other.Arg.Pos, other.Arg.End, "the other one"),
		report.Fix("drop one"))
}

// insteadOf says what to write in place of a line that limits a variable, to limit an argument.
func insteadOf(m *directive.Directive) func(*diag.Diagnostic) {
	if _, ok := m.Spec.(*directive.Var); ok {
		return report.Fix("write jsonschema:\"minimum=1\" or the like on the field, or //mcp:arg for a parameter")
	}
	return nil
}

// toolNameFree reports a name of a tool that is not valid, or that another tool has. The rest of the tool is checked in
// any case.
func (b *builder) toolNameFree(t *ir.Tool, d *load.Decl, spec *directive.Tool) {
	from, to := source.NamedAt(d, spec.Name)
	if !NamePattern.MatchString(t.Name) {
		b.Report("MCP109", from, to, fmt.Sprintf("`%s` is not a name for a tool: 1 to 128 of A-Z a-z 0-9 _ . -", t.Name),
			report.Fix("name="+cmp.Or(nameLike(t.Name), names.Shown(d))))
		return
	}
	if b.Server.ResourceTools && slices.Contains(resourceTools, t.Name) {
		b.Report("MCP207", from, to, fmt.Sprintf("tool `%s` is one of those that `astools=` adds", t.Name),
			report.Fix("give it another name=…"))
		return
	}
	i := b.names.Index(b.Server.Tools, t.Name)
	if i < 0 {
		return
	}
	first := b.decls[i]
	ofrom, oto := source.NamedAt(first, first.Primary.Spec.(*directive.Tool).Name)
	b.Report("MCP207", from, to, fmt.Sprintf("tool `%s` is already declared by `%s`", t.Name, first.Name),
		b.Related(ofrom, oto, "declared here first"), report.Fix("give one of them another name=…"))
}

// nameLike returns a valid name that resembles one that is not; "" if no character of it is valid.
func nameLike(name string) string {
	name = strings.Trim(otherSigns.ReplaceAllString(name, "_"), "_")
	return name[:min(len(name), 128)]
}

// toolSignature reads the parameters and results.
func (b *builder) toolSignature(t *ir.Tool, d *load.Decl, sig *types.Signature, spec *directive.Tool) {
	if sig.TypeParams().Len()+sig.RecvTypeParams().Len() > 0 {
		from, to := source.NameOf(d)
		b.refused[d] = true
		b.Report("MCP401", from, to, "a tool cannot have type parameters", report.Hint("valid form: "+directive.ToolForm),
			report.Fix("write a function without, which calls this one"))
		return
	}
	if !b.HasContext(d, sig, "tool", directive.ToolForm) {
		b.refused[d] = true
		return
	}
	in := b.toolParams(t, d, sig, spec)
	b.toolResult(t, d, sig)
	if spec.Schema.Set() {
		b.givenSchema(t, spec)
		return
	}
	t.InputSchema = b.InputSchema(in)
}

// toolParams reads the parameters after the context. It returns the struct of the arguments: the type of the only
// parameter that the runtime does not fill, or a struct made of all such parameters; nil if there are none.
func (b *builder) toolParams(t *ir.Tool, d *load.Decl, sig *types.Signature,
	spec *directive.Tool) (in types.Type) {
	own := arguments(sig)
	if !spec.Schema.Set() && b.takesPlain(own) {
		in = b.plainArguments(t, d, sig, own)
		b.refused[d] = in == nil
		return in
	}
	b.noArgLines(d, own)
	for i := 1; i < sig.Params().Len(); i++ {
		p := sig.Params().At(i)
		if gotype.Special(p.Type()) {
			t.Callee.Params = append(t.Callee.Params, b.SpecialParam(p))
			continue
		}
		from, to := source.ParamType(d, p)
		if spec.Schema.Set() || gotype.IsNamed(p.Type(), "encoding/json", "RawMessage") {
			b.rawArguments(t, p, spec, from, to)
			continue
		}
		if message := b.notArguments(p.Type()); message != "" {
			b.refused[d] = true
			b.Report("MCP401", from, to, message, report.Hint("valid form: "+directive.ToolForm),
				report.Fix("take one struct with a field for each argument"))
			return nil
		}
		b.HiddenParam(p.Type(), "args")
		t.Callee.Params = append(t.Callee.Params, ir.Param{Kind: ir.ParamArgs, Type: b.ParamGoType(p.Type())})
		in, _ = gotype.PointedTo(p.Type())
		if jsoncheck.Check(b.Types, in, true, from, to) {
			t.Args = b.ArgStruct(in)
		}
	}
	return in
}

// arguments returns the parameters after the context that the runtime does not fill.
func arguments(sig *types.Signature) []*types.Var {
	var own []*types.Var
	for i := 1; i < sig.Params().Len(); i++ {
		if p := sig.Params().At(i); !gotype.Special(p.Type()) {
			own = append(own, p)
		}
	}
	return own
}

// notArguments says why a parameter of type t cannot be the arguments of a tool; "" if it can.
func (b *builder) notArguments(t types.Type) string {
	in, _ := gotype.PointedTo(t)
	switch {
	case !gotype.IsStruct(in) || gotype.IsNamed(in, "time", "Time"):
		return fmt.Sprintf("the arguments of a tool are one struct; found %s", b.TypeText(t))
	case !b.Namable(in):
		return fmt.Sprintf("the struct of arguments needs a name; found %s", b.TypeText(t))
	case gotype.UnmarshalsJSON(in) || gotype.UnmarshalsText(in):
		return fmt.Sprintf("`%s` reads itself, so its arguments are not known", b.TypeText(in))
	}
	return ""
}
