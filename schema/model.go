package schema

import (
	"slices"
	"strings"
)

// Schema is one revision of the protocol as its file says it.
type Schema struct {
	Revision string // YYYY-MM-DD
	File     string
	Defs     []*Def // in order of their names
	Warnings []*Error

	byName map[string]*Def // of Defs
}

// Def is a named definition.
type Def struct {
	Name string
	Node *Node
}

// Node is one schema object. The zero value of everything but Pos accepts any JSON value.
type Node struct {
	Pos        Pos
	Ref        string   // name of a definition
	Types      []string // the type keyword: none, one or several names
	Const      *Literal
	Enum       []Literal
	Format     string
	Properties []*Property // in order of their names
	Declared   bool        // the properties keyword is present, maybe with no entries
	Required   []string
	Items      *Node
	AnyOf      []*Node // anyOf or oneOf
	AllOf      []*Node
	Additional *Node // additionalProperties if it is a schema with content
	Open       bool  // additionalProperties is true or {}
	Closed     bool  // additionalProperties is false
	Never      bool  // false, or not is {}: no value is valid
	// Rules are the keywords that bound values and say nothing about the Go type, by their name, as JSON text.
	Rules map[string]string
}

// Property is one entry of a properties map.
type Property struct {
	Name string
	Pos  Pos
	Node *Node
}

// Literal is the value of a const or an enum entry.
type Literal struct {
	Text   string // content of a string, else the JSON text
	String bool
}

// New returns a schema of definitions that were read before.
func New(file, revision string, defs []*Def) *Schema {
	s := &Schema{Revision: revision, File: file, Defs: slices.Clone(defs)}
	slices.SortFunc(s.Defs, func(a, b *Def) int { return strings.Compare(a.Name, b.Name) })
	s.index()
	return s
}

// OldestFirst returns schemas in order of their revisions.
func OldestFirst(list []*Schema) []*Schema {
	return slices.SortedFunc(slices.Values(list), func(a, b *Schema) int {
		return strings.Compare(a.Revision, b.Revision)
	})
}

// index makes Lookup fast.
func (s *Schema) index() {
	s.byName = make(map[string]*Def, len(s.Defs))
	for _, d := range s.Defs {
		s.byName[d.Name] = d
	}
}

// Lookup returns the named definition, or nil.
func (s *Schema) Lookup(name string) *Def { return s.byName[name] }

// Target returns the definition that a node names, or the node itself if it is no reference.
func (s *Schema) Target(n *Node) *Node {
	if n.Ref != "" {
		return s.Lookup(n.Ref).Node
	}
	return n
}

// Clone returns a copy that shares nothing which may be changed.
func (n *Node) Clone() *Node {
	if n == nil {
		return nil
	}
	out := *n
	out.Items, out.Additional = n.Items.Clone(), n.Additional.Clone()
	out.AnyOf, out.AllOf = cloneAll(n.AnyOf), cloneAll(n.AllOf)
	out.Properties = slices.Clone(n.Properties)
	for i, p := range n.Properties {
		out.Properties[i] = &Property{Name: p.Name, Pos: p.Pos, Node: p.Node.Clone()}
	}
	out.Types, out.Enum, out.Required = slices.Clone(n.Types), slices.Clone(n.Enum), slices.Clone(n.Required)
	return &out
}

func cloneAll(list []*Node) []*Node {
	out := slices.Clone(list)
	for i, n := range list {
		out[i] = n.Clone()
	}
	return out
}

// Parts are the schemas in a schema, but for its properties.
func (n *Node) Parts() []*Node {
	out := slices.Concat(n.AnyOf, n.AllOf)
	for _, one := range []*Node{n.Items, n.Additional} {
		if one != nil {
			out = append(out, one)
		}
	}
	return out
}

// Property returns the named property, or nil.
func (n *Node) Property(name string) *Property {
	for _, p := range n.Properties {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// IsRequired reports whether the property name is listed as required.
func (n *Node) IsRequired(name string) bool {
	return slices.Contains(n.Required, name)
}

// OnlyText returns the text that the node allows alone, as its constant or as the only value of an enumeration, or "".
func (n *Node) OnlyText() string {
	switch {
	case n.Const != nil && n.Const.String:
		return n.Const.Text
	case n.Const == nil && len(n.Enum) == 1 && n.Enum[0].String:
		return n.Enum[0].Text
	default:
		return ""
	}
}

// OnlyTexts reports whether no value that the node lists is anything but a text.
func (n *Node) OnlyTexts() bool {
	return !slices.ContainsFunc(n.Enum, func(l Literal) bool { return !l.String })
}

// Scalars returns the numbers and booleans that the node allows alone, as JSON texts; nil if it allows others.
func (n *Node) Scalars() (out []string) {
	list := n.Enum
	if n.Const != nil {
		list = []Literal{*n.Const}
	}
	for _, lit := range list {
		if lit.String || lit.Text == "null" || strings.ContainsAny(lit.Text[:1], "{[") {
			return nil
		}
		out = append(out, lit.Text)
	}
	return out
}

// Is reports whether the node has exactly this one type.
func (n *Node) Is(typ string) bool { return len(n.Types) == 1 && n.Types[0] == typ }
