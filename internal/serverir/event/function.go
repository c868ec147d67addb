package event

import (
	"fmt"
	"go/types"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/serverir/gotype"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
)

// purpose says what a function does for an event.
type purpose struct {
	// word is the directive, and form the signature.
	word, form string
	// locals are the variables of the generated functions that call it.
	locals []string
	// of is where the event keeps the function.
	of func(*ir.Event) **ir.Callee
	// fits reports whether a signature is the one for an event.
	fits func(b *builder, e *event, sig *types.Signature) bool
}

var (
	matching = purpose{"match", directive.MatchForm, []string{"impl", "e"},
		func(e *ir.Event) **ir.Callee { return &e.Match }, matches}
	shaping = purpose{"shape", directive.ShapeForm, []string{"impl", "c", "e"},
		func(e *ir.Event) **ir.Callee { return &e.Shape }, shapes}
	replaying = purpose{"replay", directive.ReplayForm, []string{"impl", "ctx", "next", "n"},
		func(e *ir.Event) **ir.Callee { return &e.Replay }, replays}
)

// refer gives an event the function d.
func (b *builder) refer(d *load.Decl, of directive.Ref, p purpose) {
	e := b.named(of)
	if e == nil {
		return
	}
	into := p.of(e.Event)
	if *into != nil {
		b.Twice(of, p.word)
		return
	}
	callee := b.Callee(d)
	*into = &callee
	if callee.Kind == ir.CalleeFunc {
		for _, local := range p.locals {
			b.HiddenFuncBy(d.Name, local)
		}
	}
	sig := source.Signature(d)
	if sig == nil || e.unsure {
		return
	}
	from, to := source.NameOf(d)
	if e.args == nil && !e.spec.Args.Set() && p.word == "match" {
		ofrom, oto := source.NameOf(e.decl)
		b.Report("MCP624", from, to, fmt.Sprintf("`%s` has no arguments that `%s` could look at", e.decl.Name, d.Name),
			b.Related(ofrom, oto, "the event"), report.Fix("add args= to the event, with the struct that the function takes"))
		return
	}
	if sig.TypeParams().Len()+sig.RecvTypeParams().Len() > 0 || sig.Variadic() || !p.fits(b, e, sig) {
		b.Report("MCP401", from, to, fmt.Sprintf("`%s` cannot %s `%s`: it is %s", d.Name, p.word, e.decl.Name,
			types.TypeString(sig, b.Qualifier)), report.Hint("valid form: "+p.form), report.Fix("write "+b.wanted(e, d, p)))
		return
	}
	b.Guard(d)
}

// named returns the event in of=. It reports a name that is none, and returns nil.
func (b *builder) named(of directive.Ref) *event {
	var known []string
	for _, e := range b.all {
		if of.V == e.decl.Name || of.V == e.Name {
			return e
		}
		known = append(known, e.decl.Name)
	}
	if b.Unparsed || len(b.broken) > 0 {
		return nil // it may be the one that is meant
	}
	from, to := source.ValueOf(of.Arg)
	b.Report("MCP501", from, to, fmt.Sprintf("`of=%s` names no event here", of.V),
		report.Hint("events: "+report.OrNone(known)), report.Fix("write //mcp:event on the struct that is the payload"),
		b.Meant(from, to, of.V, known))
	return nil
}

// wanted returns the signature that a function must have.
func (b *builder) wanted(e *event, d *load.Decl, p purpose) string {
	payload, args := b.TypeText(e.payload), ""
	if e.args != nil {
		args = ", f " + b.TypeText(e.args)
	}
	switch p.word {
	case "match":
		return fmt.Sprintf("func %s(%s, e *%s) bool", d.Name, args[2:], payload)
	case "shape":
		return fmt.Sprintf("func %s(who mcp.Caller%s, e *%s) %s", d.Name, args, payload, payload)
	}
	return fmt.Sprintf("func %s(ctx context.Context%s, cursor string, limit int) (mcp.EventPage[%s], error)", d.Name, args,
		payload)
}

// takes reports whether the parameters of a signature from the n-th on are the arguments of an event, if it has some,
// and then rest.
func takes(e *event, sig *types.Signature, n int, rest ...types.Type) bool {
	if e.args != nil {
		rest = append([]types.Type{e.args}, rest...)
	}
	if sig.Params().Len() != n+len(rest) {
		return false
	}
	for i, t := range rest {
		if !types.Identical(sig.Params().At(n+i).Type(), t) {
			return false
		}
	}
	return true
}

func matches(_ *builder, e *event, sig *types.Signature) bool {
	return takes(e, sig, 0, types.NewPointer(e.payload)) && sig.Results().Len() == 1 &&
		types.Identical(sig.Results().At(0).Type(), types.Typ[types.Bool])
}

func shapes(_ *builder, e *event, sig *types.Signature) bool {
	return sig.Params().Len() > 0 && gotype.IsNamed(sig.Params().At(0).Type(), gotype.RuntimePath, "Caller") &&
		takes(e, sig, 1, types.NewPointer(e.payload)) && sig.Results().Len() == 1 &&
		types.Identical(sig.Results().At(0).Type(), e.payload)
}

func replays(b *builder, e *event, sig *types.Signature) bool {
	if sig.Params().Len() == 0 || !gotype.IsNamed(sig.Params().At(0).Type(), "context", "Context") ||
		!takes(e, sig, 1, types.Typ[types.String], types.Typ[types.Int]) {
		return false
	}
	if sig.Results().Len() != 2 || !gotype.IsError(sig.Results().At(1).Type()) {
		return false
	}
	page, ok := types.Unalias(sig.Results().At(0).Type()).(*types.Named)
	return ok && gotype.IsNamed(page, gotype.RuntimePath, "EventPage") && page.TypeArgs().Len() == 1 &&
		types.Identical(page.TypeArgs().At(0), e.payload)
}
