package directive

import (
	"embed"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"sync"
)

// The directive structs are their own documentation, so the binary carries their
// source.
//
//go:embed features.go events.go apps.go extensions.go refinements.go
var definitionSource embed.FS

// docs maps "Type" and "Type.Field" to doc comments.
var docs = sync.OnceValue(func() map[string]string {
	out := map[string]string{}
	for _, name := range []string{"features.go", "events.go", "apps.go", "extensions.go", "refinements.go"} {
		src, err := definitionSource.ReadFile(name)
		if err != nil {
			panic("directive: embedded file is missing: " + err.Error())
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, src, parser.ParseComments)
		if err != nil {
			panic("directive: embedded file does not parse: " + err.Error())
		}
		ast.Inspect(f, func(n ast.Node) bool { return collectDocs(n, out) })
	}
	return out
})

func collectDocs(n ast.Node, out map[string]string) bool {
	decl, ok := n.(*ast.GenDecl)
	if !ok || decl.Tok != token.TYPE {
		return true
	}
	spec := decl.Specs[0].(*ast.TypeSpec)
	out[spec.Name.Name] = flat(decl.Doc)
	for _, f := range spec.Type.(*ast.StructType).Fields.List {
		for _, name := range f.Names {
			out[spec.Name.Name+"."+name.Name] = flat(f.Doc)
		}
	}
	return false
}

func flat(doc *ast.CommentGroup) string { return strings.Join(strings.Fields(doc.Text()), " ") }

// Doc is what the directive does, in one paragraph. The name of its struct, which
// begins the Go comment, is replaced by the directive.
func (v *Definition) Doc() string {
	return v.Name + strings.TrimPrefix(docs()[v.typ.Name()], v.typ.Name())
}

// OptionDoc is what option k of the directive means, in one paragraph.
func (v *Definition) OptionDoc(k *Option) string {
	f := v.typ.FieldByIndex(k.index)
	owner := v.typ
	if len(k.index) > 1 {
		owner = v.typ.FieldByIndex(k.index[:len(k.index)-1]).Type
	}
	return k.Name + strings.TrimPrefix(docs()[owner.Name()+"."+f.Name], f.Name)
}
