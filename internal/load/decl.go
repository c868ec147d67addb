package load

import (
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"

	"github.com/mcpgen/mcpgen/internal/directive"
)

// Package is one Go package that was loaded from source.
type Package struct {
	// Path is the import path, Name the name in the package clauses, Dir the
	// absolute directory and Module the path of the module, if there is one.
	Path, Name, Dir, Module string
	// Target says that the package was matched by a pattern. Other packages are
	// here because an annotated one refers to them.
	Target bool
	// Files are sorted by name; our own output and tests are not among them.
	Files []*File
	// Decls are the annotated declarations: files by name, then by position.
	Decls []*Decl
	// Types and Info are the result of type-checking without function bodies.
	// They are present even if there were errors.
	Types *types.Package
	Info  *types.Info

	listed       *listed
	annotated    bool
	mounted      bool // by a server of a target
	fromSource   bool
	needs        map[string]bool
	outputIsOurs bool
	stub         *ast.File
	errs         []types.Error
	docs         map[types.Object]*ast.CommentGroup
	enums        map[types.Object]bool       // see IsEnum
	foreign      map[foreignName]foreignDocs // comments, if it was not loaded from source; see foreignDoc
	nodes        map[types.Object]ast.Node
	users        [][]byte // see Mentions; nil before they are looked for
}

// Output is the absolute path of the generated file.
func (p *Package) Output() string { return filepath.Join(p.Dir, OutputName) }

// Test is the absolute path of the generated test.
func (p *Package) Test() string { return filepath.Join(p.Dir, TestName) }

// HasTest reports whether that file exists and is one of ours.
func (p *Package) HasTest() bool {
	text, err := os.ReadFile(p.Test())
	return err == nil && IsOurs(text)
}

// Vocabulary reports whether the directives of p only say what its types mean, so that nothing is generated for it.
func (p *Package) Vocabulary() bool {
	return p.annotated && !slices.ContainsFunc(p.Decls, func(d *Decl) bool {
		if d.Primary != nil {
			return d.Primary.Name != "enum" && d.Primary.Name != "type"
		}
		return d.Kind == directive.OnPackage || slices.ContainsFunc(d.Directives,
			func(dir *directive.Directive) bool { return dir.Name != "allow" })
	})
}

// Generated reports whether obj is declared by the stub, which means that it
// will be declared by the generated file. A name that the stub declares and for
// which Generated is false is taken by the user.
func (p *Package) Generated(obj types.Object) bool {
	return p.stub != nil && obj != nil && p.stub.FileStart <= obj.Pos() && obj.Pos() <= p.stub.FileEnd
}

// File is one parsed source file.
type File struct {
	// Path is absolute.
	Path string
	Src  []byte
	AST  *ast.File

	err error // of parsing
}

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
	File  *File
	// Obj is what the declaration declares; nil for OnPackage.
	Obj types.Object
	// Embed has the patterns of //go:embed lines.
	Embed []string
	// Text is the initial value of a string or []byte variable or constant, if it
	// is known at compile time; HasText tells "" from unknown.
	Text    string
	HasText bool
}

// Refinements returns the specs of the directives of type T, in order: for
// example Modifiers[*directive.Icon](d). Directives with mistakes are left out.
func Refinements[T any](d *Decl) []T {
	var out []T
	for _, dir := range d.Directives {
		if s, ok := dir.Spec.(T); ok && !dir.Bad {
			out = append(out, s)
		}
	}
	return out
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
