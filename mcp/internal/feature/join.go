package feature

import (
	"errors"
	"fmt"
	"strings"

	"github.com/mcpgen/mcpgen/internal/uritemplate"
	"github.com/mcpgen/mcpgen/mcp/internal/uri"
)

// joinedRoutes finds the template of a joined server that a URI matches: the most specific one, as in one server.
type joinedRoutes struct {
	literals  map[string]bool
	parts     map[string][]routePart // by scheme: the members with templates of that scheme
	templates []*template            // by index of the resource; nil for literals
}

// routePart routes the URIs of one member. The resource with index i in the member has index from+i in the joined
// server.
type routePart struct {
	route func(uri string, v *uri.Vars) int
	from  int
}

// add adds a member whose first resource gets the index base in the joined server. It returns an error if the member
// shares a literal URI with an earlier member, or if templates of both match the same URIs and neither is more
// specific.
func (r *joinedRoutes) add(f *Features, base int) error {
	if r.literals == nil {
		r.literals, r.parts = map[string]bool{}, map[string][]routePart{}
	}
	mine := map[string]bool{}
	others := len(r.templates)
	for i := range f.Resources {
		res := &f.Resources[i]
		if res.Template == nil {
			if r.literals[res.URI()] {
				return fmt.Errorf("mcp: Join: two members serve %s", res.URI())
			}
			r.literals[res.URI()] = true
			r.templates = append(r.templates, nil)
			continue
		}
		form, err := parseTemplate(res.URI())
		if err != nil {
			return err
		}
		for _, o := range r.templates[:others] {
			if o == nil {
				continue
			}
			if _, both := uritemplate.Overlap(o.Template, form.Template); both {
				return fmt.Errorf("mcp: Join: %s and %s of another member match the same URIs, and neither is more specific",
					res.URI(), o.text)
			}
		}
		r.templates = append(r.templates, form)
		if !mine[form.Scheme] {
			mine[form.Scheme] = true
			r.parts[form.Scheme] = append(r.parts[form.Scheme], routePart{f.Route, base})
		}
	}
	return nil
}

// route implements Features.Route. It asks all members that have templates of the scheme, mostly one, and returns the
// most specific match.
func (r *joinedRoutes) route(uri string, v *uri.Vars) int {
	scheme, _, _ := strings.Cut(uri, ":")
	parts := r.parts[scheme]
	best, winner := -1, 0
	for k, p := range parts {
		v.Reset()
		i := p.route(uri, v)
		if i < 0 || best >= 0 && uritemplate.Compare(r.templates[p.from+i].Template, r.templates[best].Template) >= 0 {
			continue
		}
		best, winner = p.from+i, k
	}
	if best >= 0 && winner != len(parts)-1 {
		v.Reset() // later members have left their variables there
		parts[winner].route(uri, v)
	}
	return best
}

// template is the URI template of a resource of a joined server.
type template struct {
	text string
	*uritemplate.Template
}

// parseTemplate reads a template that the generator has accepted.
func parseTemplate(text string) (*template, error) {
	t, _, problems := uritemplate.Parse(text)
	if t == nil || len(problems) > 0 {
		return nil, fmt.Errorf("mcp: Join: %q is no URI template", text)
	}
	return &template{text, t}, nil
}

// Join combines the features of several servers into those of one server. What cannot be combined, such as Info, is
// that of all[0]. The error says what two servers both have.
func Join(all []*Features) (*Features, error) {
	out := *all[0]
	out.clear()
	out.Extensions = nil
	var (
		r            joinedRoutes
		instructions []string
		errs         []error
	)
	var taken [NumKinds]NameIndex
	for k := range taken {
		taken[k] = NameIndex{}
	}
	for _, f := range all {
		if f.Instructions != "" {
			instructions = append(instructions, f.Instructions)
		}
		addCapabilities(&out.Capabilities, &f.Capabilities)
		if out.Tasks == nil {
			out.Tasks = f.Tasks
		}
		if out.Apps == nil {
			out.Apps = f.Apps
		}
		errs = append(errs, r.add(f, len(out.Resources)), out.addAll(f, &taken), out.addExtensions(f))
	}
	out.Instructions = strings.Join(instructions, "\n\n")
	if len(r.parts) > 0 {
		out.Route = r.route
	}
	return &out, errors.Join(errs...)
}

// addExtensions adds the extensions of another member to those of f.
func (f *Features) addExtensions(member *Features) (err error) {
	switch {
	case f.Extensions == nil:
		f.Extensions = member.Extensions
	case member.Extensions != nil:
		f.Extensions, err = f.Extensions.Add(member.Extensions)
	}
	return err
}
