package annotate

import (
	"fmt"
	"go/build/constraint"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/load/source"
)

// leftOut reports MCP808 for directives in a file that is not part of every build. The output is part of every build,
// so it cannot mention what the file declares, even if this build has the file. It returns whether the file is such a
// one.
func (a *attacher) leftOut() bool {
	why, from, to := constrained(a.file)
	if why == "" {
		return false
	}
	var first *directive.Directive
	for _, g := range a.file.AST.Comments {
		if dirs := a.directives(g); len(dirs) > 0 && first == nil {
			first = dirs[0]
		}
	}
	if first == nil {
		return true
	}
	d := diag.New("MCP808", diag.PosOf(a.fset, from, to), "`%s` has directives but is not built everywhere: %s",
		filepath.Base(a.file.Path), why)
	d.Related = []diag.Related{{Pos: diag.PosOf(a.fset, first.Pos, first.End), Message: "the first of them"}}
	d.Fix = "move the annotated declarations to a file without constraints"
	a.out.Add(d)
	return true
}

// constrained says why a file is not part of every build, and where the file says so; "" if it is.
func constrained(f *source.File) (why string, from, to token.Pos) {
	for _, g := range f.AST.Comments {
		for _, c := range g.List {
			if c.Pos() < f.AST.Package && constraint.IsGoBuild(c.Text) && !always(c.Text) {
				return "it has a build constraint", c.Pos(), c.End()
			}
		}
	}
	name, _, _ := strings.Cut(filepath.Base(f.Path), ".")
	parts := strings.Split(strings.TrimSuffix(name, "_test"), "_")
	if last := parts[len(parts)-1]; len(parts) > 1 && slices.Contains(systems, last) {
		return fmt.Sprintf("its name ends in _%s", last), f.AST.Name.Pos(), f.AST.Name.End()
	}
	for _, spec := range f.AST.Imports {
		if spec.Path.Value == `"C"` {
			return "it uses cgo", spec.Pos(), spec.End()
		}
	}
	return "", 0, 0
}

// maxTags is the number of tags for which all combinations are tried.
const maxTags = 8

// always reports whether a constraint holds in every build that our own output allows: the tags of Go versions up to
// that of this module are set, and any others may be.
func always(line string) bool {
	x, err := constraint.Parse(line)
	if err != nil {
		return false
	}
	var tags []string
	x.Eval(func(tag string) bool { // it asks for all tags, whatever the answers are
		if !oldEnough(tag) && !slices.Contains(tags, tag) {
			tags = append(tags, tag)
		}
		return false
	})
	if len(tags) > maxTags {
		return false
	}
	for set := range 1 << len(tags) {
		if !x.Eval(func(tag string) bool { return oldEnough(tag) || set>>slices.Index(tags, tag)&1 == 1 }) {
			return false
		}
	}
	return true
}

// oldestGo is the minor version of Go that the output needs at least.
const oldestGo = 26

// oldEnough reports whether a build tag is a Go version that every supported Go has.
func oldEnough(tag string) bool {
	minor, ok := strings.CutPrefix(tag, "go1.")
	n, err := strconv.Atoi(minor)
	return ok && err == nil && n <= oldestGo
}

// systems has the names of operating systems and processors that constrain a file if they are in its name.
var systems = []string{
	"aix", "android", "darwin", "dragonfly", "freebsd", "hurd", "illumos", "ios", "js", "linux", "nacl", "netbsd",
	"openbsd", "plan9", "solaris", "wasip1", "windows", "zos",
	"386", "amd64", "amd64p32", "arm", "arm64", "arm64be", "armbe", "loong64", "mips", "mips64", "mips64le", "mips64p32",
	"mips64p32le", "mipsle", "ppc", "ppc64", "ppc64le", "riscv", "riscv64", "s390", "s390x", "sparc", "sparc64", "wasm",
}
