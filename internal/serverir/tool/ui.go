package tool

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/serverir/app"
	"github.com/mcpgen/mcpgen/internal/serverir/feature"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
)

// toolMeta is the member ui of the _meta of a tool.
type toolMeta struct {
	ResourceURI string   `json:"resourceUri,omitempty"`
	Visibility  []string `json:"visibility,omitempty"`
}

// pages connects tools with the apps that they name.
func pages(b *builder) {
	for i, t := range b.Server.Tools {
		if i >= len(b.decls) {
			return // those that read resources
		}
		spec, ok := b.decls[i].Primary.Spec.(*directive.Tool)
		if !ok || !spec.UI.Set() && !spec.Visibility.Set() {
			continue
		}
		notePage(t, spec)
	}
}

// Mounted checks the apps that tools name, which may be those of mounted servers.
func (b *builder) Mounted() {
	apps, offered := feature.Find[*app.Builder](b.Context), appsOf(b.Server, nil)
	complete := !b.Unparsed && !apps.Broken
	if b.ServerDecl != nil {
		spec, _ := b.ServerDecl.Primary.Spec.(*directive.Server)
		complete = complete && (spec == nil || len(spec.Mount.V) == len(b.Server.Mounts))
	}
	for i, d := range b.decls {
		spec, ok := d.Primary.Spec.(*directive.Tool)
		if !ok || !spec.UI.Set() && !spec.Visibility.Set() || i >= len(b.Server.Tools) {
			continue
		}
		if !isApp(b, spec) || !complete {
			continue
		}
		namesApp(b, slices.Sorted(maps.Keys(offered)), spec)
		if r := offered[spec.UI.V]; r != nil {
			hiddenApp(b, b.Server.Tools[i], r, spec)
		}
	}
}

// appsOf adds the apps of a server, and of those that it mounts, by URI.
func appsOf(s *ir.Server, to map[string]*ir.Resource) map[string]*ir.Resource {
	if to == nil {
		to = map[string]*ir.Resource{}
	}
	for _, r := range s.Resources {
		if r.App != nil {
			to[r.URI] = r
		}
	}
	for _, m := range s.Mounts {
		appsOf(m.Server, to)
	}
	return to
}

// hiddenApp warns of an app that some callers of its tool do not have, or that is left out by tags while the tool is
// not.
func hiddenApp(b *builder, t *ir.Tool, r *ir.Resource, spec *directive.Tool) {
	var what string
	fix := "give the tool the same //mcp:access, or the app none"
	switch {
	case !covers(t.Rules, r.Rules):
		what = "some callers of the tool may not read it"
	case slices.ContainsFunc(t.Tags, func(tag string) bool { return !slices.Contains(r.Tags, tag) }):
		what, fix = "a program that chooses the tags of the tool leaves it out", "give the app the tags of the tool"
	default:
		return
	}
	from, to := source.ValueOf(spec.UI.Arg)
	b.Report("MCP615", from, to, fmt.Sprintf("the app `%s` may be missing: %s", r.URI, what), report.Fix(fix))
}

// covers reports whether every caller that satisfies rules satisfies others too.
func covers(rules, others *ir.Rules) bool {
	if !others.Restricts() {
		return true
	}
	if rules == nil {
		return false
	}
	among := func(sets, wanted [][]string) bool {
		return !slices.ContainsFunc(wanted, func(w []string) bool {
			return !slices.ContainsFunc(sets, func(s []string) bool { return slices.Equal(s, w) })
		})
	}
	return !slices.ContainsFunc(others.Scopes, func(s string) bool { return !slices.Contains(rules.Scopes, s) }) &&
		among(rules.AnyScope, others.AnyScope) && among(rules.AnyRole, others.AnyRole) &&
		!slices.ContainsFunc(others.Policies, func(p ir.Policy) bool {
			return !slices.ContainsFunc(rules.Policies, func(q ir.Policy) bool {
				return q.Callee.Recv == p.Callee.Recv && q.Callee.Name == p.Callee.Name
			})
		})
}

// notePage sets the app of a tool, and who may call the tool. Hosts from before the extension was final look for the
// app in a member of its own.
func notePage(t *ir.Tool, spec *directive.Tool) {
	m := toolMeta{ResourceURI: spec.UI.V}
	for _, v := range spec.Visibility.V {
		if !slices.Contains(m.Visibility, v.V) {
			m.Visibility = append(m.Visibility, v.V)
		}
	}
	t.App = spec.UI.V
	t.OnlyApps = slices.Equal(m.Visibility, []string{"app"})
	text, _ := json.Marshal(m) //nolint:errchkjson // texts cannot fail
	meta := []ir.MetaEntry{{Key: "ui", Value: string(text)}}
	if spec.UI.Set() {
		uri, _ := json.Marshal(spec.UI.V) //nolint:errchkjson // a text cannot fail
		meta = append(meta, ir.MetaEntry{Key: "ui/resourceUri", Value: string(uri)})
	}
	t.Meta = append(meta, t.Meta...)
}

// isApp checks that a URI could be that of an app, whatever apps the server has.
func isApp(b *builder, spec *directive.Tool) bool {
	uri := spec.UI.V
	rest, ok := strings.CutPrefix(uri, "ui://")
	if !spec.UI.Set() || ok && rest != "" && !strings.ContainsAny(rest, "{}") {
		return true
	}
	from, to := source.ValueOf(spec.UI.Arg)
	b.Report("MCP501", from, to,
		fmt.Sprintf("`%s` is not the URI of an app, which begins with ui:// and has no variables", uri),
		report.Fix(app.URILike(uri)))
	return false
}

// namesApp checks that a tool names an app that its server offers.
func namesApp(b *builder, apps []string, spec *directive.Tool) {
	switch {
	case spec.UI.Set() && !slices.Contains(apps, spec.UI.V):
		from, to := source.ValueOf(spec.UI.Arg)
		option := report.Fix("declare it with //mcp:app uri=" + spec.UI.V)
		if near := directive.Nearest(spec.UI.V, apps); near != "" {
			option = report.Fix(near) // for the user: the slip may be that of the app
		}
		b.Report("MCP501", from, to, fmt.Sprintf("`ui=%s` is the URI of no app here", spec.UI.V),
			report.Hint("apps: "+report.OrNone(apps)), option)
	case spec.Visibility.Set() && len(apps) == 0:
		b.Report("MCP501", spec.Visibility.Arg.Pos, spec.Visibility.Arg.End,
			"`visibility` is about apps, and this server has none", report.Fix("remove it"))
	}
}
