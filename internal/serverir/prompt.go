package serverir

import (
	"cmp"
	"fmt"
	"go/types"
	"slices"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
)

const (
	protocolPath = "github.com/mcpgen/mcpgen/generated/protocol"
)

// prompt is a prompt and where it was declared.
type prompt struct {
	*ir.Prompt
	decl *load.Decl
	// vars has the arguments in the form of template variables, for what both have in common.
	vars *resource
}

// buildPrompt turns one prompt directive into IR.
func (b *serverBuilder) buildPrompt(d *load.Decl, spec *directive.Prompt) {
	p := &prompt{decl: d, Prompt: &ir.Prompt{
		Pos: b.res.Pos(d.Primary.Pos, d.Primary.End), Callee: b.callee(d),
		Name: spec.Name.V, Title: spec.Title.V, Description: spec.Desc.V,
		Icons: b.icons(d), Meta: b.meta(d),
	}}
	if !spec.Name.Set() {
		p.Name = joinLower(d.Name, "_")
	}
	if !spec.Desc.Set() {
		p.Description = descriptionOf(d.Doc, d.Name)
	}
	p.Proto, p.Toggle, p.Tags = b.protoOf(d), b.toggleOf(d), texts(&spec.Tags)
	p.Description = b.deprecated(d, p.Description)
	b.promptRefinements(d)
	if !b.promptNameFree(p, spec) {
		return
	}
	p.GetName = b.handlerName("get", d, func(name string) bool {
		return slices.ContainsFunc(b.prompts, func(o *prompt) bool { return o.GetName == name })
	})
	p.vars = &resource{Resource: &ir.Resource{}, decl: d, prompt: p}
	b.prompts = append(b.prompts, p)
	b.server.Prompts = append(b.server.Prompts, p.Prompt)
	sig := signature(d)
	if sig == nil {
		return
	}
	b.guard(d, d.Name)
	if b.hasContext(d, sig, "prompt", directive.PromptForm) {
		b.promptParams(p, sig)
	}
	p.Rules = b.guardOf(p.vars, "may"+upperFirst(p.GetName))
	b.promptResult(p, sig)
	if len(p.Args) > 0 {
		p.ArgsName = unexported(p.GetName[len("get"):]) + "Args"
	}
}

// promptRefinements refuses refining directives that only resources have.
func (b *serverBuilder) promptRefinements(d *load.Decl) {
	for _, m := range d.Directives {
		if m.Bad {
			continue
		}
		switch m.Spec.(type) {
		case *directive.Var:
			b.report("MCP108", m.NamePos, m.NameEnd(), "`var` cannot stand on a prompt, which has arguments",
				b.replace(m.NamePos, m.NameEnd(), "arg"))
		case *directive.Annotate, *directive.Cache, *directive.Alias:
			b.report("MCP108", m.NamePos, m.NameEnd(), fmt.Sprintf("`%s` cannot stand on a prompt", m.Name),
				hint("beside a prompt: arg icon meta availability toggle"), fix("remove the line"))
		}
	}
}

// strayArgs refuses arg lines on what is no prompt.
func (b *serverBuilder) strayArgs() {
	for _, d := range b.pkg.Decls {
		if d.Primary == nil {
			continue
		}
		switch d.Primary.Spec.(type) {
		case *directive.Prompt, *directive.Tool:
			continue
		}
		for _, m := range d.Directives {
			if _, ok := m.Spec.(*directive.PromptArg); !ok || m.Bad {
				continue
			}
			repair := fix("remove the line")
			if _, ok := d.Primary.Spec.(*directive.Resource); ok {
				repair = b.replace(m.NamePos, m.NameEnd(), "var")
			}
			b.report("MCP108", m.NamePos, m.NameEnd(), fmt.Sprintf("`arg` is for prompts and tools and cannot stand on a %s",
				d.Primary.Name), repair)
		}
	}
}

// promptNameFree checks the name of a prompt.
func (b *serverBuilder) promptNameFree(p *prompt, spec *directive.Prompt) bool {
	from, to := nameOf(p.decl)
	if spec.Name.Set() {
		from, to = valueOf(spec.Name.Arg)
	}
	if p.Name == "" {
		b.report("MCP109", from, to, "a prompt needs a name", fix("name="+cmp.Or(joinLower(p.decl.Name, "_"), "review")))
		return false
	}
	i := slices.IndexFunc(b.prompts, func(o *prompt) bool { return o.Name == p.Name })
	if i < 0 {
		return true
	}
	first := b.prompts[i].decl
	ofrom, oto := nameOf(first)
	if other := first.Primary.Spec.(*directive.Prompt); other.Name.Set() {
		ofrom, oto = valueOf(other.Name.Arg)
	}
	b.report("MCP207", from, to, fmt.Sprintf("prompt `%s` is already declared by `%s`", p.Name, first.Name),
		b.related(ofrom, oto, "declared here first"), fix("give one of them another name=…"))
	return true // the rest of it is checked in the same run
}

// promptResult finds out how the result becomes messages.
func (b *serverBuilder) promptResult(p *prompt, sig *types.Signature) {
	res := sig.Results()
	if res.Len() == 2 && isError(res.At(1).Type()) {
		p.Result = promptResultKind(res.At(0).Type())
	}
	if p.Result != 0 {
		return
	}
	from, to := resultRange(p.decl)
	options := []func(*diag.Diagnostic){hint("valid form: " + directive.PromptForm),
		fix("return (T, error); T is one of: " + directive.PromptResults)}
	b.report("MCP401", from, to, "a prompt returns (T, error); found "+b.resultsText(sig), options...)
}

// promptResultKind says what becomes of a result of type t; 0 if it cannot be one.
func promptResultKind(t types.Type) ir.PromptResultKind {
	isMessage := func(t types.Type) bool { return isNamed(t, protocolPath, "PromptMessage") }
	switch s, ok := t.Underlying().(*types.Slice); {
	case isNamed(t, mcpPath, "PromptResult"):
		return ir.PromptRaw
	case isMessage(t):
		return ir.PromptMessage
	case ok && isMessage(s.Elem()):
		return ir.PromptMessages
	case isString(t):
		return ir.PromptText
	}
	return 0
}

// promptNamed is the prompt that of= names, by Go name or by MCP name; nil for none.
func (b *serverBuilder) promptNamed(name string) *prompt {
	for _, p := range b.prompts {
		if p.decl.Name == name || p.Name == name {
			return p
		}
	}
	return nil
}

// promptCompletions adds the completions that types give: the constants of an enum, true and false.
func (b *serverBuilder) promptCompletions(p *prompt) {
	off := map[string]bool{}
	for _, m := range load.Refinements[*directive.PromptArg](p.decl) {
		off[m.Name.V] = m.Complete.V == "none"
	}
	p.Completers = p.vars.Completers
	for i, a := range p.Args {
		has := slices.ContainsFunc(p.Completers, func(c ir.Completer) bool { return c.Var == i })
		switch {
		case has || off[a.Name]:
		case a.Kind == ir.VarEnum:
			p.Completers = append(p.Completers, ir.Completer{Var: i, Values: a.Values})
		case a.Kind == ir.VarBool:
			p.Completers = append(p.Completers, ir.Completer{Var: i, Values: []string{"false", "true"}})
		}
	}
	slices.SortFunc(p.Completers, func(x, y ir.Completer) int { return cmp.Compare(x.Var, y.Var) })
}
