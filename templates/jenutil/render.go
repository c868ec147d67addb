package jenutil

import (
	"bytes"
	"fmt"
	"go/format"
	"go/parser"
	"go/token"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"
	"golang.org/x/tools/imports"
)

// File is one generated file.
type File struct {
	Name string // base name
	Data []byte
}

// Render renders and formats one file. Code that does not parse is a mistake in an
// emitter; the error shows the lines around it.
func Render(f *jen.File, name string) (File, error) {
	var raw bytes.Buffer
	if err := f.Render(&raw); err != nil {
		return File{}, fmt.Errorf("%s: %w", name, err)
	}
	src, err := groupImports(name, raw.Bytes())
	var data []byte
	if err == nil {
		if data, err = format.Source(src); err != nil {
			err = fmt.Errorf("%s:%w", name, err) // it says line and column only
		}
	}
	if err != nil {
		return File{}, fmt.Errorf("%s does not parse, which is a bug of mcpgen: %w\n%s", name, err, around(string(src), err))
	}
	return File{Name: name, Data: data}, nil
}

// groupImports puts a blank line between the imports of the standard library and others. It leaves the rest to be
// formatted once, which is most of the cost of a large file. With an error it returns src.
func groupImports(name string, src []byte) ([]byte, error) {
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, name, src, parser.ImportsOnly|parser.SkipObjectResolution)
	if err != nil || len(tree.Decls) == 0 {
		return src, err
	}
	end := fset.PositionFor(tree.Decls[len(tree.Decls)-1].End(), false).Offset
	head, err := imports.Process(name, src[:end], &imports.Options{FormatOnly: true, Comments: true, TabIndent: true,
		TabWidth: 8})
	if err != nil {
		return src, err
	}
	return slices.Concat(head, []byte("\n"), src[end:]), nil
}

// around returns numbered source lines around the position that a parse error names.
func around(src string, err error) string {
	var line int
	if _, at, ok := strings.Cut(err.Error(), ":"); ok {
		_, _ = fmt.Sscanf(at, "%d", &line)
	}
	var b strings.Builder
	for i, text := range strings.Split(src, "\n") {
		if n := i + 1; n >= line-5 && n <= line+5 {
			fmt.Fprintf(&b, "%5d\t%s\n", n, text)
		}
	}
	return b.String()
}
