package annotate

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/load/embedfile"
	"github.com/mcpgen/mcpgen/internal/load/source"
)

// Decl is one declaration with at least one directive.
type Decl struct {
	// Kind is one of the single targets of package directive. directive.OnPackage is a
	// package doc or a free comment with a server directive; it has no Node.
	Kind directive.Target
	// Name is the Go name, and Recv the name of the receiver's type for methods.
	Name, Recv string
	// RecvPointer says that the receiver is a pointer.
	RecvPointer bool
	// Doc is the doc comment without directives.
	Doc string
	// Directives has every directive in order, also those with mistakes.
	Directives []*directive.Directive
	// Primary is the directive that makes the feature. It is nil for refining directives on
	// a receiver type, which are defaults, and when the feature directive is missing
	// or unknown, which has been reported.
	Primary *directive.Directive
	// Node is the *ast.FuncDecl, *ast.TypeSpec or *ast.ValueSpec.
	Node ast.Node
	// Ident is the name in Node.
	Ident *ast.Ident
	File  *source.File
	// Obj is what the declaration declares; nil for OnPackage.
	Obj types.Object
	// Embed has the patterns of //go:embed lines.
	Embed []embedfile.Pattern
	// Text is the initial value of a string or []byte variable or constant, if it
	// is known at compile time; HasText tells "" from unknown.
	Text    string
	HasText bool
}

// Pos is where the declaration begins after its doc comment; for OnPackage it
// is the first directive.
func (d *Decl) Pos() token.Pos {
	if d.Node != nil {
		return d.Node.Pos()
	}
	return d.Directives[0].Pos
}

// Func is the declaration's function node, or nil.
func (d *Decl) Func() *ast.FuncDecl {
	f, _ := d.Node.(*ast.FuncDecl)
	return f
}

// String describes the declaration as its first line would, as in
// "func (s *Server) Note".
func (d *Decl) String() string {
	if d.Kind == directive.OnPackage {
		return "package comment"
	}
	return describe(d.Node, d.Kind)
}
