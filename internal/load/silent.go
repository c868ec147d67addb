package load

import (
	"go/parser"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/diag"
)

// silent reports MCP811 for packages that were named, not only matched by a pattern with dots, and that have no
// directive: an error if nothing else was asked for. A package whose output is left over is about to lose it, and a
// package with a diagnostic has been spoken of.
func (l *loader) silent() error {
	l.nothing()
	for _, p := range l.order {
		if !p.Target || p.annotated() || p.outputs != nil || !slices.ContainsFunc(p.listed.Match, isNamed) || l.spokenOf(p) {
			continue
		}
		why, fix := l.whySilent(p)
		path := filepath.Join(p.Dir, slices.Min(p.listed.Files()))
		f, err := parser.ParseFile(l.fset, path, nil, parser.PackageClauseOnly)
		if err != nil {
			continue // the compiler says so
		}
		d := diag.New("MCP811", diag.PosOf(l.fset, f.Name.Pos(), f.Name.End()),
			"package `%s` %s, so nothing is generated for it", p.Path, why)
		d.Fix = fix
		if len(l.cfg.Patterns) < 2 {
			d.Severity = diag.Error
		}
		l.diags.Add(d)
	}
	return nil
}

// nothing reports that no package at all has a directive, although patterns with dots match some. Named packages have
// reports of their own.
func (l *loader) nothing() {
	for _, p := range l.order {
		if p.Target && (p.annotated() || p.outputs != nil || l.spokenOf(p) || slices.ContainsFunc(p.listed.Match, isNamed)) {
			return
		}
	}
	d := diag.New("MCP811", diag.Pos{}, "no package that %s matches has a directive, so nothing is generated",
		strings.Join(l.cfg.Patterns, " "))
	d.Fix = "write //mcp:tool or //mcp:resource above a function, or run mcpgen in another module"
	l.diags.Add(d)
}

// whySilent says why nothing is generated for a package, and what to do.
func (l *loader) whySilent(p *node) (why, fix string) {
	switch {
	case !p.isLocal() && p.Module == "":
		return "belongs to Go itself", "name a package of this module"
	case !p.isLocal():
		return "belongs to the module " + p.Module, "run mcpgen in the folder of that module"
	case len(p.listed.Files()) == len(p.listed.IgnoredGoFiles):
		return "has no file in this build", "remove the build constraint of a file, or name another package"
	}
	return "has no directive", "write //mcp:tool or //mcp:resource above a function, or name another package"
}

// isNamed reports whether a pattern stands for one package.
func isNamed(pattern string) bool {
	switch pattern {
	case "all", "cmd", "std", "tool", "work":
		return false
	}
	return !strings.Contains(pattern, "...")
}

// spokenOf reports whether there is a diagnostic about a file of p.
func (l *loader) spokenOf(p *node) bool {
	return slices.ContainsFunc(l.diags.Sorted(), func(d diag.Diagnostic) bool { return filepath.Dir(d.Pos.File) == p.Dir })
}
