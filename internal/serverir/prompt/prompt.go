// Package prompt builds the prompts of a server.
package prompt

import (
	"cmp"
	"fmt"
	"go/types"
	"slices"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/goname"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/serverir/feature"
	"github.com/mcpgen/mcpgen/internal/serverir/gotype"
	"github.com/mcpgen/mcpgen/internal/serverir/names"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
	"github.com/mcpgen/mcpgen/internal/serverir/variable"
)

// Declare reads the prompts.
func (b *Builder) Declare() { source.EachSpec(b.Pkg, b.buildPrompt) }

// Finish adds the completions that types give.
func (b *Builder) Finish() {
	for _, p := range b.all {
		b.promptCompletions(p)
	}
}

// Capabilities adds what the prompts can answer.
func (b *Builder) Capabilities(c *ir.Capabilities) {
	for _, p := range b.all {
		if p.Proto.Off {
			continue
		}
		c.Prompts = true
		c.Logging = c.Logging || p.Callee.Takes(ir.ParamLogger)
		c.PromptsChanged = c.PromptsChanged || p.ListChanges()
		c.Completions = c.Completions || len(p.Completers) > 0
	}
}

// Claim reserves the names of the prompts.
func (b *Builder) Claim(c *names.Registry) {
	for _, p := range b.all {
		c.Claim(p.decl, "."+p.Toggle, p.ArgsName)
	}
}

// Names are the Go names of the prompts.
func (b *Builder) Names() []string {
	var out []string
	for _, p := range b.all {
		out = append(out, p.decl.Name)
	}
	return out
}

// Completed is what completion functions need to know of the prompt with that Go name or MCP name; nil for none.
func (b *Builder) Completed(name string) *feature.Completed {
	p := b.promptNamed(name)
	if p == nil {
		return nil
	}
	c := &feature.Completed{Set: p.set(), Completers: &p.Completers}
	c.Unknown = func(arg *directive.Arg, name string) {
		if source.Signature(p.decl) != nil { // else it is not known what its arguments are
			b.noArg(p, arg, name, variable.Names(c.Vars))
		}
	}
	c.Strange = func(_ *load.Decl, v *types.Var) {
		from, to := source.ParamRange(v)
		b.Report("MCP302", from, to, fmt.Sprintf("parameter `%s` is neither an argument of the prompt nor a special type",
			cmp.Or(v.Name(), "_")),
			report.Hint("arguments: "+report.OrNone(variable.Names(c.Vars))),
			report.Fix("name it like an argument, or remove it"))
	}
	return c
}

// buildPrompt turns one prompt directive into IR.
func (b *Builder) buildPrompt(d *load.Decl, spec *directive.Prompt) {
	p := &prompt{decl: d, Prompt: &ir.Prompt{
		Pos: b.Res.Pos(d.Primary.Pos, d.Primary.End), Callee: b.Callee(d),
		Name: spec.Name.V, Title: spec.Title.V, Description: spec.Desc.V,
		Icons: b.Icons(d), Meta: b.Meta(d),
	}}
	if !spec.Name.Set() {
		p.Name = names.Shown(d)
	}
	if !spec.Desc.Set() {
		p.Description = source.Description(d.Doc, d.Name)
	}
	p.Proto, p.Toggle, p.Tags = b.ProtoOf(d), b.ToggleOf(d), feature.Texts(&spec.Tags)
	p.Description = b.Deprecated(d, p.Description)
	b.Misplaced(d, b.insteadOf)
	if !b.promptNameFree(p, spec) {
		return
	}
	p.GetName = b.HandlerName("get", d, func(name string) bool {
		return b.getNames.Index(b.all, name) >= 0
	})
	b.all = append(b.all, p)
	b.Server.Prompts = append(b.Server.Prompts, p.Prompt)
	sig := source.Signature(d)
	if sig == nil {
		return
	}
	b.Guard(d)
	if b.HasContext(d, sig, "prompt", directive.PromptForm) {
		b.promptParams(p, sig)
	}
	p.Rules = b.GuardOf(p.set(), "may"+goname.UpperFirst(p.GetName))
	b.promptResult(p, sig)
	if len(p.Args) > 0 {
		p.ArgsName = goname.Unexported(p.GetName[len("get"):]) + "Args"
	}
}

// insteadOf makes a line about an argument of one about a variable.
func (b *Builder) insteadOf(m *directive.Directive) func(*diag.Diagnostic) {
	if _, ok := m.Spec.(*directive.Var); ok {
		return b.Replace(m.NamePos, m.NameEnd(), "arg")
	}
	return nil
}

// promptNameFree checks the name of a prompt.
func (b *Builder) promptNameFree(p *prompt, spec *directive.Prompt) bool {
	from, to := source.NamedAt(p.decl, spec.Name)
	if p.Name == "" {
		b.Report("MCP109", from, to, "a prompt needs a name",
			report.Fix("name="+cmp.Or(goname.JoinLower(p.decl.Name, "_"), "review")))
		return false
	}
	i := b.mcpNames.Index(b.all, p.Name)
	if i < 0 {
		return true
	}
	first := b.all[i].decl
	ofrom, oto := source.NamedAt(first, first.Primary.Spec.(*directive.Prompt).Name)
	b.Report("MCP207", from, to, fmt.Sprintf("prompt `%s` is already declared by `%s`", p.Name, first.Name),
		b.Related(ofrom, oto, "declared here first"), report.Fix("give one of them another name=…"))
	return true // the rest of it is checked in the same run
}

// promptResult finds out how the result becomes messages.
func (b *Builder) promptResult(p *prompt, sig *types.Signature) {
	res := sig.Results()
	if res.Len() == 2 && gotype.IsError(res.At(1).Type()) {
		p.Result = promptResultKind(res.At(0).Type())
	}
	if p.Result != 0 {
		return
	}
	from, to := source.ResultRange(p.decl)
	options := []func(*diag.Diagnostic){report.Hint("valid form: " + directive.PromptForm),
		report.Fix("return (T, error); T is one of: " + directive.PromptResults)}
	b.Report("MCP401", from, to, "a prompt returns (T, error); found "+b.ResultsText(sig), options...)
}

// promptResultKind says what becomes of a result of type t; 0 if it cannot be one.
func promptResultKind(t types.Type) ir.PromptResultKind {
	isMessage := func(t types.Type) bool { return gotype.IsNamed(t, gotype.ProtocolPath, "PromptMessage") }
	switch s, ok := t.Underlying().(*types.Slice); {
	case gotype.IsNamed(t, gotype.RuntimePath, "PromptResult"):
		return ir.PromptRaw
	case isMessage(t):
		return ir.PromptMessage
	case ok && isMessage(s.Elem()):
		return ir.PromptMessages
	case gotype.IsString(t):
		return ir.PromptText
	}
	return 0
}

// promptNamed is the prompt that of= names, by Go name or by MCP name; nil for none.
func (b *Builder) promptNamed(name string) *prompt {
	for _, p := range b.all {
		if p.decl.Name == name || p.Name == name {
			return p
		}
	}
	return nil
}

// promptCompletions adds the completions that types give: the constants of an enum, true and false.
func (b *Builder) promptCompletions(p *prompt) {
	off := map[string]bool{}
	for _, m := range load.Refinements[*directive.PromptArg](p.decl) {
		off[m.Name.V] = m.Complete.V == "none"
	}
	for i, a := range p.Args {
		has := slices.ContainsFunc(p.Completers, func(c ir.Completer) bool { return c.Var == i })
		if c, ok := variable.Completion(a.Var, i); ok && !has && !off[a.Name] {
			p.Completers = append(p.Completers, c)
		}
	}
	slices.SortFunc(p.Completers, func(x, y ir.Completer) int { return cmp.Compare(x.Var, y.Var) })
}
