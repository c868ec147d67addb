package load

import (
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
	inCycle    bool     // one that is reported
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

// list asks the go command for the packages that match the patterns, and all that they import. A pattern that matches
// no package with files is an error.
func (l *loader) list() error {
	patterns := l.cfg.Patterns
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	all, err := l.command.Graph(l.ctx, patterns)
	if err != nil {
		return err
	}
	for _, li := range all {
		l.add(li, !li.DepOnly)
	}
	return unmatched(l.cfg.Dir, patterns, all)
}

// more adds packages that the graph does not have yet, with their imports. It returns the new ones.
func (l *loader) more(paths []string) (added []*node, err error) {
	if len(paths) == 0 {
		return nil, nil
	}
	all, err := l.command.Graph(l.ctx, paths)
	if err != nil {
		return nil, err
	}
	for _, li := range all {
		if l.pkgs[li.ImportPath] != nil {
			continue
		}
		if p := l.add(li, false); p != nil {
			added = append(added, p)
		}
	}
	return added, nil
}

// add adds a package to the graph; it returns nil if the package could not be found.
func (l *loader) add(li *golist.Package, target bool) *node {
	p := &node{Package: &Package{Path: li.ImportPath, Name: li.Name, Dir: li.Dir, Target: target}, listed: li}
	if target && p.isLocal() {
		p.outputs = source.Outputs(p.Dir)
	}
	if li.Module != nil {
		p.Module, p.moduleDir = li.Module.Path, li.Module.Dir
	}
	excluded := target && len(li.IgnoredGoFiles) > 0 // its directives are reported all the same
	if li.Error != nil && len(li.Built()) == 0 && !excluded {
		l.missing[li.ImportPath] = li.Error.Err
		return nil
	}
	l.order = append(l.order, p)
	l.pkgs[p.Path] = p
	return p
}

// export reads the export data of packages. Packages that do not compile are left out.
func (l *loader) export(paths []string) error {
	all, err := l.command.Export(l.ctx, paths)
	if err != nil {
		return err
	}
	for _, li := range all {
		if li.Export != "" {
			l.exports[li.ImportPath] = li.Export
		} else if li.Error != nil && l.missing[li.ImportPath] == "" {
			l.missing[li.ImportPath] = li.Error.Err
		}
	}
	return nil
}
