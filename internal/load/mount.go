package load

import (
	"path"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/directive"
)

// MountPath returns the import path of a mounted package, as item in a server directive of p names it. server is the
// part behind a #, if there is one.
func (p *Package) MountPath(item string) (importPath, server string) {
	if _, path, ok := strings.Cut(item, "="); ok { // behind the prefix of names
		item = path
	}
	importPath, server, _ = strings.Cut(item, "#")
	if importPath == "." || strings.HasPrefix(importPath, "./") || strings.HasPrefix(importPath, "../") {
		importPath = path.Join(p.Path, importPath)
	}
	return importPath, server
}

// mounts loads the packages that servers mount, which nothing else may import, and those that these mount in turn.
func (l *loader) mounts() error {
	for todo := l.order; len(todo) > 0; {
		var wanted []string
		for _, p := range todo {
			if p.Target || p.mounted {
				p.eachMount(func(path string, _ *directive.Arg) { wanted = append(wanted, path) })
			}
		}
		fresh, err := l.mountAll(wanted)
		if err != nil {
			return err
		}
		todo = fresh
	}
	return nil
}

// eachMount calls f for the import paths of the packages that the servers of p mount, and the argument that names each.
func (p *Package) eachMount(f func(importPath string, arg *directive.Arg)) {
	for _, d := range p.Decls {
		for _, spec := range Refinements[*directive.Server](d) {
			for _, item := range spec.Mount.V {
				importPath, _ := p.MountPath(item.V)
				f(importPath, item.Arg)
			}
		}
	}
}

// mountAll marks packages as mounted and returns those that were not before. A path that the go command does not take
// for one package counts as a package that does not exist.
func (l *loader) mountAll(paths []string) (fresh []*node, err error) {
	var unknown []string
	for _, path := range paths {
		if l.pkgs[path] == nil && l.missing[path] == "" && isImportPath(path) && !slices.Contains(unknown, path) {
			unknown = append(unknown, path)
		}
	}
	added, err := l.more(l.ctx, unknown)
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		p := l.pkgs[path]
		if p == nil || p.mounted {
			continue
		}
		p.mounted = true
		fresh = append(fresh, p)
	}
	// Packages of other modules are read only because they are mounted.
	for _, p := range fresh {
		if !p.isLocal() && !slices.Contains(added, p) {
			added = append(added, p)
		}
	}
	if err := l.scanAll(added); err != nil {
		return nil, err
	}
	return fresh, l.annotateAll(added)
}

// isImportPath reports whether the go command would take a text for one package, rather than for a pattern or for
// something that is no argument.
func isImportPath(s string) bool {
	return s != "" && isNamed(s) && !strings.ContainsFunc(s, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("-._~+/", r))
	})
}
