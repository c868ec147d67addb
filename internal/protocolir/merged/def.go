package merged

import (
	"slices"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/protocolir/revision"
	"github.com/mcpgen/mcpgen/schema"
)

// Def is one definition of the merged protocol.
type Def struct {
	Name    string
	Path    string // where the first anonymous form stood, else the name; key of the docs
	Kind    revision.Kind
	Revs    ir.Revs
	Pos     schema.Pos
	Fields  []*Field
	named   map[string][]*Field // fields by property
	Values  []Value
	valueAt map[string]int // indices of values
	Members []Member
	Alias   *Type
	Hoisted bool   // it has no name in the schema
	Shared  string // property of an anonymous enum that others may share
	Role    revision.Role
	Bases   []string               // definitions that it includes by allOf
	Born    int                    // place of the revision that brought it in the sequence
	Whole   map[int][]*schema.Node // by revision: the objects that are merged into it
	Method  bool                   // a request or notification: kept only if something refers to it
}

// Field returns the first field of a property, or nil.
func (d *Def) Field(json string) *Field {
	if list := d.named[json]; len(list) > 0 {
		return list[0]
	}
	return nil
}

// FieldsOf returns the fields of a property, in the order in which they came. There is more than one if a later
// revision has a type that does not fit. The list must not be changed.
func (d *Def) FieldsOf(json string) []*Field { return d.named[json] }

// FieldIn returns the field that a property has in a revision, or nil.
func (d *Def) FieldIn(json string, rev int) *Field {
	for _, f := range d.named[json] {
		if f.Revs.Has(rev) {
			return f
		}
	}
	return nil
}

// Add adds a field.
func (d *Def) Add(f *Field) {
	if d.named == nil {
		d.named = map[string][]*Field{}
	}
	d.Fields = append(d.Fields, f)
	d.named[f.JSON] = append(d.named[f.JSON], f)
}

// AddMember makes a definition a member of the union in one revision.
func (d *Def) AddMember(name string, rev int) {
	d.Revs |= Bit(rev)
	i := d.member(name)
	if i < 0 {
		i = len(d.Members)
		d.Members = append(d.Members, Member{Name: name})
	}
	d.Members[i].Revs |= Bit(rev)
}

// HasMember reports whether a definition is a member of the union in some revision.
func (d *Def) HasMember(name string) bool { return d.member(name) >= 0 }

func (d *Def) member(name string) int {
	return slices.IndexFunc(d.Members, func(m Member) bool { return m.Name == name })
}

// HasValue reports whether a text is a value of the enumeration in some revision.
func (d *Def) HasValue(text string) bool {
	_, ok := d.valueAt[text]
	return ok
}

// AddValue makes a text a value of the enumeration in some revisions.
func (d *Def) AddValue(text string, revs ir.Revs) {
	i, ok := d.valueAt[text]
	if !ok {
		if d.valueAt == nil {
			d.valueAt = map[string]int{}
		}
		i = len(d.Values)
		d.valueAt[text] = i
		d.Values = append(d.Values, Value{Text: text})
	}
	d.Values[i].Revs |= revs
}

// Value is a value of an enumeration.
type Value struct {
	Text string
	Revs ir.Revs
}

// Member is a member of a union.
type Member struct {
	Name string
	Revs ir.Revs
}
