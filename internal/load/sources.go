package load

import (
	"fmt"
	"go/ast"
	"go/parser"
	"maps"
	"slices"
	"strconv"
)

// sources decides which packages are type-checked from source, parses them, and
// gets export data for what they import otherwise.
func (l *loader) sources() error {
	leads := l.leadsToSource()
	var todo []*node
	for _, p := range l.order {
		if p.annotated() && (p.Target || p.mounted) {
			todo = append(todo, p)
		}
	}
	asked := map[string]bool{"unsafe": true, "C": true} // these have no export data
	for len(todo) > 0 {
		wanted, err := l.expand(todo, leads)
		if err != nil {
			return err
		}
		wanted = slices.DeleteFunc(wanted, func(path string) bool { return asked[path] })
		slices.Sort(wanted)
		wanted = slices.Compact(wanted)
		if len(wanted) == 0 {
			return nil
		}
		if err := l.export(l.ctx, wanted); err != nil {
			return err
		}
		todo = nil
		for _, path := range wanted {
			asked[path] = true
			// What does not compile is read from source, as far as that goes.
			if p := l.pkgs[path]; p != nil && l.exports[path] == "" {
				todo = append(todo, p)
			}
		}
	}
	return nil
}

// leadsToSource is the set of packages that are read from source where they are referred to: those of
// the user's modules, whose comments and tags count, those with directives, and those that import one
// of them, directly or not, so that no type exists twice. A stale output file may have made the graph
// cyclic, so the order of l.order is not relied on.
func (l *loader) leadsToSource() map[string]bool {
	leads := map[string]bool{}
	for changed := true; changed; {
		changed = false
		for _, p := range l.order {
			if leads[p.Path] {
				continue
			}
			if p.annotated() || p.isLocal() || slices.ContainsFunc(p.listed.Imports,
				func(path string) bool { return leads[path] }) {
				leads[p.Path] = true
				changed = true
			}
		}
	}
	return leads
}

// sort puts packages that are read from source after those that they need.
func (l *loader) sort() {
	var out []*node
	seen := map[*node]bool{}
	var visit func(p *node)
	visit = func(p *node) {
		if p == nil || seen[p] {
			return
		}
		seen[p] = true
		for _, path := range slices.Sorted(maps.Keys(p.needs)) {
			visit(l.pkgs[path])
		}
		out = append(out, p)
	}
	for _, p := range l.order {
		visit(p)
	}
	l.order = out
}

// expand marks the packages of todo, and those in leads that they refer to, as
// read from source. It returns all other imports that they refer to.
func (l *loader) expand(todo []*node, leads map[string]bool) ([]string, error) {
	var wanted []string
	for len(todo) > 0 {
		p := todo[0]
		todo = todo[1:]
		if p.fromSource {
			continue
		}
		p.fromSource = true
		if err := l.parse(p); err != nil {
			return nil, err
		}
		if err := l.addStub(p); err != nil {
			return nil, err
		}
		p.needs = l.needs(p)
		for path := range p.needs {
			if q := l.pkgs[path]; q != nil && leads[path] {
				todo = append(todo, q)
			} else {
				wanted = append(wanted, path)
			}
		}
	}
	return wanted, nil
}

func (l *loader) addStub(p *node) error {
	if !p.annotated() || p.Vocabulary() || l.cfg.Stub == nil {
		return nil
	}
	src := l.cfg.Stub(p.Package)
	if src == nil {
		return nil
	}
	f, err := parser.ParseFile(l.fset, p.Output(""), src, parser.SkipObjectResolution)
	if err != nil {
		return fmt.Errorf("load: stub for %s: %w", p.Path, err)
	}
	p.stub = f
	return nil
}

// trees returns the files that are type-checked: the user's, then the stub, so
// that a name which both declare belongs to the user.
func (p *Package) trees() []*ast.File {
	var out []*ast.File
	for _, f := range p.Files {
		out = append(out, f.AST)
	}
	if p.stub != nil {
		out = append(out, p.stub)
	}
	return out
}

// needs returns the import paths, as they are after vendoring, that p mentions
// outside function bodies.
func (l *loader) needs(p *node) map[string]bool {
	out := map[string]bool{}
	for _, f := range p.trees() {
		used := mentioned(f)
		for _, spec := range f.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				continue
			}
			path = p.resolve(path)
			name := l.importName(spec, path)
			if name != "_" && (name == "." || name == "" || used[name]) {
				out[path] = true
			}
		}
	}
	return out
}

func (p *node) resolve(path string) string {
	if to := p.listed.ImportMap[path]; to != "" {
		return to
	}
	return path
}

// importName is the name under which a file uses an import, or "" if that is
// not known.
func (l *loader) importName(spec *ast.ImportSpec, path string) string {
	if spec.Name != nil {
		return spec.Name.Name
	}
	if q := l.pkgs[path]; q != nil {
		return q.Name
	}
	return ""
}

// mentioned returns the names before a dot outside function bodies. It may
// return too many: a name may turn out to be a variable.
func mentioned(f *ast.File) map[string]bool {
	used := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			return false
		case *ast.SelectorExpr:
			if id, ok := n.X.(*ast.Ident); ok {
				used[id.Name] = true
			}
		}
		return true
	})
	return used
}
