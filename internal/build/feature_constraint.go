package build

import (
	"fmt"
	"go/build/constraint"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/load"
)

// constraints reports files with directives that are not part of every build: the output, which is,
// could not compile where they are left out.
func (b *features) constraints() {
	var seen []*load.File
	for _, d := range b.pkg.Decls {
		if slices.Contains(seen, d.File) {
			continue
		}
		seen = append(seen, d.File)
		if why, from, to := constrained(d.File); why != "" {
			b.report("MCP808", from, to, fmt.Sprintf("`%s` has directives but is not built everywhere: %s", filepath.Base(d.File.Path), why),
				fix("move the annotated declarations to a file without constraints"))
		}
	}
}

// constrained returns why a file is not part of every build, and where it says so; "" if it is.
func constrained(f *load.File) (why string, from, to token.Pos) {
	for _, g := range f.AST.Comments {
		for _, c := range g.List {
			if c.Pos() < f.AST.Package && constraint.IsGoBuild(c.Text) {
				return "it has a build constraint", c.Pos(), c.End()
			}
		}
	}
	parts := strings.Split(strings.TrimSuffix(filepath.Base(f.Path), ".go"), "_")
	if last := parts[len(parts)-1]; len(parts) > 1 && slices.Contains(systems, last) {
		return fmt.Sprintf("its name ends in _%s", last), f.AST.Name.Pos(), f.AST.Name.End()
	}
	return "", 0, 0
}

// systems are the names of operating systems and processors that constrain a file by its name.
var systems = []string{
	"aix", "android", "darwin", "dragonfly", "freebsd", "hurd", "illumos", "ios", "js", "linux", "nacl", "netbsd",
	"openbsd", "plan9", "solaris", "wasip1", "windows", "zos",
	"386", "amd64", "amd64p32", "arm", "arm64", "arm64be", "armbe", "loong64", "mips", "mips64", "mips64le", "mips64p32",
	"mips64p32le", "mipsle", "ppc", "ppc64", "ppc64le", "riscv", "riscv64", "s390", "s390x", "sparc", "sparc64", "wasm",
}
