package merged

import (
	"slices"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/schema"
)

// Field is a property of a definition, or one of several fields of a property whose types do not go together.
type Field struct {
	JSON     string
	Type     *Type
	Const    string // value if it is constant in every revision
	Optional string // value of a constant that may be left out
	Revs     ir.Revs
	Required ir.Revs
	Narrow   []ir.Narrow
	was      map[int]found // by revision, before widening
	Pos      schema.Pos
}

// found is what one revision has at a property.
type found struct {
	typ     *Type
	text    string // the only one that is allowed, or ""
	scalars []string
	node    *schema.Node
}

// Appears notes that a revision has the property.
func (f *Field) Appears(rev int, required bool) {
	f.Revs |= Bit(rev)
	if required {
		f.Required |= Bit(rev)
	}
}

// Record notes what one revision has. Objects of a revision that are merged into one struct may have different
// constants, and then the revision has none.
func (f *Field) Record(rev int, typ *Type, n *schema.Node) {
	now := found{typ: typ, text: n.OnlyText(), scalars: n.Scalars(), node: n}
	if f.was == nil {
		f.was = map[int]found{}
	}
	if other, ok := f.was[rev]; ok {
		if other.text != now.text {
			now.text = ""
		}
		if !slices.Equal(other.scalars, now.scalars) {
			now.scalars = nil
		}
	}
	f.was[rev] = now
}

// Before returns what the newest revision before this one has at the property, or nil.
func (f *Field) Before(rev int) *schema.Node {
	for rev--; rev >= 0; rev-- {
		if was, ok := f.was[rev]; ok {
			return was.node
		}
	}
	return nil
}

// ConstIn returns the constant that a property has in a revision, maybe as one that may be left out, or "".
func (f *Field) ConstIn(rev int) string { return f.was[rev].text }

// ScalarsIn returns the numbers and booleans that a property is limited to in a revision, as JSON texts; nil for none.
func (f *Field) ScalarsIn(rev int) []string { return f.was[rev].scalars }

// Constant keeps a constant only while every revision agrees on it.
func (f *Field) Constant(n *schema.Node, required, fresh bool) {
	value := ""
	if n.Const != nil && n.Const.String {
		value = n.Const.Text
	}
	switch {
	case fresh && required:
		f.Const = value
	case fresh:
		f.Optional = value
	case f.Const != value:
		f.Const = ""
	}
	if !fresh && f.Optional != value {
		f.Optional = ""
	}
}

// NarrowTo records that this revision accepts fewer values than the merged type holds.
func (f *Field) NarrowTo(n *schema.Node, typ *Type, rev int) {
	object := typ.Kind == ir.KindObject || typ.Kind == ir.KindStruct
	switch {
	case f.Type != nil && f.Type.Kind == ir.KindAny && object:
		f.Narrow = append(f.Narrow, ir.Narrow{Revs: Bit(rev)})
	case typ.Kind == ir.KindObject:
		for _, p := range n.Properties {
			if c := p.Node.Const; c != nil && c.String && n.IsRequired(p.Name) {
				f.Narrow = append(f.Narrow, ir.Narrow{Revs: Bit(rev), Member: p.Name, Value: c.Text})
			}
		}
	}
}
