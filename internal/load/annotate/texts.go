package annotate

import (
	"errors"
	"go/token"
	"io/fs"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/internal/diag"
)

// ReadTexts reads the texts that are written as @path. The directory of the package is opened as a root, so that not
// even a symbolic link leads outside.
func ReadTexts(fset *token.FileSet, dir string, decls []*Decl, out *diag.List) {
	for _, d := range decls {
		for _, line := range d.Directives {
			for _, t := range line.Texts() {
				text, err := readText(dir, t.File)
				if err == nil {
					t.V = text
					continue
				}
				line.Bad = true
				g := diag.New("MCP112", diag.PosOf(fset, t.Arg.ValuePos(), t.Arg.ValueEnd()), "cannot use `@%s`: %v", t.File, err)
				g.Fix = "name a text file inside the package"
				out.Add(g)
			}
		}
	}
}

// readText returns the file with line ends as on Unix and without the last one,
// so that a checkout on another system gives the same output.
func readText(dir, file string) (string, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", plain(err)
	}
	defer root.Close()
	raw, err := root.ReadFile(file)
	if err != nil {
		return "", plain(err)
	}
	if !utf8.Valid(raw) {
		return "", errors.New("it is not UTF-8 text")
	}
	return strings.TrimRight(strings.ReplaceAll(string(raw), "\r\n", "\n"), "\n"), nil
}

// plain removes from an error what differs between machines.
func plain(err error) error {
	var pe *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("there is no such file in the package")
	case errors.As(err, &pe):
		return pe.Err
	}
	return err
}
