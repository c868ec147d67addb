package tagrule

import (
	"cmp"
	"go/types"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"github.com/mcpgen/mcpgen/internal/serverir/gotype"
)

// Field is a field of a struct, or of one embedded in it, that is a member of its JSON object.
type Field struct {
	// Path leads to the field through embedded ones; the last is the field itself.
	Path []*types.Var
	Name string
	// Tagged says that the name was written in a tag.
	Tagged bool
	// optional says that the member may be left out: omitempty, omitzero or a pointer.
	optional bool
	// Quoted says that the tag asks for numbers in quotes.
	Quoted bool
	index  []int
	// Tag is the whole tag.
	Tag reflect.StructTag
}

// Var is the field itself.
func (f *Field) Var() *types.Var { return f.Path[len(f.Path)-1] }

// Level is a struct to look through, and how it was reached.
type Level struct {
	Typ   types.Type
	path  []*types.Var
	index []int
}

// Fields returns the members of a struct type in order, as encoding/json finds them: level by
// level through embedded structs, names that several fields of a level want belonging to none.
func Fields(t types.Type) []*Field {
	var all []*Field
	next := []Level{{Typ: t}}
	count, visited := map[string]int{}, map[string]bool{}
	for len(next) > 0 {
		current, twice := next, count
		next, count = nil, map[string]int{}
		for _, l := range current {
			key := types.TypeString(l.Typ, nil)
			if visited[key] {
				continue
			}
			visited[key] = true
			fields, embedded := l.Fields()
			all = append(all, fields...)
			if twice[key] > 1 {
				all = append(all, fields...) // both are there, so both are hidden
			}
			for _, e := range embedded {
				key := types.TypeString(e.Typ, nil)
				if count[key]++; count[key] == 1 {
					next = append(next, e)
				}
			}
		}
	}
	return dominant(all)
}

// Fields returns the members that a struct has itself, and the structs embedded in it.
func (l Level) Fields() (fields []*Field, embedded []Level) {
	s := l.Typ.Underlying().(*types.Struct)
	for i := range s.NumFields() {
		v, tag := s.Field(i), reflect.StructTag(s.Tag(i))
		t := types.Unalias(v.Type())
		if p, ok := t.(*types.Pointer); ok {
			t = types.Unalias(p.Elem())
		}
		if !v.Exported() && (!v.Embedded() || !gotype.IsStruct(t)) {
			continue
		}
		text, ok := tag.Lookup("json")
		if text == "-" {
			continue
		}
		name, options, _ := strings.Cut(text, ",")
		if !ok || !ValidName(name) {
			name = ""
		}
		path := append(slices.Clip(l.path), v)
		index := append(slices.Clip(l.index), i)
		if name == "" && v.Embedded() && gotype.IsStruct(t) {
			embedded = append(embedded, Level{Typ: t, path: path, index: index})
			continue
		}
		f := &Field{Path: path, Name: cmp.Or(name, v.Name()), Tagged: name != "", index: index, Tag: tag}
		words := strings.Split(options, ",")
		_, pointer := v.Type().Underlying().(*types.Pointer)
		f.optional = pointer || slices.Contains(words, "omitempty") || slices.Contains(words, "omitzero")
		f.Quoted = slices.Contains(words, "string")
		fields = append(fields, f)
	}
	return fields, embedded
}

// ValidName reports whether encoding/json takes the name in a tag.
func ValidName(s string) bool {
	for _, r := range s {
		if !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return false
		}
	}
	return s != ""
}

// dominant keeps one field per name: the least deep, and of those the tagged one; none if that is
// not a single field.
func dominant(all []*Field) []*Field {
	byName := map[string][]*Field{}
	for _, f := range all {
		byName[f.Name] = append(byName[f.Name], f)
	}
	rank := func(f *Field) int {
		if f.Tagged {
			return 2 * len(f.index)
		}
		return 2*len(f.index) + 1
	}
	var out []*Field
	for _, fields := range byName {
		slices.SortStableFunc(fields, func(x, y *Field) int { return cmp.Compare(rank(x), rank(y)) })
		if len(fields) == 1 || rank(fields[0]) != rank(fields[1]) {
			out = append(out, fields[0])
		}
	}
	slices.SortFunc(out, func(x, y *Field) int { return slices.Compare(x.index, y.index) })
	return out
}
