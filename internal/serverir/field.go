package serverir

import (
	"cmp"
	"go/types"
	"reflect"
	"slices"
	"strings"
	"unicode"
)

// jsonField is a field of a struct, or of one embedded in it, that is a member of its JSON object.
type jsonField struct {
	// path leads to the field through embedded ones; the last is the field itself.
	path []*types.Var
	name string
	// tagged says that the name was written in a tag.
	tagged bool
	// optional says that the member may be left out: omitempty, omitzero or a pointer.
	optional bool
	// quoted says that the tag asks for numbers in quotes.
	quoted bool
	index  []int
	// tag is the whole tag.
	tag reflect.StructTag
}

func (f *jsonField) field() *types.Var { return f.path[len(f.path)-1] }

// selector returns how generated code reaches the field of a value of type t. It is false if an
// unexported type of another package is in the way.
func (b *serverBuilder) selector(t types.Type, f *jsonField) (string, bool) {
	return b.selectorOf(t, f.path)
}

// selectorOf is selector for a path through embedded fields.
func (b *serverBuilder) selectorOf(t types.Type, path []*types.Var) (string, bool) {
	names, hidden := make([]string, len(path)), false
	for i, v := range path {
		names[i] = v.Name()
		hidden = hidden || !v.Exported() && v.Pkg().Path() != b.pkg.Path
	}
	if !hidden {
		return strings.Join(names, "."), true
	}
	last := path[len(path)-1]
	obj, _, _ := types.LookupFieldOrMethod(t, true, b.pkg.Types, last.Name())
	return last.Name(), obj == last && obj.Exported()
}

// level is a struct to look through, and how it was reached.
type level struct {
	typ   types.Type
	path  []*types.Var
	index []int
}

// jsonFields returns the members of a struct type in order, as encoding/json finds them: level by
// level through embedded structs, names that several fields of a level want belonging to none.
func jsonFields(t types.Type) []*jsonField {
	var all []*jsonField
	next := []level{{typ: t}}
	count, visited := map[string]int{}, map[string]bool{}
	for len(next) > 0 {
		current, twice := next, count
		next, count = nil, map[string]int{}
		for _, l := range current {
			key := types.TypeString(l.typ, nil)
			if visited[key] {
				continue
			}
			visited[key] = true
			fields, embedded := l.fields()
			all = append(all, fields...)
			if twice[key] > 1 {
				all = append(all, fields...) // both are there, so both are hidden
			}
			for _, e := range embedded {
				key := types.TypeString(e.typ, nil)
				if count[key]++; count[key] == 1 {
					next = append(next, e)
				}
			}
		}
	}
	return dominant(all)
}

// fields returns the members that a struct has itself, and the structs embedded in it.
func (l level) fields() (fields []*jsonField, embedded []level) {
	s := l.typ.Underlying().(*types.Struct)
	for i := range s.NumFields() {
		v, tag := s.Field(i), reflect.StructTag(s.Tag(i))
		t := types.Unalias(v.Type())
		if p, ok := t.(*types.Pointer); ok {
			t = types.Unalias(p.Elem())
		}
		if !v.Exported() && (!v.Embedded() || !isStruct(t)) {
			continue
		}
		text, ok := tag.Lookup("json")
		if text == "-" {
			continue
		}
		name, options, _ := strings.Cut(text, ",")
		if !ok || !validName(name) {
			name = ""
		}
		path := append(slices.Clip(l.path), v)
		index := append(slices.Clip(l.index), i)
		if name == "" && v.Embedded() && isStruct(t) {
			embedded = append(embedded, level{typ: t, path: path, index: index})
			continue
		}
		f := &jsonField{path: path, name: cmp.Or(name, v.Name()), tagged: name != "", index: index, tag: tag}
		words := strings.Split(options, ",")
		_, pointer := v.Type().Underlying().(*types.Pointer)
		f.optional = pointer || slices.Contains(words, "omitempty") || slices.Contains(words, "omitzero")
		f.quoted = slices.Contains(words, "string")
		fields = append(fields, f)
	}
	return fields, embedded
}

// validName reports whether encoding/json takes the name in a tag.
func validName(s string) bool {
	for _, r := range s {
		if !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return false
		}
	}
	return s != ""
}

// dominant keeps one field per name: the least deep, and of those the tagged one; none if that is
// not a single field.
func dominant(all []*jsonField) []*jsonField {
	byName := map[string][]*jsonField{}
	for _, f := range all {
		byName[f.name] = append(byName[f.name], f)
	}
	rank := func(f *jsonField) int {
		if f.tagged {
			return 2 * len(f.index)
		}
		return 2*len(f.index) + 1
	}
	var out []*jsonField
	for _, fields := range byName {
		slices.SortStableFunc(fields, func(x, y *jsonField) int { return cmp.Compare(rank(x), rank(y)) })
		if len(fields) == 1 || rank(fields[0]) != rank(fields[1]) {
			out = append(out, fields[0])
		}
	}
	slices.SortFunc(out, func(x, y *jsonField) int { return slices.Compare(x.index, y.index) })
	return out
}
