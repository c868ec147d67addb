// Package app builds the apps of a server: embedded pages that clients display beside the results of tools.
package app

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/apppage"
	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/load/embedfile"
	"github.com/mcpgen/mcpgen/internal/serverir/feature"
	"github.com/mcpgen/mcpgen/internal/serverir/gotype"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/resource"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
)

// mimeType is the media type of the page of an app.
const mimeType = "text/html;profile=mcp-app"

// Builder builds the apps of a server.
type Builder struct {
	feature.Passes
	*feature.Context
	resources *resource.Builder
	// Broken says that some app could not be built.
	Broken bool
}

// New returns what builds the apps of one server.
func New(s *feature.Context) feature.Kind {
	return &Builder{Context: s, resources: feature.Find[*resource.Builder](s)}
}

// Declare reads the apps.
func (b *Builder) Declare() {
	for _, d := range b.Pkg.Decls {
		b.Broken = b.Broken || d.Primary != nil && d.Primary.Bad && d.Primary.Name == "app"
	}
	source.EachSpec(b.Pkg, b.build)
}

// build turns one app directive into a resource.
func (b *Builder) build(d *load.Decl, spec *directive.App) {
	meta, used := b.meta(spec)
	b.Misplaced(d, nil)
	if !b.uri(spec) || d.Obj == nil || source.Invalid(d.Obj.Type()) {
		b.Broken = true
		return
	}
	app, ok := b.page(d, used)
	if !ok {
		b.Broken = true
		return
	}
	like := &directive.Resource{URI: spec.URI, Title: spec.Title, Desc: spec.Desc, Tags: spec.Tags, Bind: spec.Bind}
	b.resources.Add(d, like, nil, func(r *ir.Resource) {
		r.App, r.MIME, r.Meta = app, mimeType, append(meta, r.Meta...)
		r.Result = ir.ResultText
		if gotype.IsBytes(d.Obj.Type()) {
			r.Result = ir.ResultTextBytes
		}
		r.SizeOf = !app.Files
	})
}

// uri checks that the URI of an app begins with ui:// and has no variables.
func (b *Builder) uri(spec *directive.App) bool {
	uri := spec.URI.V
	rest, ok := strings.CutPrefix(uri, "ui://")
	if ok && rest != "" && !strings.ContainsAny(rest, "{}") {
		return true
	}
	from, to := source.ValueOf(spec.URI.Arg)
	b.Report("MCP412", from, to, fmt.Sprintf("`%s` is not the URI of an app, which begins with ui:// and has no variables",
		uri), b.Replace(from, to, URILike(uri)))
	return false
}

// URILike returns a URI for an app that resembles a text which is none.
func URILike(uri string) string {
	if _, after, found := strings.Cut(uri, "://"); found {
		uri = after
	}
	if uri = strings.NewReplacer("{", "", "}", "").Replace(strings.Trim(uri, "/")); uri == "" {
		uri = "app"
	}
	return "ui://" + uri
}

// page reads the page of d and checks it.
func (b *Builder) page(d *load.Decl, used *csp) (*ir.App, bool) {
	from, to := source.NameOf(d)
	t := d.Obj.Type()
	files := gotype.IsNamed(t, "embed", "FS")
	switch {
	case !files && !gotype.IsString(t) && !gotype.IsBytes(t):
		b.Report("MCP412", from, to, fmt.Sprintf("an app is a string, a []byte or an embed.FS; found %s", b.TypeText(t)),
			report.Fix("var "+d.Name+" string"))
		return nil, false
	case len(d.Embed) == 0:
		b.Report("MCP412", from, to, fmt.Sprintf("`%s` is not embedded", d.Name), report.Fix("//go:embed app.html"))
		return nil, false
	}
	root, err := os.OpenRoot(b.Pkg.Dir)
	if err != nil {
		b.Report("MCP412", from, to, "the package cannot be read: "+err.Error())
		return nil, false
	}
	defer root.Close()
	app, name := &ir.App{Files: files}, b.pageOf(root.FS(), d, files)
	if name == "" {
		b.Report("MCP412", from, to, fmt.Sprintf("`%s` has no index.html, which is the page of an app", d.Name),
			report.Fix("embed the directory with the file"))
		return nil, false
	}
	if files {
		app.Dir = path.Dir(name)
	}
	text, err := root.ReadFile(name)
	if err != nil {
		return app, true // MCP614 says so
	}
	var page *apppage.Page
	if files {
		page = apppage.Read(string(text), embeddedOf(root.FS(), d), app.Dir)
	} else {
		page = apppage.Read(string(text), nil, "")
	}
	return app, b.pageMistakes(d, name, page, used)
}

// pageOf returns the name of the page of d; "" if it has none. In an embed.FS it is the file that is nearest to the
// package. A directory that does not exist yet is assumed to have one.
func (b *Builder) pageOf(pkg fs.FS, d *load.Decl, isDir bool) string {
	var found []string
	later := ""
	for _, p := range d.Embed {
		files, err := embedfile.Files(pkg, p.Text)
		if dir, plain := embedfile.Dir(p.Text); err != nil && err.Missing && plain && later == "" {
			later = dir
		}
		for _, name := range files {
			if !isDir || path.Base(name) == apppage.Index {
				found = append(found, name)
			}
		}
	}
	switch {
	case len(found) > 0:
		return slices.MinFunc(found, func(a, b string) int { return strings.Count(a, "/") - strings.Count(b, "/") })
	case later == "" || !isDir || path.Base(later) == apppage.Index:
		return later
	}
	return path.Join(later, apppage.Index)
}

// pageMistakes reports why clients could not display a page.
func (b *Builder) pageMistakes(d *load.Decl, name string, page *apppage.Page, used *csp) bool {
	from, to := source.NameOf(d)
	for _, p := range page.Problems {
		b.Report("MCP412", from, to, fmt.Sprintf("%s:%d: %s", name, p.Line, p.Message), report.Fix(p.Fix))
	}
	for _, p := range page.Advice {
		b.Report("MCP611", from, to, fmt.Sprintf("%s:%d: %s", name, p.Line, p.Message), report.Fix(p.Fix))
	}
	reported := map[string]bool{}
	for _, r := range page.Remotes {
		list, option := used.Resources, "resources"
		switch {
		case r.Frame:
			list, option = used.Frames, "frames"
		case r.Base:
			list, option = used.Base, "base"
		}
		if allows(list, r.Origin) || reported[option+r.Origin] {
			continue
		}
		reported[option+r.Origin] = true
		b.Report("MCP611", from, to, fmt.Sprintf("%s:%d: clients block %s, which the directive does not allow", name, r.Line,
			r.Origin), report.Fix(option+"="+r.Origin))
	}
	return len(page.Problems) == 0
}

// embedded has the files of a directory that are embedded. A page can refer only to these.
type embedded struct {
	fs.FS
	names map[string]bool
}

func embeddedOf(pkg fs.FS, d *load.Decl) fs.FS {
	e := embedded{pkg, map[string]bool{}}
	for _, p := range d.Embed {
		files, _ := embedfile.Files(pkg, p.Text) // packageBuilder.embeds says what is wrong
		for _, name := range files {
			e.names[name] = true
		}
	}
	return e
}

// Open opens one of the files.
func (e embedded) Open(name string) (fs.File, error) {
	if !e.names[name] {
		return nil, fs.ErrNotExist
	}
	return e.FS.Open(name)
}
