package server

import (
	"context"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/uritemplate"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/uri"
)

// completeListed returns the values that variable name has in the listed instances of r: those that
// begin with prefix, of instances that have the given values in their other variables.
func (s *Server) completeListed(
	call *call.Call, r *Resource, name, prefix string, given CompletionContext,
) ([]string, error) {
	if p, ok := r.List.(instanceCompleter); ok && (r.Guard == nil || r.Guard.Access.ItemPolicies == nil) {
		return p.complete(call, prefix)
	}
	names := variables(r.Template.URITemplate)
	at := slices.Index(names, name)
	var out []string
	seen := map[string]bool{}
	var v uri.Vars
	err := eachRef(call, r.List, func(ref *Ref) {
		uri := string(ref.URI)
		if i := s.route(uri, &v); i < 0 || &s.features.Resources[i] != r || r.wrongVars(&v) != nil ||
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
func agrees(v *uri.Vars, names []string, but int, given CompletionContext) bool {
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

// completionPage is how many entries are asked for at once of what pages itself.
const completionPage = 1000

// eachRef calls f for all instances.
func eachRef(ctx context.Context, list Instances, f func(*Ref)) error {
	if all, ok := list.(interface {
		each(ctx context.Context, f func(*Ref)) error
	}); ok {
		return all.each(ctx, f)
	}
	to := pageBuilder{each: f}
	for from := ""; ; {
		next, err := list.list(ctx, from, completionPage, &to)
		if err != nil {
			return err
		}
		if next == "" || next == from {
			return ctx.Err()
		}
		from = next
	}
}

// each runs the sequence once, which paging would do for every page.
func (l *seqInstances[R]) each(ctx context.Context, f func(*Ref)) error {
	seq := l.seq(ctx)
	if seq == nil {
		return nil
	}
	var ref Ref
	for r, err := range seq {
		if err != nil {
			return err
		}
		ref = l.entry(ref.URI[:0], r)
		f(&ref)
	}
	return ctx.Err()
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
