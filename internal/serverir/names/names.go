// Package names has the names of generated declarations, and reports those that are needed twice.
package names

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/goname"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
)

// ServerNamesOf are the names in the server directives, or the package name without any.
func ServerNamesOf(pkg *load.Package) []string {
	var names []string
	source.EachSpec(pkg, func(_ *load.Decl, spec *directive.Server) {
		if spec.Name.V != "" {
			names = append(names, spec.Name.V)
		}
	})
	if len(names) == 0 {
		names = []string{pkg.Name}
	}
	return names
}

// TypeName is the word for a server called name in the names of its types: Notes in NotesServer, also for
// a server called notes-server.
func TypeName(name string) string {
	full := goname.Of(name)
	return cmp.Or(strings.TrimSuffix(full, "Server"), full)
}

// Server are the names that a server called name needs.
func Server(name string) ir.ServerNames {
	up := TypeName(name)
	low := goname.Unexported(up)
	return ir.ServerNames{
		Type: up + "Server", Impl: up + "Impl", Middleware: up + "Middleware", New: "New" + up + "Server",
		Features: low + "Features", Route: "route" + up,
	}
}

// Template are the names that a template declared by the Go name base may need.
func Template(base string) ir.ResourceNames {
	up := goname.UpperFirst(base)
	low := goname.Unexported(up)
	return ir.ResourceNames{
		URI: up + "URI", Parse: "Parse" + up + "URI", Ref: up + "Ref",
		Vars: up + "Vars", ReadVars: "read" + up + "Vars", Topic: "topic" + up, Entry: low + "Entry", List: "list" + up,
		Read: "read" + up, Watch: "watch" + up,
	}
}

// Alias are the names for the n-th alias of what is declared by the Go name base.
func Alias(base string, n int) ir.ResourceNames {
	base += "Alias"
	if n > 0 {
		base += strconv.Itoa(n + 1)
	}
	names := Template(base)
	names.Ref, names.Entry, names.List = "", "", ""
	return names
}

// Struct are the names generated for a struct.
func Struct(base string, kind ir.StructKind, vars int) ir.StructNames {
	up := goname.UpperFirst(base)
	n := ir.StructNames{Contents: goname.Unexported(up) + "Contents"}
	switch kind {
	case ir.StructHolder:
		n.Keeper, n.New = up+"Holder", "New"+up+"Holder"
	case ir.StructStore:
		n.Keeper, n.New = up+"Store", "New"+up+"Store"
	default:
		n.Keeper, n.Watcher = up+"Source", up+"Watcher"
	}
	if vars > 1 && kind == ir.StructStore {
		n.Key = up + "Key"
	}
	return n
}
