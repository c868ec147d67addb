package app

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
)

// csp has the origins that a page may use.
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
		Connect: b.origins(&spec.Connect, true), Resources: b.origins(&spec.Resources, false),
		Frames: b.origins(&spec.Frames, false), Base: b.origins(&spec.Base, false),
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

// domainPattern matches a host name.
var domainPattern = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$`)

// domain returns the origin that a page asks for itself. Each client prescribes another form: a host name, or an
// origin.
func (b *Builder) domain(spec *directive.App) string {
	d := spec.Domain.V
	if spec.Domain.Set() && !domainPattern.MatchString(d) && (noOrigin(d, false) != "" || strings.Contains(d, "*")) {
		from, to := source.ValueOf(spec.Domain.Arg)
		_, like, _ := strings.Cut(originLike(d, false), "://")
		b.Report("MCP610", from, to, fmt.Sprintf("`%s` is no domain: a host name, or an origin, without a path", d),
			report.Fix("domain="+strings.TrimPrefix(like, "*.")))
	}
	return d
}

// hostPattern matches a host in lower case. It may begin with *. and has no empty part.
var hostPattern = regexp.MustCompile(`^(\*\.)?[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$`)

// noOrigin says why a text is no origin; "" if it is one. Sockets are those of connect= only.
func noOrigin(text string, sockets bool) string {
	scheme, host, ok := strings.Cut(text, "://")
	switch {
	case ok && (scheme == "http" || scheme == "https"):
	case ok && (scheme == "ws" || scheme == "wss"):
		if !sockets {
			return "sockets are opened by connect="
		}
	case text == "data:" || text == "blob:":
		return "images and media may be data: URLs in every app, and clients decide about the rest"
	case strings.HasSuffix(text, ":") && !strings.Contains(text, "/"):
		return "a scheme alone would allow every host"
	default:
		return "a scheme (https, http, wss, ws), a host, perhaps with *. before it, and a port"
	}
	name, port, hasPort := strings.Cut(host, ":")
	if n, err := strconv.ParseUint(port, 10, 16); hasPort && (err != nil || n == 0 || strconv.FormatUint(n, 10) != port) {
		return "a port is a number from 1 to 65535"
	}
	if !hostPattern.MatchString(name) {
		return "a host is a name in lower case, perhaps with *. before it, without a path behind it"
	}
	return ""
}

// origins returns the items of a list. It reports items that are no origins, or are repeated.
func (b *Builder) origins(list *directive.List, sockets bool) []string {
	var out []string
	for _, item := range list.V {
		from, to := item.Arg.At(item.From), item.Arg.At(item.To)
		if why := noOrigin(item.V, sockets); why != "" {
			b.Report("MCP610", from, to, fmt.Sprintf("`%s` is no origin: %s", item.V, why),
				report.Fix(originLike(item.V, sockets)))
		} else if slices.Contains(out, item.V) {
			b.Report("MCP610", from, to, fmt.Sprintf("`%s` is named twice", item.V), report.Fix("remove one"))
		}
		out = append(out, item.V)
	}
	return out
}

// originLike returns an origin that resembles a text which is none.
func originLike(s string, sockets bool) string {
	s = strings.ToLower(strings.Trim(s, "'\""))
	scheme, host, ok := strings.Cut(strings.TrimPrefix(s, "//"), "://")
	if !ok {
		scheme, host = "https", scheme
		if host == "localhost" || strings.HasPrefix(host, "localhost:") {
			scheme = "http"
		}
	}
	if strings.HasPrefix(scheme, "ws") && !sockets {
		scheme = "http" + strings.TrimPrefix(scheme, "ws")
	}
	host, _, _ = strings.Cut(host, "/")
	if like := scheme + "://" + host; noOrigin(like, sockets) == "" && (strings.Contains(host, ".") || scheme == "http") {
		return like
	}
	return "https://example.com"
}

// matches reports whether a browser that allows an origin, perhaps with *. before its host, allows another one.
func matches(allowed, origin string) bool {
	as, ah, _ := strings.Cut(allowed, "://")
	os, oh, _ := strings.Cut(origin, "://")
	if as != os && as+"s" != os { // http allows https too
		return false
	}
	for scheme, port := range map[string]string{"http": ":80", "https": ":443"} {
		if as == scheme {
			ah = strings.TrimSuffix(ah, port)
		}
		if os == scheme {
			oh = strings.TrimSuffix(oh, port)
		}
	}
	if rest, wild := strings.CutPrefix(ah, "*."); wild {
		return strings.HasSuffix(oh, "."+rest)
	}
	return ah == oh
}

// allows reports whether a list of origins allows one.
func allows(list []string, origin string) bool {
	return slices.ContainsFunc(list, func(o string) bool { return matches(o, origin) })
}
