package serverir

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"github.com/mcpgen/mcpgen/internal/diag"
)

// jsonChecker looks for what JSON, or this version of mcpgen, cannot hold in the input or the result of a
// tool. Problems are reported at the type in the signature, or at the field where it helps.
type jsonChecker struct {
	b *serverBuilder
	// root is the type in the signature; from and to are its place.
	root     types.Type
	from, to token.Pos
	// in says that values are read, not written.
	in   bool
	seen map[string]bool
	// described says that clients get a schema of what is written.
	described bool
	// closed says that a tag limits the values at hand.
	closed bool
	// top says that the fields at hand are the arguments themselves.
	top bool
	// headers are the headers that fields are mirrored in, in lower case.
	headers map[string]tagWord
	// found counts the problems.
	found int
}

// checkJSON reports what is wrong with a type of a signature that stands between from and to.
func (b *serverBuilder) checkJSON(t types.Type, in bool, from, to token.Pos) bool {
	w := &jsonChecker{b: b, root: t, from: from, to: to, in: in, seen: map[string]bool{}, headers: map[string]tagWord{}}
	return w.check()
}

// checkOutput is checkJSON for what a tool returns, of which clients get a schema.
func (b *serverBuilder) checkOutput(t types.Type, from, to token.Pos) bool {
	w := &jsonChecker{b: b, root: t, from: from, to: to, described: true, seen: map[string]bool{}}
	return w.check()
}

func (w *jsonChecker) check() bool {
	if w.in {
		w.seen[types.TypeString(w.root, nil)] = true
		w.fields(w.root, "") // generated code reads it, whatever its methods are
	} else {
		w.visit(w.root, nil, "")
	}
	if w.in || w.described {
		w.unnamed()
	}
	return w.found == 0
}

// unnamed refuses what generated code would have to name and cannot.
func (w *jsonChecker) unnamed() {
	b := w.b
	root, _ := pointedTo(w.root)
	f := b.formOf(root, w.in)
	if w.in {
		f = b.argsOf(root)
	}
	text := b.typeText(root)
	switch {
	case b.endless(f):
		w.unsupported(nil, token.NoPos, token.NoPos,
			fmt.Sprintf("a type in `%s` that holds itself and that this package cannot name", text),
			"declare an exported type for it, or one in this package")
	case !w.in && f.holds() && !b.writable(b.nameOf(f)):
		w.unsupported(nil, token.NoPos, token.NoPos, fmt.Sprintf("the result type `%s`, which this package cannot name,",
			text),
			"declare a type for it in this package")
	}
}

// shape is the shape of t in the direction of the values.
func (w *jsonChecker) shape(t types.Type) jsonKind { return w.b.shapeFor(t, w.in) }

// visit looks at t, the type of the field at path. field is the last field on the way, path its
// selector.
func (w *jsonChecker) visit(t types.Type, field *types.Var, path string) {
	t = types.Unalias(t)
	if m := w.b.mappingOf(t); m != nil {
		w.useMapping(m, field)
		return
	}
	w.openConstants(t, field)
	if typeName(t) != nil {
		key := types.TypeString(t, nil)
		if w.seen[key] {
			return
		}
		w.seen[key] = true
	}
	s := w.shape(t)
	switch {
	case invalid(t): // the loader has reported it
	case s == shapeNone || s == shapeInterface:
		w.report(t, field, path)
	case s == shapePointer || s == shapeSlice || s == shapeArray || s == shapeMap:
		w.visit(t.Underlying().(interface{ Elem() types.Type }).Elem(), field, path)
	case s == shapeStruct:
		w.fields(t, path)
	}
}

func (w *jsonChecker) fields(t types.Type, path string) {
	w.sameName(t)
	w.embedded(t)
	for _, f := range jsonFields(t) {
		name, ok := w.b.selector(t, f)
		if path != "" {
			name = path + "." + name
		}
		w.jsonTag(f)
		if w.in || w.described {
			w.embedding(t, f, name, ok)
		}
		if w.in {
			w.top = path == ""
			w.tags(f, name)
		} else if w.described {
			w.prose(f)
		}
		outside, r := w.closed, w.b.rulesOf(f, nil)
		w.closed = len(r.own.Enum)+len(r.elem.Enum) > 0
		w.visit(f.field().Type(), f.field(), name)
		w.closed = outside
	}
}

// sameName reports two fields of one struct with one name: encoding/json drops both without a word.
func (w *jsonChecker) sameName(t types.Type) {
	own, _ := level{typ: deref(types.Unalias(t))}.fields()
	for i, f := range own {
		k := slices.IndexFunc(own[:i], func(o *jsonField) bool { return o.name == f.name && o.tagged == f.tagged })
		if k < 0 || w.b.res.PackageOf(f.field()) == nil { // types of others are as they are
			continue
		}
		w.found++
		first := own[k].field()
		from, to := w.b.tagRange(f.field(), "json")
		if !from.IsValid() {
			from, to = paramRange(f.field())
		}
		w.b.report("MCP403", from, to, fmt.Sprintf("fields %s and %s of `%s` have the same JSON name `%s`, so neither has it",
			first.Name(), f.field().Name(), w.b.typeText(deref(t)), f.name),
			append(w.at(first), w.b.related(w.from, w.to, "used here"), fix("give one of them another name in its tag"))...)
	}
}

// embedding refuses fields and embedded pointers that generated code cannot reach.
func (w *jsonChecker) embedding(t types.Type, f *jsonField, name string, reachable bool) {
	const better = "write a struct of your own"
	if !reachable {
		w.unsupported(f.field(), token.NoPos, token.NoPos,
			fmt.Sprintf("field %s stands in an unexported type of another package, which", name), better)
	} else if _, ok := w.b.embeddedPointers(t, f); !ok {
		w.unsupported(f.field(), token.NoPos, token.NoPos,
			fmt.Sprintf("field %s stands behind an unexported pointer of another package, which", name), better)
	}
}

// unsupported reports something that the grammar may allow one day. Without a place of its own it is
// reported at the type in the signature.
func (w *jsonChecker) unsupported(field *types.Var, from, to token.Pos, what, better string) {
	w.found++
	options := []func(*diag.Diagnostic){fix(better)}
	if !from.IsValid() {
		from, to = w.from, w.to
		options = append(options, w.at(field)...)
	}
	w.b.report("MCP804", from, to, what+" is not supported by this version of mcpgen yet", options...)
}

// report says why t has no JSON form.
func (w *jsonChecker) report(t types.Type, field *types.Var, path string) {
	w.found++
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
	options := append(w.at(field), fix(better))
	w.b.report("MCP403", w.from, w.to, fmt.Sprintf("`%s` cannot be %s: %s %s %s", w.b.typeText(deref(w.root)), verb, what,
		is, w.b.nounOf(t)), options...)
}

// at points to a field whose source is known.
func (w *jsonChecker) at(field *types.Var) []func(*diag.Diagnostic) {
	if field == nil || w.b.res.PackageOf(field) == nil {
		return nil
	}
	from, to := paramRange(field)
	return []func(*diag.Diagnostic){w.b.related(from, to, "the field")}
}

// nounOf says what a type without a JSON form is.
func (b *serverBuilder) nounOf(t types.Type) string {
	switch u := t.Underlying().(type) {
	case *types.Chan:
		return "a channel"
	case *types.Pointer:
		return "a pointer to nothing but pointers"
	case *types.Signature:
		return "a function"
	case *types.Interface:
		return fmt.Sprintf("an interface with methods (`%s`)", b.typeText(t))
	case *types.Map:
		return fmt.Sprintf("a map with keys of type `%s`", b.typeText(u.Key()))
	case *types.Basic:
		if u.Info()&types.IsComplex != 0 {
			return "a complex number"
		}
	}
	return fmt.Sprintf("`%s`", b.typeText(t))
}
