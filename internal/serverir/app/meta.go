package app

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
)

// csp are the origins that a page may use.
type csp struct {
	Connect   []string `json:"connectDomains,omitempty"`
	Resources []string `json:"resourceDomains,omitempty"`
	Frames    []string `json:"frameDomains,omitempty"`
	Base      []string `json:"baseUriDomains,omitempty"`
}

// pageMeta is the member ui of the _meta of a page.
type pageMeta struct {
	CSP         *csp                `json:"csp,omitempty"`
	Permissions map[string]struct{} `json:"permissions,omitempty"`
	Domain      string              `json:"domain,omitempty"`
	Border      *bool               `json:"prefersBorder,omitempty"`
}

// meta reads the options that say how a page is displayed. An entry without any has none.
func (b *Builder) meta(spec *directive.App) (ui []ir.MetaEntry, used *csp) {
	used = &csp{
		Connect: b.origins(&spec.Connect), Resources: b.origins(&spec.Resources), Frames: b.origins(&spec.Frames),
		Base: b.origins(&spec.Base),
	}
	m := pageMeta{Domain: b.domain(spec)}
	if len(used.Connect)+len(used.Resources)+len(used.Frames)+len(used.Base) > 0 {
		m.CSP = used
	}
	for _, p := range spec.Permissions.V {
		if m.Permissions == nil {
			m.Permissions = map[string]struct{}{}
		}
		m.Permissions[p.V] = struct{}{}
	}
	if spec.Border.Set() {
		m.Border = new(spec.Border.V)
	}
	text, _ := json.Marshal(m) //nolint:errchkjson // texts and booleans cannot fail
	if string(text) == "{}" {
		return nil, used
	}
	return []ir.MetaEntry{{Key: "ui", Value: string(text)}}, used
}

// domainPattern is a host name.
var domainPattern = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$`)

// domain is the origin of its own that a page asks for. Each client prescribes another form, all of them host names.
func (b *Builder) domain(spec *directive.App) string {
	if d := spec.Domain.V; spec.Domain.Set() && !domainPattern.MatchString(d) {
		from, to := source.ValueOf(spec.Domain.Arg)
		_, like, _ := strings.Cut(originLike(d), "://")
		b.Report("MCP610", from, to, fmt.Sprintf("`%s` is no domain: a host name without a scheme, a port and a path", d),
			report.Fix("domain="+like))
	}
	return spec.Domain.V
}

// originPattern is a scheme, a host that may begin with *. and a port.
var originPattern = regexp.MustCompile(`^(https?|wss?)://(\*\.)?[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]{1,5})?$`)

// origins are the items of a list, each of which is an origin.
func (b *Builder) origins(list *directive.List) []string {
	var out []string
	for _, item := range list.V {
		if !originPattern.MatchString(item.V) {
			b.Report("MCP610", item.Arg.At(item.From), item.Arg.At(item.To),
				fmt.Sprintf("`%s` is no origin: a scheme (https, http, wss, ws), a host, perhaps with *. before it, and a port",
					item.V),
				report.Fix(originLike(item.V)))
		}
		out = append(out, item.V)
	}
	return out
}

// originLike makes an origin of what is none.
func originLike(s string) string {
	s = strings.ToLower(strings.Trim(s, "'\""))
	scheme, host, ok := strings.Cut(s, "://")
	if !ok {
		scheme, host = "https", s
	}
	host, _, _ = strings.Cut(host, "/")
	if like := scheme + "://" + host; originPattern.MatchString(like) {
		return like
	}
	return "https://example.com"
}

// allows reports whether a list of origins has one.
func allows(list []string, origin string) bool {
	for _, o := range list {
		scheme, host, _ := strings.Cut(o, "://")
		if rest, wild := strings.CutPrefix(host, "*."); wild {
			if strings.HasPrefix(origin, scheme+"://") && strings.HasSuffix(origin, "."+rest) {
				return true
			}
		} else if o == origin {
			return true
		}
	}
	return false
}
