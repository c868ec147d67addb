package feature

import (
	"context"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/uritemplate"
	"github.com/mcpgen/mcpgen/mcp/internal/access"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/uri"
)

// MayList reports whether lists for the caller of c may have what g guards. A nil g guards nothing.
func MayList(c *call.Call, g *access.Guard) bool {
	if g == nil || g.Access.Shown {
		return true
	}
	who := c.Caller()
	return g.Scopes(&who) == nil && g.Policies(c, false, nil) == nil
}

// MaySee reports whether the caller of c may know of the instance of x at uri. Check access to x itself first, with
// [MayList].
func (r *Registry) MaySee(c *call.Call, x *Resource, uri string) bool {
	if x.Guard == nil || x.Guard.Access.ItemPolicies == nil || x.Guard.Access.Shown {
		return true
	}
	call := r.itemCall(c, x, uri)
	if call == nil {
		return false
	}
	defer call.End(context.Canceled)
	for _, p := range x.Guard.Access.ItemPolicies {
		if x.Guard.Ask(p, call, nil) != nil {
			return false
		}
	}
	return true
}

// itemCall is the call of a policy about one instance, made in the course of c. Nil if uri is not one of x.
func (r *Registry) itemCall(c *call.Call, x *Resource, uri string) *call.Call {
	p := new(call.PathCall)
	if i := r.Route(uri, &p.Values); i < 0 || &r.Resources[i] != x {
		return nil
	}
	p.Vars = &p.Values
	of := c.Request()
	p.Init(call.Request{Conn: of.Conn, Base: c.Own(), Responder: of.Responder, Target: uri}, c.Revision(), 0)
	return &p.Call
}

// CompleteListed returns the values that the variable called name has in the listed instances of x, each once. It
// returns only values that begin with prefix, and looks only at instances whose other variables have the given values.
// An [InstanceCompleter] completes the variable itself, unless there are ItemPolicies.
func (r *Registry) CompleteListed(
	call *call.Call, x *Resource, name, prefix string, given CompletionContext,
) ([]string, error) {
	if p, ok := x.List.(InstanceCompleter); ok && (x.Guard == nil || x.Guard.Access.ItemPolicies == nil) {
		return p.Complete(call, prefix)
	}
	names := Variables(x.Template.URITemplate)
	at := slices.Index(names, name)
	var out []string
	seen := map[string]bool{}
	var v uri.Vars
	err := EachRef(call, x.List, func(ref *Ref) {
		uri := string(ref.URI)
		if i := r.Route(uri, &v); i < 0 || &r.Resources[i] != x || x.WrongVars(&v) != nil ||
			!agrees(&v, names, at, given) {
			return
		}
		value, ok := v.Decoded(at)
		if ok && !seen[value] && strings.HasPrefix(value, prefix) && r.MaySee(call, x, uri) {
			seen[value] = true
			out = append(out, value)
		}
	})
	return out, err
}

// agrees reports whether the variables of v have the given values. It ignores the variable with the index skip, which
// is being completed. A variable that has no given value agrees with every value.
func agrees(v *uri.Vars, names []string, skip int, given CompletionContext) bool {
	for i, name := range names {
		want := given[name]
		if i == skip || want == "" {
			continue
		}
		if value, ok := v.Decoded(i); !ok || value != want {
			return false
		}
	}
	return true
}

// Variables returns the names of the variables of a URI template (RFC 6570) in order.
func Variables(template string) []string {
	vars := uritemplate.Vars(template)
	names := make([]string, len(vars))
	for i, v := range vars {
		names[i] = v.Name
	}
	return names
}
