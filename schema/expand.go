package schema

import "slices"

// maxParts bounds how many schemas the allOf lists of one definition stand for, all in all.
const maxParts = 20_000

// expander follows the allOf lists of one definition. Other stages copy what they name into the struct at their place.
type expander struct {
	s     *Schema
	names []string // of the definitions on the way
	parts int
}

// checkParts refuses lists of schemas that lead back to where they stand, for which there is no type of a finite size,
// and those that double so often that nobody would live to see it.
func (s *Schema) checkParts() error {
	for _, d := range s.Defs {
		e := &expander{s: s, names: []string{d.Name}}
		if err := e.node(d.Node); err != nil {
			return err
		}
		if err := e.alternatives(d.Node); err != nil {
			return err
		}
	}
	return nil
}

// alternatives follows the anyOf lists of a value, without its members: a union that is one of its own members has no
// other members than before.
func (e *expander) alternatives(n *Node) error {
	if err := e.count(n); err != nil {
		return err
	}
	for _, alternative := range n.AnyOf {
		err := e.into(alternative, "anyOf", e.alternatives)
		if err != nil {
			return err
		}
	}
	return nil
}

// count refuses one schema too many. What stands in the definition itself does not count: the file has it once.
func (e *expander) count(n *Node) error {
	if len(e.names) == 1 {
		return nil
	}
	if e.parts++; e.parts > maxParts {
		return Errorf(n.Pos, "the lists of %q stand for more than %d schemas", e.names[0], maxParts)
	}
	return nil
}

func (e *expander) node(n *Node) error {
	if n == nil {
		return nil
	}
	if err := e.count(n); err != nil {
		return err
	}
	for _, part := range n.AllOf {
		if err := e.into(part, "allOf", e.node); err != nil {
			return err
		}
	}
	for _, alternative := range n.AnyOf {
		if err := e.node(alternative); err != nil {
			return err
		}
	}
	for _, p := range n.Properties {
		if err := e.node(p.Node); err != nil {
			return err
		}
	}
	if err := e.node(n.Items); err != nil {
		return err
	}
	return e.node(n.Additional)
}

// into goes on with a member of a list, which may be the name of a definition.
func (e *expander) into(n *Node, list string, next func(*Node) error) error {
	if n.Ref == "" {
		return next(n)
	}
	if slices.Contains(e.names, n.Ref) {
		return Errorf(n.Pos, "%s leads from %q back to %q", list, e.names[len(e.names)-1], n.Ref)
	}
	e.names = append(e.names, n.Ref)
	err := next(e.s.Lookup(n.Ref).Node)
	e.names = e.names[:len(e.names)-1]
	return err
}
