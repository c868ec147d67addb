package merge

import (
	"fmt"
	"slices"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/protocolir/merged"
	"github.com/mcpgen/mcpgen/internal/protocolir/revision"
	"github.com/mcpgen/mcpgen/schema"
)

// fitter compares types of later revisions with what is there. It changes nothing, and nothing embeds it.
type fitter struct{ *state }

// holds reports whether a field can have the values of a property of a later revision.
func (m *fitter) holds(f *merged.Field, at site, n *schema.Node) bool {
	if f.Const != "" {
		return n.OnlyText() == f.Const
	}
	return m.fits(at, n, f.Type, 0)
}

// fits reports whether the Go type t can hold what a schema of a later revision allows.
func (m *fitter) fits(at site, n *schema.Node, t *merged.Type, depth int) bool {
	if t.Kind == ir.KindAny {
		return true
	}
	if depth > revision.MaxDepth {
		return false
	}
	if fixed, ok := m.fixedAt(at, n); ok {
		return fitsKind(t.Kind, fixed.Kind)
	}
	switch {
	case n.Ref != "":
		return m.fitsRef(at, n, t, depth)
	case len(n.AnyOf) > 0:
		return m.fitsUnion(at, n, t, depth)
	case len(n.AllOf) > 0, len(n.Properties) > 0:
		return m.fitsStruct(at, "", n, t)
	case len(n.Enum) > 0:
		return n.OnlyTexts() && fitsKind(t.Kind, ir.KindString)
	case len(n.Types) == 1:
		return m.fitsPlain(at, n, t, depth)
	default:
		return m.fitsTypeList(at, n, t, depth)
	}
}

// fixedAt returns the type that the exceptions give to a place or to the definition that it names.
func (m *fitter) fixedAt(at site, n *schema.Node) (*merged.Type, bool) {
	if !at.self && !at.nested {
		if t, ok := m.ex.Type(at.owner + "." + at.prop); ok {
			return fixedType(t), true
		}
		if _, ok := m.ex.OpenEnum(at.owner, at.prop); ok && n.Is("string") {
			return &merged.Type{Kind: ir.KindEnum}, true
		}
	}
	if n.Ref != "" {
		if t, ok := m.ex.Type(n.Ref); ok {
			return fixedType(t), true
		}
	}
	return nil, false
}

func fixedType(name string) *merged.Type {
	kinds := map[string]ir.Kind{
		"id": ir.KindID, "error": ir.KindError, "object": ir.KindObject, "string": ir.KindString, "number": ir.KindFloat,
	}
	if k, ok := kinds[name]; ok {
		return &merged.Type{Kind: k}
	}
	return &merged.Type{Kind: ir.KindAny}
}

func (m *fitter) fitsRef(at site, n *schema.Node, t *merged.Type, depth int) bool {
	target := m.views[at.rev].Lookup(n.Ref).Node
	switch m.views[at.rev].Class(target) {
	case revision.ClassMethod, revision.ClassStruct:
		name, _ := m.findName(at.rev, n.Ref)
		return m.fitsStruct(at, name, target, t)
	case revision.ClassUnion:
		name, _ := m.findName(at.rev, n.Ref)
		return t.Name != "" && t.Name == name || m.fitsUnion(at, target, t, depth+1)
	case revision.ClassEnum:
		return fitsKind(t.Kind, ir.KindEnum)
	case revision.ClassCode:
		return fitsKind(t.Kind, ir.KindError)
	case revision.ClassAlias:
		return m.fits(at, target, t, depth+1)
	default:
		return false
	}
}

// fitsUnion reports whether t can hold each alternative of a union.
func (m *fitter) fitsUnion(at site, n *schema.Node, t *merged.Type, depth int) bool {
	var several []*schema.Node
	for _, alt := range n.AnyOf {
		if alt.Is("null") {
			continue
		}
		if !m.fits(at.below(), alt, t, depth+1) {
			return false
		}
		several = append(several, alt)
	}
	return len(several) < 2 || t.Kind != ir.KindStruct || m.alike(at.rev, several, m.Defs[t.Name])
}

// alike reports whether the alternatives of a union have the same properties, require the same ones, and have no
// constant that d lacks a field for. They then differ only in values, all of which the struct d can hold.
func (m *fitter) alike(rev int, alternatives []*schema.Node, d *merged.Def) bool {
	var first string
	for i, n := range alternatives {
		n = m.views[rev].Target(n)
		var names []string
		for name, p := range m.views[rev].Properties(n, 0) {
			if p.Node.Const != nil && d.Field(name) == nil {
				return false
			}
			names = append(names, name)
		}
		slices.Sort(names)
		if form := fmt.Sprint(names, slices.Sorted(slices.Values(n.Required))); i == 0 {
			first = form
		} else if form != first {
			return false
		}
	}
	return true
}

// fitsStruct reports whether t can hold a struct. name is its definition, or "" for an anonymous struct.
func (m *fitter) fitsStruct(at site, name string, n *schema.Node, t *merged.Type) bool {
	switch t.Kind {
	case ir.KindStruct:
		return t.Name == name || m.foldable(at.rev, m.Defs[t.Name], n)
	case ir.KindUnion:
		return true // it becomes a member, if it is none
	case ir.KindOneOrMany:
		return m.fitsStruct(at, name, n, t.Elem)
	default:
		return fitsKind(t.Kind, ir.KindStruct)
	}
}

func (m *fitter) fitsPlain(at site, n *schema.Node, t *merged.Type, depth int) bool {
	kind, isScalar := scalarKind(n)
	switch {
	case isScalar:
		return fitsKind(t.Kind, kind)
	case n.Is("array"):
		if t.Kind != ir.KindList && t.Kind != ir.KindOneOrMany {
			return false
		}
		return n.Items == nil && t.Elem.Kind == ir.KindAny || n.Items != nil && m.fits(at.below(), n.Items, t.Elem, depth+1)
	case n.Is("object"):
		if n.Additional != nil && t.Kind == ir.KindMap {
			return m.fits(at.below(), n.Additional, t.Elem, depth+1)
		}
		if n.Declared && n.Additional == nil && (t.Kind == ir.KindUnion || t.Kind == ir.KindOneOrMany) {
			return m.fitsStruct(at, "", n, t)
		}
		return n.Additional == nil && fitsKind(t.Kind, ir.KindObject) || t.Kind == ir.KindObject
	default:
		return false
	}
}

func (m *fitter) fitsTypeList(at site, n *schema.Node, t *merged.Type, depth int) bool {
	if n.Const != nil {
		return n.Const.String && fitsKind(t.Kind, ir.KindString)
	}
	if len(n.Types) == 0 {
		return false
	}
	for _, name := range n.Types {
		one := *n
		one.Types = []string{name}
		if name != "null" && !m.fits(at, &one, t, depth+1) {
			return false
		}
	}
	return true
}

// fitsKind reports whether a type of kind have holds all values of kind want. Structs, unions and enums, which have
// names, are compared elsewhere.
func fitsKind(have, want ir.Kind) bool {
	if have == want || have == ir.KindAny {
		return true
	}
	switch want {
	case ir.KindString, ir.KindEnum:
		return have == ir.KindString || have == ir.KindEnum || have == ir.KindID
	case ir.KindBytes:
		return have == ir.KindString
	case ir.KindInt:
		return have == ir.KindFloat || have == ir.KindID
	case ir.KindObject, ir.KindStruct:
		return have == ir.KindObject || have == ir.KindStruct || have == ir.KindError
	case ir.KindError:
		return have == ir.KindObject
	default:
		return false
	}
}
