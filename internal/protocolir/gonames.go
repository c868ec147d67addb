package protocolir

import (
	"errors"
	"slices"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/protocolir/revision"
	"github.com/mcpgen/mcpgen/schema"
)

// GoNames finds the Go names that the definitions of several schemas get when one package is generated from all of
// them.
type GoNames struct {
	b         *builder
	protocol  *ir.Protocol
	structs   map[string]*ir.Struct // by merged definition
	Decisions []Decision
}

// Decision is what the rule for later revisions has decided, or what a person must decide.
type Decision struct {
	Pos  schema.Pos
	Text string // file:line:col: note: text, or error in place of note
}

// NewGoNames merges the schemas of set as [Protocol] does. What cannot be merged is a [Decision] that says error.
func NewGoNames(set []*schema.Schema, t Tables) (*GoNames, error) {
	set, err := inOrder(set)
	if err != nil {
		return nil, err
	}
	if t.Docs, err = schema.ParseDocs(nil); err != nil { // names need no sentences
		return nil, err
	}
	n := &GoNames{b: newCore(set, t), structs: map[string]*ir.Struct{}}
	n.protocol = n.b.build()
	for _, s := range n.protocol.Structs {
		n.structs[s.Schema] = s
	}
	for _, note := range n.b.Notes {
		n.Decisions = append(n.Decisions, Decision{Pos: note.Pos, Text: note.String()})
	}
	for _, err := range n.b.Errs {
		if at, ok := errors.AsType[*schema.Error](err); ok {
			n.Decisions = append(n.Decisions, Decision{Pos: at.Pos, Text: at.Error()})
		}
	}
	return n, nil
}

// Protocol returns the package that has the names.
func (n *GoNames) Protocol() *ir.Protocol { return n.protocol }

// Definition returns the name of the Go type of a definition; "" if it has none.
func (n *GoNames) Definition(s *schema.Schema, name string) string {
	rev := slices.Index(n.b.Schemas, s)
	if rev < 0 || s.Lookup(name) == nil {
		return ""
	}
	return n.b.goNames[n.b.Name(rev, name)]
}

// Member returns Type.Field for a path of members below a definition; "" if it has no field. Paths into the params of a
// method begin at the type of the params.
func (n *GoNames) Member(s *schema.Schema, definition string, path []string) string {
	rev := slices.Index(n.b.Schemas, s)
	def := s.Lookup(definition)
	if rev < 0 || def == nil || len(path) == 0 {
		return ""
	}
	name := n.b.Name(rev, definition)
	if method := revision.MethodOf(def.Node); method != "" && path[0] == "params" {
		if x := n.b.Method(method); x != nil {
			name = x.Params
		}
		if path = path[1:]; len(path) == 0 {
			return n.b.goNames[name]
		}
	}
	for i, member := range path {
		owner := n.structs[name]
		d := n.b.Defs[name]
		if owner == nil || d == nil {
			return ""
		}
		nth := slices.IndexFunc(owner.Fields, func(f *ir.Field) bool { return f.JSON == member && f.Revs.Has(rev) })
		field := d.FieldIn(member, rev)
		switch {
		case nth < 0 || field == nil:
			return ""
		case i == len(path)-1 && owner.Fields[nth].Const != "":
			return "" // it is written without a field
		case i == len(path)-1:
			return owner.Go + "." + owner.Fields[nth].Go
		}
		name = field.Type.Leaf().Name
	}
	return ""
}

// Method returns the constant of a method, or "".
func (n *GoNames) Method(name string) string {
	for _, x := range n.protocol.Methods {
		if x.Name == name {
			return x.Const
		}
	}
	return ""
}

// Code returns the constant of the code of an error definition, or "".
func (n *GoNames) Code(definition, code string) string {
	for _, c := range n.b.Codes {
		if c.Def != definition || c.Text != code {
			continue
		}
		for _, x := range n.protocol.Codes {
			if x.Value == code {
				return x.Go
			}
		}
	}
	return ""
}
