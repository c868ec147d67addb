package tool

import (
	"encoding/json"
	"fmt"
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

// pages gives tools the apps that they name.
func (b *builder) pages() {
	apps := feature.Find[*app.Builder](b.Context)
	for i, t := range b.Server.Tools {
		if i >= len(b.decls) {
			return // those that read resources
		}
		spec, ok := b.decls[i].Primary.Spec.(*directive.Tool)
		if !ok || !spec.UI.Set() && !spec.Visibility.Set() {
			continue
		}
		if isApp(b, spec) && !b.Unparsed && !apps.Broken {
			namesApp(b, apps, spec)
		}
		notePage(t, spec)
	}
}

// notePage notes the app of a tool, and who may call it. Hosts from before the extension was settled look for the
// address in a member of its own.
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

// isApp checks that what a tool names could be an app, whatever the apps of the server are.
func isApp(b *builder, spec *directive.Tool) bool {
	uri := spec.UI.V
	if !spec.UI.Set() || strings.HasPrefix(uri, "ui://") && !strings.ContainsAny(uri, "{}") {
		return true
	}
	from, to := source.ValueOf(spec.UI.Arg)
	b.Report("MCP501", from, to,
		fmt.Sprintf("`%s` is not the URI of an app, which begins with ui:// and has no variables", uri),
		report.Fix(app.URILike(uri)))
	return false
}

// namesApp checks that a tool names an app of its server.
func namesApp(b *builder, apps *app.Builder, spec *directive.Tool) {
	switch {
	case spec.UI.Set() && !slices.Contains(apps.URIs, spec.UI.V):
		from, to := source.ValueOf(spec.UI.Arg)
		option := report.Fix("declare it with //mcp:app uri=" + spec.UI.V)
		if near := directive.Nearest(spec.UI.V, apps.URIs); near != "" {
			option = b.Replace(from, to, near)
		}
		b.Report("MCP501", from, to, fmt.Sprintf("`ui=%s` is the URI of no app here", spec.UI.V),
			report.Hint("apps: "+report.OrNone(apps.URIs)), option)
	case spec.Visibility.Set() && len(apps.URIs) == 0:
		b.Report("MCP501", spec.Visibility.Arg.Pos, spec.Visibility.Arg.End,
			"`visibility` is about apps, and this server has none", report.Fix("remove it"))
	}
}
