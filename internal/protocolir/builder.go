package protocolir

import (
	"path"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/goname"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/protocolir/comment"
	"github.com/mcpgen/mcpgen/internal/protocolir/extension"
	"github.com/mcpgen/mcpgen/internal/protocolir/merge"
	"github.com/mcpgen/mcpgen/internal/protocolir/merged"
	"github.com/mcpgen/mcpgen/internal/protocolir/revision"
	"github.com/mcpgen/mcpgen/schema"
)

// builder makes the IR of a merged protocol.
type builder struct {
	*merge.Result
	comments  *comment.Writer
	docs      *schema.Docs
	ex        *schema.Exceptions
	names     *nameTable
	goNames   map[string]string // by merged definition
	extension *extension.Joined // nil for the core
	reached   map[string]bool   // of an extension: what it adds and refers to
}

// newBuilder returns a builder for the merged protocol m. x is nil for the core.
func newBuilder(m *merge.Result, ex *schema.Exceptions, docs *schema.Docs, x *extension.Joined) *builder {
	b := &builder{Result: m, ex: ex, comments: &comment.Writer{}, docs: docs, goNames: map[string]string{}, extension: x}
	b.names = newNameTable(reservedNames...)
	if x != nil {
		b.names = newNameTable(slices.Concat(reservedNames, extensionNames)...)
	}
	b.keepNames()
	return b
}

// keepNames reserves all package-level names of the record, so that no new definition gets one of them.
func (b *builder) keepNames() {
	for _, t := range b.API.Types {
		b.names.keep(t.Go)
		for _, name := range t.Values {
			b.names.keep(name)
		}
		if t.Kind == revision.Union.String() {
			b.names.keep(t.Go, unionFunctions...)
		}
	}
	for _, x := range b.API.Methods {
		b.names.keep(x.Const)
		if name := replyName(x); name != "" {
			b.names.keep(name, replyFunctions...)
		}
	}
	for _, name := range b.API.Codes {
		b.names.keep(name)
	}
}

// claimType returns the Go name of a definition. A union needs the names of its functions too.
func (b *builder) claimType(d *merged.Def) string {
	var functions []string
	if d.Kind == revision.Union {
		functions = unionFunctions
	}
	return b.names.claimKept(b.API.Types[d.Name].Go, b.typeName(d.Name), "Type", functions...)
}

func (b *builder) typeRef(t *merged.Type) *ir.Type {
	out := &ir.Type{Kind: t.Kind, Name: b.goNames[t.Name], Many: t.Many, Null: t.Null, NullIn: t.NullIn}
	if t.Elem != nil {
		out.Elem = b.typeRef(t.Elem)
	}
	return out
}

// typeName returns the Go name for a definition that has none in the record, before collisions are resolved.
func (b *builder) typeName(name string) string {
	if short, ok := strings.CutPrefix(name, b.ex.Prefix); ok && short != "" {
		name = short
	}
	return goname.Of(name)
}

// restGroup names the file of the types that no group of the exceptions claims.
const restGroup = "base"

func (b *builder) group(name string) string {
	for _, g := range b.ex.Groups {
		for _, pattern := range g.Match {
			if ok, err := path.Match(pattern, name); ok && err == nil {
				return g.Name
			}
		}
	}
	if b.extension != nil {
		return "" // one file
	}
	return restGroup
}

// wanted reports whether the package declares a definition. The package of an extension declares what the extension
// adds, and definitions of the core that it changes.
func (b *builder) wanted(d *merged.Def) bool { return b.extension == nil || b.reached[d.Name] }
