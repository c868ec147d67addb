package serverir

import (
	"go/token"
	"strings"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/goname"
	"github.com/mcpgen/mcpgen/internal/load"
)

// baseName is what generated names for a feature begin with: its Go name. If a method of the same name on
// another receiver is a feature too, name= tells them apart.
func baseName(pkg *load.Package, d *load.Decl) string {
	own := ownName(d)
	if d.Recv == "" || own == "" {
		return d.Name
	}
	for _, o := range pkg.Decls {
		if o != d && o.Name == d.Name && o.Recv != "" && isFeature(o) {
			return own
		}
	}
	return d.Name
}

// base is baseName for a resource.
func (b *serverBuilder) base(r *resource) string { return baseName(b.whole.pkg, r.decl) }

// ownName is the name= of a feature as a Go name, or "".
func ownName(d *load.Decl) string {
	if d.Primary == nil {
		return ""
	}
	name := ""
	switch spec := d.Primary.Spec.(type) {
	case *directive.Resource:
		name = spec.Name.V
	case *directive.Tool:
		name = spec.Name.V
	}
	if name == "" || !token.IsIdentifier(goname.Of(name)) {
		return ""
	}
	return upperFirst(goname.Of(name))
}

func isFeature(d *load.Decl) bool {
	if d.Primary == nil {
		return false
	}
	switch d.Primary.Spec.(type) {
	case *directive.Resource, *directive.Tool:
		return true
	}
	return false
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
	if d.Recv == "" || !isFeature(d) || ownName(d) != "" {
		return ""
	}
	sep := "-"
	if _, tool := d.Primary.Spec.(*directive.Tool); tool {
		sep = "_"
	}
	return strings.Join([]string{joinLower(d.Recv, sep), joinLower(d.Name, sep)}, sep)
}
