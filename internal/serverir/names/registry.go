package names

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/serverir/gotype"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
)

// reserved are the methods of the runtime's server that a generated method would hide.
var reserved = []string{".ResourceUpdated", ".ResourceListChanged"}

// Predeclared are the names of Go itself that generated code uses.
var Predeclared = []string{
	"append", "bool", "byte", "error", "false", "float32", "float64", "int", "int16", "int32", "int64", "int8",
	"len", "make", "new", "nil", "string", "true", "uint", "uint16", "uint32", "uint64", "uint8",
}

// Registry remembers which declaration needs a generated name.
type Registry struct {
	*gotype.Scope
	// taken are the names of the package, for all of its servers.
	taken map[string]Claim
	// server is the name of the server at hand, and serverDecl the comment with its directive; nil without one.
	server     string
	serverDecl *load.Decl
	// methods are those of the type of the server; other names belong to the package.
	methods map[string]*load.Decl
}

// Claim is who needs a name of the package, and for which server. Servers share what is generated for one
// declaration.
type Claim struct {
	decl   *load.Decl
	server string
}

// NewRegistry returns the registry of the server called server, whose comment is decl. It shares taken with the other
// servers of the package.
func NewRegistry(s *gotype.Scope, taken map[string]Claim, server string, decl *load.Decl) *Registry {
	return &Registry{Scope: s, taken: taken, server: server, serverDecl: decl, methods: map[string]*load.Decl{}}
}

// Claim reserves generated names for d; nil is the server without a directive. A leading dot marks methods,
// which only clash with each other.
func (c *Registry) Claim(d *load.Decl, names ...string) {
	for _, name := range names {
		if name == "" || name == "." {
			continue
		}
		first, twice := c.first(name, d)
		mine := c.Declaration(name)
		switch plain := strings.TrimPrefix(name, "."); {
		case mine != nil && mine.Pkg() != c.Pkg.Types:
			c.clash(d, fmt.Sprintf("generated name `%s` clashes with what a file imports with a dot from %q", plain,
				mine.Pkg().Path()))
			return
		case mine != nil:
			c.clash(d, fmt.Sprintf("generated name `%s` clashes with a declaration of yours", plain),
				c.Related(mine.Pos(), mine.Pos()+token.Pos(len(mine.Name())), "declared here"))
		case slices.Contains(reserved, name):
			c.clash(d, fmt.Sprintf("generated method `%s` would hide one that the server has already", plain))
		case twice:
			c.needed(d, first, plain)
			return // one is enough: renaming cures all
		default:
			c.take(name, d)
		}
	}
}

// needed reports a generated name that two features want.
func (c *Registry) needed(d, first *load.Decl, name string) {
	from, to := c.position(first)
	related := c.Related(from, to, "first needed here")
	if d == nil || first == nil || d.Name == "" || first.Name == "" {
		c.clash(d, fmt.Sprintf("generated name `%s` is needed twice", name), related)
		return
	}
	message := fmt.Sprintf("generated name `%s` is needed by `%s` and by `%s`", name, declared(first), declared(d))
	other := apart(d)
	if first.Name != d.Name || other == "" {
		c.clash(d, message, related)
		return
	}
	end := d.Primary.End
	c.Report("MCP803", d.Primary.Pos, end, message, related, report.Fix("rename one of them, or add name="+other))
}

// first is who needed name before d, if that is somebody else.
func (c *Registry) first(name string, d *load.Decl) (first *load.Decl, twice bool) {
	if name[0] == '.' {
		first, twice = c.methods[name]
		return first, twice
	}
	other, twice := c.taken[name]
	return other.decl, twice && (other.decl != d || other.server == c.server)
}

func (c *Registry) take(name string, d *load.Decl) {
	if name[0] == '.' {
		c.methods[name] = d
		return
	}
	c.taken[name] = Claim{d, c.server}
}

func (c *Registry) clash(d *load.Decl, message string, options ...func(*diag.Diagnostic)) {
	better := "rename one of them"
	if d == c.serverDecl {
		better += ", or give the server another name with //mcp:server name=…"
	}
	from, to := c.position(d)
	c.Report("MCP803", from, to, message, append(options, report.Fix(better))...)
}

// position is the directive of d, or the package clause if there is none.
func (c *Registry) position(d *load.Decl) (from, to token.Pos) {
	if d == nil {
		return c.PackageName()
	}
	return d.Primary.Pos, d.Primary.End
}
