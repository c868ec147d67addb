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
	for _, p := range l.order {
		if !p.Target || p.annotated || p.outputIsOurs || !slices.ContainsFunc(p.listed.Match, isNamed) || l.spokenOf(p) {
			continue
		}
		files := slices.Concat(p.listed.GoFiles, p.listed.CgoFiles, p.listed.TestGoFiles, p.listed.XTestGoFiles)
		if len(files) == 0 {
			continue
		}
		slices.Sort(files)
		path := filepath.Join(p.Dir, files[0])
		f, err := parser.ParseFile(l.fset, path, nil, parser.PackageClauseOnly)
		if err != nil {
			continue // the compiler says so
		}
		d := diag.New("MCP811", diag.PosOf(l.fset, f.Name.Pos(), f.Name.End()),
			"package `%s` has no directive, so nothing is generated for it", p.Path)
		d.Fix = "write //mcp:tool or //mcp:resource above a function, or name another package"
		if len(l.cfg.Patterns) < 2 {
			d.Severity = diag.Error
		}
		l.diags.Add(d)
	}
	return nil
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
func (l *loader) spokenOf(p *Package) bool {
	return slices.ContainsFunc(l.diags.Sorted(), func(d diag.Diagnostic) bool { return filepath.Dir(d.Pos.File) == p.Dir })
}
