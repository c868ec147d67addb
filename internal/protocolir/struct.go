package protocolir

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/goname"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/protocolir/merged"
	"github.com/mcpgen/mcpgen/internal/protocolir/record"
	"github.com/mcpgen/mcpgen/schema"
)

func (b *builder) structOf(d *merged.Def) *ir.Struct {
	s := &ir.Struct{Go: b.goNames[d.Name], Schema: d.Name, Group: b.group(d.Name), Revs: d.Revs}
	s.Doc = b.comments.Type(s.Go, d, b.docs.Type(d.Path))
	fields := slices.Clone(d.Fields)
	slices.SortStableFunc(fields, func(x, y *merged.Field) int { return b.compareFields(d, x, y) })
	names := newNameTable("Extra", "AppendJSON", "DecodeJSON")
	kept := b.API.Types[d.Name]
	for _, text := range kept.Fields {
		names.keep(record.GivenName(text))
	}
	for _, f := range fields {
		s.Fields = append(s.Fields, b.fieldOf(d, f, names, kept))
	}
	for _, f := range s.Fields {
		if older := b.widens(d, f.JSON, f.Nth); older >= 0 && !plainStruct(f) {
			i := slices.IndexFunc(s.Fields, func(g *ir.Field) bool { return g.JSON == f.JSON && g.Nth == older })
			f.Widens = s.Fields[i]
		}
	}
	return s
}

// plainStruct reports whether no value of a field can mean that it was not set.
func plainStruct(f *ir.Field) bool {
	return f.Const != "" || !f.Type.Ptr && (f.Type.Kind == ir.KindStruct || f.Type.Kind == ir.KindBool)
}

// widens compares the nth field of a property with the older fields of the same property. It returns the newest of
// those all of whose values the nth can have too; -1 if there is none.
func (b *builder) widens(d *merged.Def, property string, nth int) int {
	list := d.FieldsOf(property)
	for i := nth - 1; i >= 0; i-- {
		if b.includes(list[nth], list[i]) {
			return i
		}
	}
	return -1
}

// includes reports whether a newer field can hold the JSON of every value of an older one.
func (b *builder) includes(newer, older *merged.Field) bool {
	have := older.Type.Kind
	if older.Const != "" {
		have = ir.KindString
	}
	switch newer.Type.Kind {
	case ir.KindAny:
		return true
	case ir.KindString, ir.KindEnum:
		return have == ir.KindString
	case ir.KindFloat:
		return have == ir.KindInt
	case ir.KindID:
		return have == ir.KindInt || have == ir.KindString || have == ir.KindEnum
	case ir.KindObject:
		return have == ir.KindStruct || have == ir.KindMap
	case ir.KindUnion, ir.KindOneOrMany:
		return have == ir.KindStruct && older.Const == "" && slices.ContainsFunc(b.Defs[newer.Type.Leaf().Name].Members,
			func(m merged.Member) bool { return m.Name == older.Type.Name && m.Revs&newer.Revs == newer.Revs })
	default:
		return false
	}
}

// compareFields orders the fields of a struct for readers: constants first, then required fields, then the others, and
// _meta last. A field counts as required if it was so when the definition was new, so that later revisions do not
// change the order.
func (b *builder) compareFields(d *merged.Def, x, y *merged.Field) int {
	return cmp.Or(
		cmp.Compare(fieldClass(d, x), fieldClass(d, y)),
		cmp.Compare(b.rank(x.JSON), b.rank(y.JSON)),
		cmp.Compare(x.JSON, y.JSON),
	)
}

func fieldClass(d *merged.Def, f *merged.Field) int {
	switch {
	case f.Const != "":
		return 0
	case f.JSON == "_meta":
		return 3
	case f.Required&merged.Bit(d.Revs.First()) != 0:
		return 1
	default:
		return 2
	}
}

func (b *builder) rank(json string) int {
	if i := slices.Index(b.ex.Order, json); i >= 0 {
		return i
	}
	return len(b.ex.Order)
}

// fieldOf makes a field. Its name stays, and whether it is a pointer, if kept, what the record has of d, has it.
func (b *builder) fieldOf(d *merged.Def, f *merged.Field, names *nameTable, kept schema.APIType) *ir.Field {
	out := &ir.Field{JSON: f.JSON, Const: f.Const, Revs: f.Revs, Required: f.Required}
	name, suffix := goname.Of(f.JSON), "Member"
	if out.Nth = slices.Index(d.FieldsOf(f.JSON), f); out.Nth > 0 {
		suffix = kindSuffixes[f.Type.Kind]
		name += suffix
	}
	given := kept.Fields[schema.FieldKey(f.JSON, out.Nth)]
	out.Go = names.claimKept(record.GivenName(given), name, suffix)
	if f.Const != "" {
		return out
	}
	key := schema.DocKey{Section: "types", Name: d.Path, Member: f.JSON}
	out.Doc = b.comments.Member(key, b.fieldDoc(d, f), f.Revs, d.Revs)
	if f.Type.Kind == ir.KindString || f.Type.Kind == ir.KindEnum {
		out.Default, _ = b.ex.Default(d.Name, f.JSON)
	}
	if f.Required != d.Revs {
		out.Narrow = mergeNarrow(f.Narrow)
	}
	out.Type = b.typeRef(f.Type)
	out.Type.Ptr = b.isPointer(d, f)
	if given != "" {
		out.Type.Ptr = strings.Contains(given, " *")
	}
	return out
}

func (b *builder) fieldDoc(d *merged.Def, f *merged.Field) string {
	for _, owner := range append([]string{d.Path, d.Name}, d.Bases...) {
		if doc := b.docs.Field(owner, f.JSON); doc != "" {
			return doc
		}
	}
	return b.likeDoc(d, f)
}

// isPointer decides whether a field is a pointer: it has to be if the field can be absent and the zero value of its
// type is a valid value. Numbers and strings that are required wherever they exist need none.
func (b *builder) isPointer(d *merged.Def, f *merged.Field) bool {
	always := f.Required == f.Revs
	switch f.Type.Kind {
	case ir.KindBool, ir.KindInt, ir.KindFloat:
		return !always || f.Type.Null
	case ir.KindStruct:
		return f.Required != d.Revs || f.Type.Null || b.contains(f.Type.Name, d.Name, nil)
	case ir.KindString:
		return f.Type.Null || !always && b.ex.KeepsEmpty(d.Name, f.JSON)
	case ir.KindError:
		return true
	default:
		return false
	}
}

// contains reports whether a value of the struct outer contains one of the struct inner, through required fields only.
// A field without pointer would then make the struct infinite.
func (b *builder) contains(outer, inner string, seen []string) bool {
	if outer == inner {
		return true
	}
	if slices.Contains(seen, outer) || b.Defs[outer] == nil {
		return false
	}
	seen = append(seen, outer)
	for _, f := range b.Defs[outer].Fields {
		byValue := f.Type.Kind == ir.KindStruct && f.Required == b.Defs[outer].Revs && !f.Type.Null
		if byValue && b.contains(f.Type.Name, inner, seen) {
			return true
		}
	}
	return false
}

func mergeNarrow(list []ir.Narrow) []ir.Narrow {
	var out []ir.Narrow
	for _, n := range list {
		i := slices.IndexFunc(out, func(o ir.Narrow) bool {
			o.Revs = n.Revs
			return o == n
		})
		if i < 0 {
			out = append(out, n)
			continue
		}
		out[i].Revs |= n.Revs
	}
	return out
}
