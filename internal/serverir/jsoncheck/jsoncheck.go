// Package jsoncheck reports what JSON, or this version of mcpgen, cannot hold in a type of a signature.
package jsoncheck

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"github.com/mcpgen/mcpgen/internal/serverir/gotype"
	"github.com/mcpgen/mcpgen/internal/serverir/jsontype"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
	"github.com/mcpgen/mcpgen/internal/serverir/tagrule"
)

// Check reports what is wrong with a type of a signature that stands between from and to.
func Check(b *jsontype.Types, t types.Type, in bool, from, to token.Pos) bool {
	w := newChecker(b, t, from, to)
	w.in = in
	return w.check()
}

// Output is Check for what a tool returns, of which clients get a schema.
func Output(b *jsontype.Types, t types.Type, from, to token.Pos) bool {
	w := newChecker(b, t, from, to)
	w.described = true
	return w.check()
}

// Argument is Check for an argument of a tool called name, which is the field f of a struct made for it.
func Argument(b *jsontype.Types, f *tagrule.Field, name string, from, to token.Pos) bool {
	w := newChecker(b, f.Var().Type(), from, to)
	w.in = true
	w.visit(f.Var().Type(), nil, name)
	w.unnamed()
	b.RulesOf(f, &w.Mistakes)
	return w.Found == 0
}

func (w *checker) check() bool {
	if w.in {
		w.seen[types.TypeString(w.root, nil)] = true
		w.fields(w.root, "") // generated code reads it, whatever its methods are
	} else {
		w.visit(w.root, nil, "")
	}
	if w.in || w.described {
		w.unnamed()
	}
	return w.Found == 0
}

// unnamed refuses what generated code would have to name and cannot.
func (w *checker) unnamed() {
	b := w.b
	root, _ := gotype.PointedTo(w.root)
	f := b.Of(root, w.in)
	if w.in {
		f = b.ArgsOf(root)
	}
	text := b.TypeText(root)
	switch {
	case b.Endless(f):
		w.unsupported(nil, token.NoPos, token.NoPos,
			fmt.Sprintf("a type in `%s` that holds itself and that this package cannot name", text),
			"declare an exported type for it, or one in this package")
	case !w.in && f.Holds() && !b.Writable(b.NameOf(f)):
		w.unsupported(nil, token.NoPos, token.NoPos, fmt.Sprintf("the result type `%s`, which this package cannot name,",
			text),
			"declare a type for it in this package")
	}
}

// kind is the shape of t in the direction of the values.
func (w *checker) kind(t types.Type) jsontype.Kind { return w.b.KindFor(t, w.in) }

// visit looks at t, the type of the field at path. field is the last field on the way, path its
// selector.
func (w *checker) visit(t types.Type, field *types.Var, path string) {
	t = types.Unalias(t)
	if m := w.b.MappingOf(t); m != nil {
		w.useMapping(m, field)
		return
	}
	w.openConstants(t, field)
	if gotype.TypeName(t) != nil {
		key := types.TypeString(t, nil)
		if w.seen[key] {
			return
		}
		w.seen[key] = true
	}
	s := w.kind(t)
	switch {
	case source.Invalid(t): // the loader has reported it
	case s == jsontype.None || s == jsontype.Interface:
		w.report(t, field, path)
	case s == jsontype.Pointer || s == jsontype.Slice || s == jsontype.Array || s == jsontype.Map:
		w.visit(t.Underlying().(interface{ Elem() types.Type }).Elem(), field, path)
	case s == jsontype.Struct:
		w.fields(t, path)
	}
}

func (w *checker) fields(t types.Type, path string) {
	w.sameName(t)
	w.embedded(t)
	for _, f := range tagrule.Fields(t) {
		name, ok := w.b.Selector(t, f)
		if path != "" {
			name = path + "." + name
		}
		w.jsonTag(f)
		if w.in || w.described {
			w.embedding(t, f, name, ok)
		}
		if w.in {
			w.Top = path == ""
			w.tags(f, name)
		} else if w.described {
			w.prose(f)
		}
		outside, r := w.closed, w.b.RulesOf(f, nil)
		w.closed = len(r.Own.Enum)+len(r.Elem.Enum) > 0
		w.visit(f.Var().Type(), f.Var(), name)
		w.closed = outside
	}
}

// SameName reports two fields of one struct with one name: encoding/json drops both without a word.
func (w *checker) sameName(t types.Type) {
	own, _ := tagrule.Level{Typ: gotype.Deref(types.Unalias(t))}.Fields()
	for i, f := range own {
		k := slices.IndexFunc(own[:i], func(o *tagrule.Field) bool { return o.Name == f.Name && o.Tagged == f.Tagged })
		if k < 0 || w.b.Res.PackageOf(f.Var()) == nil { // types of others are as they are
			continue
		}
		w.Found++
		first := own[k].Var()
		from, to := w.b.TagRange(f.Var(), "json")
		if !from.IsValid() {
			from, to = source.ParamRange(f.Var())
		}
		w.b.Report("MCP403", from, to, fmt.Sprintf("fields %s and %s of `%s` have the same JSON name `%s`, so neither has it",
			first.Name(), f.Var().Name(), w.b.TypeText(gotype.Deref(t)), f.Name),
			append(w.at(first), w.b.Related(w.From, w.To, "used here"),
				report.Fix("give one of them another name in its tag"))...)
	}
}

// embedding refuses fields and embedded pointers that generated code cannot reach.
func (w *checker) embedding(t types.Type, f *tagrule.Field, name string, reachable bool) {
	const better = "write a struct of your own"
	if !reachable {
		w.unsupported(f.Var(), token.NoPos, token.NoPos,
			fmt.Sprintf("field %s stands in an unexported type of another package, which", name), better)
	} else if _, ok := w.b.EmbeddedPointers(t, f); !ok {
		w.unsupported(f.Var(), token.NoPos, token.NoPos,
			fmt.Sprintf("field %s stands behind an unexported pointer of another package, which", name), better)
	}
}

// report says why t has no JSON form.
func (w *checker) report(t types.Type, field *types.Var, path string) {
	w.Found++
	verb := "encoded as JSON"
	if w.in {
		verb = "read from JSON"
	}
	what, better := "it", "use another type"
	if field != nil {
		what, better = "field "+path, "tag the field `json:\"-\"`, or give it another type"
	}
	is := "is"
	if field == nil && w.root != t || field != nil && !types.Identical(types.Unalias(field.Type()), t) {
		is = "holds"
	}
	options := append(w.at(field), report.Fix(better))
	w.b.Report("MCP403", w.From, w.To,
		fmt.Sprintf("`%s` cannot be %s: %s %s %s", w.b.TypeText(gotype.Deref(w.root)), verb, what,
			is, w.nounOf(t)), options...)
}
