package serverir

import (
	"fmt"
	"go/token"
	"go/types"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/serverir/names"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
)

// unnamed reports features whose name is blank, because nothing can call them.
func (b *packageBuilder) unnamed() {
	for _, d := range b.Pkg.Decls {
		if d.Primary == nil || d.Primary.Bad || d.Name != "_" {
			continue
		}
		d.Primary.Bad = true
		from, to := source.NameOf(d)
		b.Report("MCP108", from, to, fmt.Sprintf("`%s` cannot stand on a declaration that is called `_`", d.Primary.Name),
			report.Fix("give it a name"))
	}
}

// checkEnum reports an enum directive on a type without constants.
func (b *packageBuilder) checkEnum(d *load.Decl, _ *directive.EnumOf) {
	obj, ok := d.Obj.(*types.TypeName)
	if !ok || len(b.Res.Constants(obj)) > 0 {
		return
	}
	b.Report("MCP110", d.Primary.NamePos, d.Primary.NameEnd(), fmt.Sprintf("`enum` needs constants of type `%s`", d.Name),
		report.Fix(fmt.Sprintf("declare them in this package, such as const First %s = …", d.Name)))
}

// hiddenPredeclared reports declarations that hide what generated code needs.
func (b *packageBuilder) hiddenPredeclared() {
	for _, name := range names.Predeclared {
		if obj := b.Hides(name); obj != nil {
			b.Report("MCP803", obj.Pos(), obj.Pos()+token.Pos(len(name)),
				fmt.Sprintf("generated code needs Go's own `%s`, which this declaration hides", name),
				report.Fix("rename it"))
		}
	}
}

// limitValues reports bounds that would let nobody in, or that only look as if they did.
func (b *packageBuilder) limitValues() {
	for _, d := range b.Pkg.Decls {
		for _, l := range load.Refinements[*directive.Limit](d) {
			for _, k := range []struct {
				arg *directive.Arg
				ok  bool
			}{
				{l.Burst.Arg, l.Burst.V > 0},
				{l.Concurrency.Arg, l.Concurrency.V > 0},
				{l.Bytes.Arg, l.Bytes.V > 0},
				{l.Timeout.Arg, l.Timeout.V > 0},
			} {
				if k.arg != nil && !k.ok {
					from, to := source.ValueOf(k.arg)
					b.Report("MCP109", from, to, fmt.Sprintf("`%s` of a limit must be more than 0", k.arg.Option),
						report.Fix("remove it for no limit"))
				}
			}
		}
	}
}

// refinementsElsewhere reports refining directives without effect: on the function of a feature, or on a type that is
// none. strayArgs is for arg.
func (b *packageBuilder) refinementsElsewhere() {
	for _, d := range b.Pkg.Decls {
		if d.Primary == nil {
			continue
		}
		switch d.Primary.Spec.(type) {
		case *directive.ListOf, *directive.Watch, *directive.Complete, *directive.EnumOf, *directive.TypeOf, *directive.Form,
			*directive.Extension, *directive.Experimental, *directive.Match, *directive.Shape, *directive.Replay:
		default:
			continue
		}
		for _, m := range d.Directives {
			switch m.Spec.(type) {
			case *directive.Allow, *directive.PromptArg:
				continue
			}
			if m.Bad || m.Def.Primary {
				continue
			}
			why, repair := "it refines features", "remove the line"
			switch d.Primary.Spec.(type) {
			case *directive.ListOf, *directive.Watch, *directive.Complete:
				why, repair = "it belongs to the feature", "write it on the resource or prompt"
			case *directive.Match, *directive.Shape, *directive.Replay:
				why, repair = "it belongs to the event", "write it on the struct of the event"
			}
			b.Report("MCP108", m.NamePos, m.NameEnd(),
				fmt.Sprintf("`%s` cannot stand beside `%s`: %s", m.Name, d.Primary.Name, why), report.Fix(repair))
		}
	}
}

// strayArgs reports arg lines on what is no prompt.
func (b *packageBuilder) strayArgs() {
	for _, d := range b.Pkg.Decls {
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
			repair := report.Fix("remove the line")
			if _, ok := d.Primary.Spec.(*directive.Resource); ok {
				repair = b.Replace(m.NamePos, m.NameEnd(), "var")
			}
			b.Report("MCP108", m.NamePos, m.NameEnd(), fmt.Sprintf("`arg` is for prompts and tools and cannot stand on a %s",
				d.Primary.Name), repair)
		}
	}
}

// defaultsMistakes reports defaults that no feature takes over in this version.
func (b *serverBuilder) defaultsMistakes() {
	for _, d := range b.Pkg.Decls {
		if d.Kind != directive.OnPackage && d.Primary != nil {
			continue
		}
		for _, m := range d.Directives {
			if !m.Bad && m.Def.DefaultPlanned {
				b.Report("MCP804", m.NamePos, m.NameEnd(),
					fmt.Sprintf("`%s` as a default of several features is not supported by this version of mcpgen yet", m.Name),
					report.Fix("write it on each feature"))
			}
		}
	}
}
