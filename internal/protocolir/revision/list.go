package revision

import (
	"slices"

	"github.com/mcpgen/mcpgen/schema"
)

// RoleMembers returns the methods that a role lists, itself or by way of other lists. A list of one may be written as
// a reference, or as a copy of the only member.
func (v *View) RoleMembers(role string) []*schema.Def {
	d := v.list(role)
	if d == nil {
		return nil
	}
	return v.listed(d, map[string]bool{d.Name: true})
}

// ListParts returns the lists in the list of a role.
func (v *View) ListParts(role string) []*schema.Def {
	d := v.list(role)
	if d == nil {
		return nil
	}
	seen := map[string]bool{}
	v.listed(d, seen)
	var out []*schema.Def
	for _, part := range v.Defs {
		if seen[part.Name] && part != d {
			out = append(out, part)
		}
	}
	return out
}

// list returns the definition that lists the messages of a role, or nil.
func (v *View) list(role string) *schema.Def {
	if name := v.renamed[role]; name != "" {
		role = name
	}
	return v.Lookup(role)
}

// RenameList says that the list of a role has another name in this revision.
func (v *View) RenameList(role, name string) {
	if v.renamed == nil {
		v.renamed = map[string]string{}
	}
	v.renamed[role], v.lists = name, nil
}

// listed returns the methods of a list and of the lists in it, whose names it adds to seen.
func (v *View) listed(d *schema.Def, seen map[string]bool) []*schema.Def {
	var out []*schema.Def
	nodes := d.Node.AnyOf
	if len(nodes) == 0 {
		nodes = []*schema.Node{d.Node}
	}
	for _, n := range nodes {
		if n.Ref == "" {
			for _, other := range v.Defs {
				if method := MethodOf(n); method != "" && other != d && MethodOf(other.Node) == method {
					out = append(out, other)
				}
			}
			continue
		}
		member := v.Lookup(n.Ref)
		switch {
		case !v.onlyMethods(member.Node, 0):
			out = append(out, member)
		case !seen[member.Name]:
			seen[member.Name] = true
			out = append(out, v.listed(member, seen)...)
		}
	}
	return out
}

// onlyMethods reports whether a node is a union of references to requests and notifications, or to such unions.
func (v *View) onlyMethods(n *schema.Node, depth int) bool {
	return depth < MaxDepth && len(n.AnyOf) > 0 && !slices.ContainsFunc(n.AnyOf, func(alt *schema.Node) bool {
		return alt.Ref == "" || MethodOf(v.Lookup(alt.Ref).Node) == "" && !v.onlyMethods(v.Lookup(alt.Ref).Node, depth+1)
	})
}

// isRole reports whether a definition is the list of a role, or a list in it that nothing else refers to.
func (v *View) isRole(n *schema.Node) bool {
	if v.lists == nil {
		v.lists = v.findLists()
	}
	return v.lists[n]
}

func (v *View) findLists() map[*schema.Node]bool {
	lists, parts := map[*schema.Node]bool{}, map[string]bool{}
	for _, r := range v.ex.Roles {
		if d := v.list(r.Name); d != nil {
			lists[d.Node] = true
			v.listed(d, parts)
		}
	}
	elsewhere := map[string]bool{}
	for _, d := range v.Defs {
		if !lists[d.Node] && !parts[d.Name] {
			collectRefs(d.Node, elsewhere)
		}
	}
	for name := range parts {
		if !elsewhere[name] {
			lists[v.Lookup(name).Node] = true
		}
	}
	return lists
}
