package revision

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/schema"
)

// Role is the part that a definition plays in messages.
type Role uint8

// Roles.
const (
	RoleValue Role = iota
	RoleRequest
	RoleNotification
	RoleResult
)

// Roles tells which definitions of a revision are params or results. A result that
// answers a client counts; what a client answers to a server is a plain value.
func (v *View) Roles() map[string]Role {
	roles := map[string]Role{}
	for _, d := range v.Defs {
		if strings.HasSuffix(d.Name, "Result") && roles[d.Name] == 0 {
			roles[d.Name] = RoleResult
		}
		method := MethodOf(d.Node)
		if method == "" {
			continue
		}
		role := RoleRequest
		if strings.HasPrefix(method, "notifications/") {
			role = RoleNotification
		}
		roles[v.ex.Alias(d.Name+"Params", Struct.String())] = role
		if p := d.Node.Property("params"); p != nil && p.Node.Ref != "" {
			v.paramsRoles(p.Node.Ref, role, roles)
		}
	}
	for _, r := range v.ex.Roles {
		if r.From != "server" || r.Kind != "request" {
			continue
		}
		for _, d := range v.RoleMembers(r.Name) {
			if name := strings.TrimSuffix(d.Name, "Request") + "Result"; !v.sentBy("client", d) {
				roles[name] = RoleValue
			}
		}
	}
	return roles
}

func (v *View) paramsRoles(name string, role Role, roles map[string]Role) {
	roles[name] = role
	for _, alt := range v.Lookup(name).Node.AnyOf {
		if alt.Ref != "" && alt.Ref != name && roles[alt.Ref] == RoleValue {
			v.paramsRoles(alt.Ref, role, roles)
		}
	}
}

// sentBy reports whether a side sends this request in a revision.
func (v *View) sentBy(side string, request *schema.Def) bool {
	return slices.ContainsFunc(v.ex.Roles, func(r schema.Role) bool {
		return r.From == side && slices.Contains(v.RoleMembers(r.Name), request)
	})
}
