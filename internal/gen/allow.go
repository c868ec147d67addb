package gen

import (
	"slices"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/serverir"
)

// missingFile is the code of the diagnostic for an embedded file that does not exist. Whether the file exists depends
// on earlier builds, so an allow line for it may suppress nothing at times.
const missingFile = "MCP614"

// allowance is one allow line and where it holds.
type allowance struct {
	dir  *directive.Directive
	code string
	// within are the places where it holds; a place without lines is a whole folder.
	within []span
	used   bool
}

// span is a range of lines of a file, or a package.
type span struct {
	file     string
	from, to int
	pkg      *load.Package
}

func (s span) has(p diag.Pos) bool {
	if s.pkg != nil {
		return slices.ContainsFunc(s.pkg.Files, func(f *load.File) bool { return f.Path == p.File })
	}
	return p.File == s.file && s.from <= p.Line && p.Line <= s.to
}

// applyAllows returns the list without what allow lines suppress: one code each, on the declaration
// below, or on all methods of a receiver type, or in the whole package if it stands with the server
// directive. Errors are never suppressed. Lines that suppress nothing are reported, unless errors may
// have kept the generator from what they are about.
func applyAllows(loaded *load.Result, all *diag.List) *diag.List {
	allows := allowances(loaded)
	out := new(diag.List)
	for _, d := range all.Sorted() {
		if d.Severity == diag.Error || !suppressed(allows, d) {
			out.Add(d)
		}
	}
	if out.HasErrors() {
		return out
	}
	for _, a := range allows {
		if !a.used {
			out.Add(unusedAllow(loaded, a))
		}
	}
	return out
}

func suppressed(allows []*allowance, d diag.Diagnostic) bool {
	hit := false
	for _, a := range allows {
		if a.code == d.Code && slices.ContainsFunc(a.within, func(s span) bool { return s.has(d.Pos) }) {
			a.used, hit = true, true
		}
	}
	return hit
}

func allowances(loaded *load.Result) []*allowance {
	var out []*allowance
	for _, pkg := range loaded.Packages {
		for _, d := range pkg.Decls {
			for _, dir := range d.Directives {
				if spec, ok := dir.Spec.(*directive.Allow); ok && !dir.Bad {
					out = append(out, &allowance{dir: dir, code: spec.Code.V, within: spansOf(loaded, pkg, d),
						used: spec.Code.V == missingFile && len(d.Embed) > 0})
				}
			}
		}
	}
	return out
}

// spansOf returns the places that belong to a declaration.
func spansOf(loaded *load.Result, pkg *load.Package, d *load.Decl) []span {
	if d.Kind == directive.OnPackage {
		return packageSpans(loaded, pkg, d)
	}
	out := []span{spanOf(loaded, d)}
	if d.Primary != nil {
		return out
	}
	for _, o := range pkg.Decls {
		if o.Recv == d.Name {
			out = append(out, spanOf(loaded, o))
		}
	}
	return out
}

// spanOf are the lines of a declaration, from its first directive to its end.
// packageSpans are the places that the comment of a server speaks for: the package, or what the server offers
// if there are several.
func packageSpans(loaded *load.Result, pkg *load.Package, own *load.Decl) []span {
	if own.Primary == nil {
		return []span{{pkg: pkg}}
	}
	offered := serverir.Offered(pkg, own)
	if len(offered) == len(pkg.Decls) {
		return []span{{pkg: pkg}}
	}
	var out []span
	for _, d := range offered {
		if d.Node != nil {
			out = append(out, spanOf(loaded, d))
		}
	}
	return out
}

func spanOf(loaded *load.Result, d *load.Decl) span {
	from := min(d.Directives[0].Pos, d.Node.Pos())
	for _, p := range d.Embed { // they stand above it
		from = min(from, p.From)
	}
	return span{file: d.File.Path, from: loaded.Fset.PositionFor(from, false).Line,
		to: loaded.Fset.PositionFor(d.Node.End(), false).Line}
}

func unusedAllow(loaded *load.Result, a *allowance) diag.Diagnostic {
	d := diag.New("MCP802", diag.PosOf(loaded.Fset, a.dir.Pos, a.dir.End), "`allow %s` suppresses nothing", a.code)
	d.Fix = "delete the line" // by hand: it holds a reason that somebody wrote
	return d
}
