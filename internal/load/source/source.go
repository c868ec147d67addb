// Package source reads the Go files of a package: those of the user, and those that the generator has written itself,
// which count for nothing.
package source

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"unicode"
)

// File is one parsed source file.
type File struct {
	// Path is absolute.
	Path string
	Src  []byte
	// AST is nil until the file is parsed.
	AST *ast.File
	// Err is the error of parsing; the tree is there all the same.
	Err error
}

// Parse fills AST and Err. It goes on as far as syntax errors allow; of a text that is no Go at all the parser makes a
// file without declarations.
func (f *File) Parse(fset *token.FileSet) {
	f.AST, f.Err = parser.ParseFile(fset, f.Path, f.Src,
		parser.ParseComments|parser.AllErrors|parser.SkipObjectResolution)
}

// Line returns the source from pos to the end of the line. The parser drops
// carriage returns from comments, which would shift columns.
func (f *File) Line(pos token.Pos) string {
	src := f.Src[int(pos-f.AST.FileStart):]
	if i := bytes.IndexByte(src, '\n'); i >= 0 {
		src = src[:i]
	}
	return string(bytes.TrimSuffix(src, []byte("\r")))
}

// WordEnd returns where the identifier or string at pos ends; false if pos is in another file.
func (f *File) WordEnd(pos token.Pos) (token.Pos, bool) {
	if pos < f.AST.FileStart || f.AST.FileEnd < pos {
		return token.NoPos, false
	}
	src := string(f.Src[pos-f.AST.FileStart:])
	var n int
	if rest, isText := strings.CutPrefix(src, `"`); isText {
		n = 1 + strings.IndexByte(rest, '"') + 1
	} else {
		n = strings.IndexFunc(src, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	}
	return pos + token.Pos(max(n, 1)), true
}

// Read returns the text of a file.
func Read(path string) ([]byte, error) {
	src, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("load: %w", err)
	}
	return src, nil
}
