package names

import (
	"go/token"

	"github.com/mcpgen/mcpgen/internal/goname"
	"github.com/mcpgen/mcpgen/internal/load"
)

// Base is what generated names for a feature begin with: its Go name. If a method of the same name on
// another receiver is a feature too, name= tells them apart.
func Base(pkg *load.Package, d *load.Decl) string {
	own := ownName(d)
	if d.Recv == "" || own == "" {
		return d.Name
	}
	for _, o := range pkg.Decls {
		if o != d && o.Name == d.Name && o.Recv != "" && namedApart(o) {
			return own
		}
	}
	return d.Name
}

// ownName is the name= of a feature as a Go name, or "".
func ownName(d *load.Decl) string {
	k, name := kindOf(d)
	if k == nil || !k.apart || name == "" || !token.IsIdentifier(goname.Of(name)) {
		return ""
	}
	return goname.UpperFirst(goname.Of(name))
}

// namedApart reports whether d declares a feature whose generated names name= changes.
func namedApart(d *load.Decl) bool {
	k, _ := kindOf(d)
	return k != nil && k.apart
}

// declared names a declaration with its receiver: Notes.Note.
func declared(d *load.Decl) string {
	if d.Recv == "" {
		return d.Name
	}
	return d.Recv + "." + d.Name
}

// apart suggests a name= for a method whose generated names another one has, or "".
func apart(d *load.Decl) string {
	if d.Recv == "" || !namedApart(d) || ownName(d) != "" {
		return ""
	}
	k, _ := kindOf(d)
	return goname.JoinLower(d.Recv, k.sep) + k.sep + goname.JoinLower(d.Name, k.sep)
}
