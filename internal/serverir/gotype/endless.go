package gotype

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
)

// EndlessTypes reports declarations whose types lead to ever more instances of a generic type, as type Grow[T any]
// struct{ N *Grow[[]T] } does.
func (b *Scope) EndlessTypes() {
	w := &growth{b: b, highs: map[*types.TypeName][]instance{}}
	said := map[*types.TypeName]bool{}
	for _, d := range b.Pkg.Decls {
		if d.Primary == nil || d.Primary.Bad || d.Obj == nil {
			continue
		}
		w.seen = map[string]bool{}
		t := w.of(d)
		if t == nil {
			continue
		}
		d.Primary.Bad = true
		obj := TypeName(t)
		if said[obj] {
			continue
		}
		said[obj] = true
		from, to := source.NameOf(d)
		b.Report("MCP403", obj.Pos(), obj.Pos()+token.Pos(len(obj.Name())),
			fmt.Sprintf("`%s` needs ever larger types, such as `%s`", obj.Name(), b.TypeText(t)),
			b.Related(from, to, "needed here"), report.Fix("let it refer to itself with the same type arguments"))
	}
}

// growth looks for generic types whose instances grow. highs has, for each generic type on the way, how deep the
// arguments of its instances are, as far as each is deeper than those before.
type growth struct {
	b     *Scope
	seen  map[string]bool
	highs map[*types.TypeName][]instance
}

// instance is an instance of a generic type, with the depth of its arguments.
type instance struct {
	t    *types.Named
	deep int
}

// mostHighs is how often the instances of one generic type may grow on the way to a field. In types that people write
// they grow once or twice.
const mostHighs = 5

// of returns a type in the declaration d that grows without end; nil if there is none.
func (w *growth) of(d *load.Decl) types.Type {
	f, ok := d.Obj.(*types.Func)
	if !ok {
		return w.visit(d.Obj.Type())
	}
	for _, list := range []*types.Tuple{f.Signature().Params(), f.Signature().Results()} {
		for v := range list.Variables() {
			if t := w.visit(v.Type()); t != nil {
				return t
			}
		}
	}
	return nil
}

func (w *growth) visit(t types.Type) types.Type {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		return w.named(t)
	case *types.Map:
		if found := w.visit(t.Key()); found != nil {
			return found
		}
		return w.visit(t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			if found := w.visit(f.Type()); found != nil {
				return found
			}
		}
	case interface{ Elem() types.Type }: // pointers, slices, arrays, channels
		return w.visit(t.Elem())
	}
	return nil
}

func (w *growth) named(t *types.Named) types.Type {
	obj := t.Origin().Obj()
	if t.TypeArgs() == nil && w.b.Res.PackageOf(obj) == nil {
		return nil // the compiler has seen it
	}
	key := types.TypeString(t, nil)
	if w.seen[key] {
		return nil
	}
	w.seen[key] = true
	deep, highs := 0, w.highs[obj]
	for arg := range t.TypeArgs().Types() {
		deep = max(deep, depthOf(arg))
	}
	if len(highs) == 0 || deep > highs[len(highs)-1].deep {
		w.highs[obj] = append(slices.Clip(highs), instance{t, deep})
		defer func() { w.highs[obj] = highs }()
	}
	if highs := w.highs[obj]; len(highs) > mostHighs {
		return highs[1].t
	}
	return w.visit(t.Underlying())
}

// depthOf returns how many types are nested in the text of t.
func depthOf(t types.Type) int {
	deep := 0
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		for arg := range t.TypeArgs().Types() {
			deep = max(deep, depthOf(arg))
		}
	case *types.Map:
		deep = max(depthOf(t.Key()), depthOf(t.Elem()))
	case *types.Struct:
		for f := range t.Fields() {
			deep = max(deep, depthOf(f.Type()))
		}
	case *types.Signature:
		for _, list := range []*types.Tuple{t.Params(), t.Results()} {
			for v := range list.Variables() {
				deep = max(deep, depthOf(v.Type()))
			}
		}
	case interface{ Elem() types.Type }:
		deep = depthOf(t.Elem())
	default:
		return 0
	}
	return deep + 1
}
