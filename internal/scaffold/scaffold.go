// Package scaffold writes the files of a new server: a package with one resource, its program and its
// test.
package scaffold

import (
	"embed"
	"errors"
	"fmt"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/internal/build"
)

//go:embed files
var files embed.FS

// Module is the import path of mcpgen itself.
const Module = "github.com/mcpgen/mcpgen"

// Options says what to write.
type Options struct {
	// Dir is the folder of the new package. It must be empty or not exist.
	Dir string
	// Import is the import path that the package will have.
	Import string
	// NewModule says that a go.mod is wanted too, and Checkout is the folder of mcpgen that it shall
	// use in place of a released version; empty for none.
	NewModule bool
	Checkout  string
}

// majorVersion is the last element of the path of a module from its second major version on.
var majorVersion = regexp.MustCompile(`/v[0-9]+$`)

// imported are names that the files import, so that no package of ours can have them.
var imported = []string{"context", "fmt", "fs", "iter", "json", "log", "mcp", "mcptest", "protocol", "stdio", "testing", "time", "wire"}

// Name is the name of the package, made from the last element of its import path that is not a version.
func (o Options) Name() string {
	base := strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return unicode.ToLower(r)
		}
		return -1
	}, path.Base(majorVersion.ReplaceAllString(o.Import, "")))
	base = strings.TrimLeft(base, "0123456789")
	switch {
	case base == "" || base == "main" || token.IsKeyword(base):
		return "server"
	case slices.Contains(imported, base) || types.Universe.Lookup(base) != nil:
		return base + "server"
	}
	return base
}

// Write writes the files and returns their paths. Nothing that exists is touched.
func Write(o Options) ([]string, error) {
	if err := mustBeEmpty(o.Dir); err != nil {
		return nil, err
	}
	name := o.Name()
	fill := strings.NewReplacer("PKG", name, "NAME", name, "TYPE", build.TypeName(name), "IMPORT", o.Import)
	wanted := []struct{ from, to string }{
		{"server.go.tmpl", name + ".go"},
		{"server_test.go.tmpl", name + "_test.go"},
		{"main.go.tmpl", filepath.Join("cmd", name, "main.go")},
	}
	var written []string
	for _, w := range wanted {
		text, err := files.ReadFile("files/" + w.from)
		if err != nil {
			return nil, err
		}
		file := filepath.Join(o.Dir, w.to)
		if err := writeNew(file, fill.Replace(string(text))); err != nil {
			return written, err
		}
		written = append(written, file)
	}
	if o.NewModule {
		file := filepath.Join(o.Dir, "go.mod")
		if err := writeNew(file, o.goMod()); err != nil {
			return written, err
		}
		written = append(written, file)
	}
	return written, nil
}

// goMod declares mcpgen as a tool, so that "go tool mcpgen" runs the version that the code is built with.
func (o Options) goMod() string {
	var b strings.Builder
	fmt.Fprintf(&b, "module %s\n\ngo 1.26.0\n\ntool %s/cmd/mcpgen\n", o.Import, Module)
	if o.Checkout != "" {
		folder := o.Checkout
		if strings.ContainsAny(folder, " \t\"'`,()[]{}") {
			folder = strconv.Quote(folder)
		}
		fmt.Fprintf(&b, "\nrequire %s v0.0.0\n\nreplace %s => %s\n", Module, Module, folder)
	}
	return b.String()
}

func mustBeEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if len(entries) > 0 {
		return fmt.Errorf("%s is not empty; name a new folder", dir)
	}
	return nil
}

func writeNew(file, text string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}
