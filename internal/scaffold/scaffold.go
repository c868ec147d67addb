// Package scaffold writes the files of a new server: a package with one resource, its program and its
// test.
package scaffold

import (
	"embed"
	"errors"
	"fmt"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/internal/serverir/names"
	"github.com/mcpgen/mcpgen/internal/version"
)

//go:embed files
var files embed.FS

// Module is the import path of mcpgen itself.
const Module = version.Module

// Options says what to write.
type Options struct {
	// Dir is the folder of the new package. It must be empty or not exist.
	Dir string
	// Import is the import path that the package will have.
	Import string
	// NewModule says that a go.mod is wanted too. Checkout is the absolute path of the folder of mcpgen that it uses in
	// place of a released version, empty for none, and Replace how go.mod names that folder; empty means as Checkout.
	NewModule         bool
	Checkout, Replace string
}

// majorVersion is the last element of the path of a module from its second major version on.
var majorVersion = regexp.MustCompile(`/v[0-9]+$`)

// taken are names that the files import or declare, so that no package of ours can have them.
var taken = []string{
	"c", "context", "err", "flag", "fmt", "fs", "got", "iter", "json", "log", "mcp", "mcptest", "now", "protocol", "srv",
	"stdio", "t",
	"testing", "time", "want", "wire",
}

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
	case slices.Contains(taken, base) || types.Universe.Lookup(base) != nil:
		return base + "server"
	}
	return base
}

// Write writes the files, lets generate add to them, and returns the paths of all. It is all or nothing: the files are
// made in a folder beside their place, where generate sees them too and names the files that it adds; only then do they
// go to their place, and nothing that exists is touched. What a call that was killed has left goes with the next one.
func Write(o Options, generate func(dir string) (added []string, err error)) (written []string, err error) {
	exists, err := mustBeEmpty(o.Dir)
	if err != nil {
		return nil, err
	}
	s, err := newStage(o.Dir, exists)
	if err != nil {
		return nil, err
	}
	defer s.undo()
	list, err := o.fill(s.files())
	if err != nil {
		return nil, err
	}
	added, err := generate(s.files())
	if err != nil {
		return nil, err
	}
	if o.NewModule && o.Replace != "" { // a relative path holds in the place of the files only
		if err := os.WriteFile(filepath.Join(s.files(), "go.mod"), []byte(o.goMod(o.Replace)), 0o666); err != nil {
			return nil, err
		}
	}
	base, err := filepath.Abs(s.files())
	if err != nil {
		return nil, err
	}
	for _, file := range append(list, added...) {
		abs, err := filepath.Abs(file)
		if err != nil {
			return nil, err
		}
		rel, err := filepath.Rel(base, abs)
		if err != nil {
			return nil, err
		}
		written = append(written, filepath.Join(o.Dir, rel))
	}
	if err := s.commit(); err != nil {
		return nil, err
	}
	return written, nil
}

// fill writes the files into dir.
func (o Options) fill(dir string) (written []string, err error) {
	name := o.Name()
	replace := strings.NewReplacer("PKG", name, "NAME", name, "TYPE", names.TypeName(name), "IMPORT", o.Import)
	texts := map[string]string{}
	var order []string
	for _, w := range []struct{ from, to string }{
		{"server.go.tmpl", name + ".go"},
		{"server_test.go.tmpl", name + "_test.go"},
		{"clock.txtar.tmpl", filepath.Join("testdata", "clock.txtar")},
		{"main.go.tmpl", filepath.Join("cmd", name, "main.go")},
	} {
		text, err := files.ReadFile("files/" + w.from)
		if err != nil {
			return nil, err
		}
		order, texts[w.to] = append(order, w.to), replace.Replace(string(text))
	}
	if o.NewModule {
		order, texts["go.mod"] = append(order, "go.mod"), o.goMod(o.Checkout)
	}
	for _, to := range order {
		file := filepath.Join(dir, to)
		if err := writeNew(file, texts[to]); err != nil {
			return nil, err
		}
		written = append(written, file)
	}
	return written, nil
}

// goMod declares mcpgen as a tool, so that "go tool mcpgen" runs the version that the code is built with. Without a
// folder, it requires the version that runs, if that was released.
func (o Options) goMod(folder string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "module %s\n\ngo 1.26.0\n\ntool %s/cmd/mcpgen\n", o.Import, Module)
	switch {
	case folder == "" && version.Released():
		fmt.Fprintf(&b, "\nrequire %s %s\n", Module, version.Version)
	case folder != "":
		if strings.ContainsAny(folder, " \t\"'`,()[]{}") {
			folder = strconv.Quote(folder)
		}
		fmt.Fprintf(&b, "\nrequire %s v0.0.0\n\nreplace %s => %s\n", Module, Module, folder)
	}
	return b.String()
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
