package load

import (
	"context"
	"go/ast"
	"go/types"

	"github.com/mcpgen/mcpgen/internal/load/golist"
	"github.com/mcpgen/mcpgen/internal/load/source"
)

// node is a package with what only this package needs to know of it.
type node struct {
	*Package
	listed     *golist.Package
	outputs    []string // our own output, by base names
	mounted    bool     // by a server of a target
	fromSource bool
	needs      map[string]bool // import paths, if it is read from source
	errs       []types.Error
	declared   map[types.Object]ast.Node // see declOf
	foreign    map[foreignName]comments  // if it is not read from source; see foreignComments
}

// isLocal reports whether the package belongs to the main module, to a module of
// the workspace, or to no module at all.
func (p *node) isLocal() bool {
	if p.listed.Module == nil {
		return !p.listed.Standard
	}
	return p.listed.Module.Main
}

// graph has the packages that were asked for, and all that they import, as the go command describes them.
type graph struct {
	command golist.Command
	// order has every package of the import graph after its imports.
	order []*node
	pkgs  map[string]*node
	// missing has the go command's words on imports that it could not find.
	missing map[string]string
	// exports maps import paths to files with export data.
	exports map[string]string
}

func newGraph(cfg Config) *graph {
	return &graph{
		command: golist.Command{Dir: cfg.Dir, Env: cfg.Env}, pkgs: map[string]*node{},
		missing: map[string]string{}, exports: map[string]string{},
	}
}

// list lists the packages that match patterns. A pattern that matches no package with files is an error.
func (g *graph) list(ctx context.Context, patterns []string) error {
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	all, err := g.command.Graph(ctx, patterns)
	if err != nil {
		return err
	}
	for _, li := range all {
		g.add(li, !li.DepOnly)
	}
	return unmatched(g.command.Dir, patterns, all)
}

// more adds packages that the graph does not have yet, with their imports. It returns the new ones.
func (g *graph) more(ctx context.Context, paths []string) (added []*node, err error) {
	if len(paths) == 0 {
		return nil, nil
	}
	all, err := g.command.Graph(ctx, paths)
	if err != nil {
		return nil, err
	}
	for _, li := range all {
		if g.pkgs[li.ImportPath] != nil {
			continue
		}
		if p := g.add(li, false); p != nil {
			added = append(added, p)
		}
	}
	return added, nil
}

// add adds a package to the graph; it returns nil if the package could not be found.
func (g *graph) add(li *golist.Package, target bool) *node {
	p := &node{Package: &Package{Path: li.ImportPath, Name: li.Name, Dir: li.Dir, Target: target}, listed: li}
	if target && p.isLocal() {
		p.outputs = source.Outputs(p.Dir)
	}
	if li.Module != nil {
		p.Module, p.moduleDir = li.Module.Path, li.Module.Dir
	}
	excluded := target && len(li.IgnoredGoFiles) > 0 // its directives are reported all the same
	if li.Error != nil && len(li.Built()) == 0 && !excluded {
		g.missing[li.ImportPath] = li.Error.Err
		return nil
	}
	g.order = append(g.order, p)
	g.pkgs[p.Path] = p
	return p
}

// export reads the export data of packages. Packages that do not compile are left out.
func (g *graph) export(ctx context.Context, paths []string) error {
	all, err := g.command.Export(ctx, paths)
	if err != nil {
		return err
	}
	for _, li := range all {
		if li.Export != "" {
			g.exports[li.ImportPath] = li.Export
		} else if li.Error != nil && g.missing[li.ImportPath] == "" {
			g.missing[li.ImportPath] = li.Error.Err
		}
	}
	return nil
}
