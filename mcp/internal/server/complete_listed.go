package server

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/uritemplate"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/uri"
)

// completeListed returns the values that variable name has in the listed instances of r: those that
// begin with prefix, of instances that have the given values in their other variables.
func (s *Server) completeListed(
	call *call.Call, r *feature.Resource, name, prefix string, given feature.CompletionContext,
) ([]string, error) {
	if p, ok := r.List.(feature.InstanceCompleter); ok && (r.Guard == nil || r.Guard.Access.ItemPolicies == nil) {
		return p.Complete(call, prefix)
	}
	names := variables(r.Template.URITemplate)
	at := slices.Index(names, name)
	var out []string
	seen := map[string]bool{}
	var v uri.Vars
	err := feature.EachRef(call, r.List, func(ref *feature.Ref) {
		uri := string(ref.URI)
		if i := s.route(uri, &v); i < 0 || &s.features.Resources[i] != r || r.WrongVars(&v) != nil ||
			!agrees(&v, names, at, given) {
			return
		}
		value, ok := v.Decoded(at)
		if ok && !seen[value] && strings.HasPrefix(value, prefix) && sees(call, r, uri) {
			seen[value] = true
			out = append(out, value)
		}
	})
	return out, err
}

// agrees reports whether the variables of v other than the one at index but have the given values. Those
// that have no value agree with every value.
func agrees(v *uri.Vars, names []string, but int, given feature.CompletionContext) bool {
	for i, name := range names {
		want := given[name]
		if i == but || want == "" {
			continue
		}
		if value, ok := v.Decoded(i); !ok || value != want {
			return false
		}
	}
	return true
}

// variables returns the names of the variables of a URI template (RFC 6570) in order.
func variables(template string) []string {
	vars := uritemplate.Vars(template)
	names := make([]string, len(vars))
	for i, v := range vars {
		names[i] = v.Name
	}
	return names
}
