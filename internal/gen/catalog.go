package gen

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/scratch"
	"github.com/mcpgen/mcpgen/internal/serverir/names"
	"github.com/mcpgen/mcpgen/internal/version"
)

// CatalogFunc is the name of the function that gives a catalog the values of a server. With several servers in
// a package the type name of the server follows: mcpCatalogNotes.
const CatalogFunc = "mcpCatalog"

// CatalogOptions says what Catalog asks.
type CatalogOptions struct {
	Options
	// New is the function that gives the values, instead of CatalogFunc.
	New string
	// Revisions are the dates of the revisions to ask in; none means all.
	Revisions []string
	// Timeout bounds the run of the user's code; it must be positive.
	Timeout time.Duration
}

// ErrCatalog is the error of user code that does not build, does not end, or fails. Its text is that of the go command
// or of the program.
var ErrCatalog = errors.New("the servers cannot be asked")

// catalogServer is one server of the temporary program.
type catalogServer struct {
	pkg    *ir.GoPackage
	server *ir.Server
	// impl is the function that gives the values, fails that it returns an error too; an empty impl means that
	// the zero value will do.
	impl  string
	fails bool
}

// Catalog builds a program of the packages outside of their folders, runs it, and returns what it says: JSON.
// Nothing is written into the packages; outputs that are stale or missing are made for the program only. When
// the result has errors nothing was run. Messages of the go command and of the program are in the error.
func Catalog(ctx context.Context, opts CatalogOptions) (text []byte, r *Result, err error) {
	r, loaded, err := run(ctx, opts.Options)
	if err != nil || r.Diags.HasErrors() {
		return nil, r, err
	}
	servers, err := catalogServers(loaded, r.Packages, opts.New)
	if err != nil {
		return nil, r, err
	}
	scratch.Sweep("")
	dir, err := scratch.MkdirTemp("", "mcpgen-catalog")
	if err != nil {
		return nil, r, err
	}
	defer dir.Remove() //nolint:errcheck // the next run removes it
	opts.say("building and running the servers")
	text, err = runCatalog(ctx, dir.Path, servers, r, opts)
	return text, r, err
}

// catalogServers finds the functions that give values to servers.
func catalogServers(loaded *load.Result, packages []*ir.GoPackage, name string) ([]catalogServer, error) {
	var out []catalogServer
	var missing []string
	for i, p := range packages {
		if p.Name == "main" {
			return nil, fmt.Errorf("%s: %w: a program cannot be imported; move its features to a package", p.Path, ErrCatalog)
		}
		for _, s := range p.Servers {
			c := catalogServer{pkg: p, server: s}
			scope := loaded.Packages[i].Types.Scope()
			if !c.find(scope, name) && needsValues(s) {
				missing = append(missing, fmt.Sprintf("%s: server %s needs values: %s", p.Path, s.Name, c.wanted(scope, name)))
			}
			out = append(out, c)
		}
	}
	if missing != nil {
		return nil, fmt.Errorf("%s\n%w", strings.Join(missing, "\n"), ErrCatalog)
	}
	return out, nil
}

// needsValues reports whether the constructor refuses the zero value.
func needsValues(s *ir.Server) bool {
	return slices.ContainsFunc(s.Receivers, func(r ir.Receiver) bool { return r.Pointer || r.Through != nil })
}

// names returns the names that the function for c may have, best first.
func (c *catalogServer) names(name string) []string {
	switch {
	case name != "":
		return []string{name}
	case len(c.pkg.Servers) == 1:
		return []string{CatalogFunc}
	}
	return []string{CatalogFunc + names.TypeName(c.server.Name)}
}

// find looks for a function without parameters that returns the values, with or without an error.
func (c *catalogServer) find(scope *types.Scope, name string) bool {
	for _, n := range c.names(name) {
		f, ok := scope.Lookup(n).(*types.Func)
		if !ok {
			continue
		}
		res := f.Signature().Results()
		if f.Signature().Params().Len() > 0 || res.Len() < 1 || res.Len() > 2 ||
			!isImpl(res.At(0).Type(), c.server.Names.Impl) {
			continue
		}
		c.impl, c.fails = n, res.Len() == 2
		return true
	}
	return false
}

// wanted returns the declaration that find would accept, for messages.
func (c *catalogServer) wanted(scope *types.Scope, name string) string {
	best, impl := c.names(name)[0], c.server.Names.Impl
	if f, ok := scope.Lookup(best).(*types.Func); ok {
		form := types.TypeString(f.Signature(), types.RelativeTo(f.Pkg()))
		return fmt.Sprintf("%s is %s, and has to be func() (%s, error); name another function with -new", best, form, impl)
	}
	return fmt.Sprintf("write func %s() (%s, error), or name a function with -new", best, impl)
}

func isImpl(t types.Type, name string) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Name() == name
}

// runCatalog builds the program in dir, with the outputs as they should be, and runs it.
func runCatalog(ctx context.Context, dir string, servers []catalogServer, r *Result, opts CatalogOptions) ([]byte,
	error) {
	replace := map[string]string{}
	put := func(path string, data []byte) error {
		file := filepath.Join(dir, fmt.Sprintf("f%d.go", len(replace)))
		replace[path] = file
		return os.WriteFile(file, data, 0o600)
	}
	var errs []error
	for _, f := range r.Files {
		errs = append(errs, put(f.Path, f.Data))
	}
	for _, path := range r.Orphans {
		replace[path] = "" // which hides it
	}
	byPackage := map[string][]catalogServer{}
	for _, s := range servers {
		byPackage[s.pkg.Dir] = append(byPackage[s.pkg.Dir], s)
	}
	for folder, list := range byPackage {
		errs = append(errs, put(filepath.Join(folder, "zz_mcpgen_catalog.go"), catalogExports(list)))
	}
	main := filepath.Join(servers[0].pkg.Dir, "zz_mcpgen_catalog", "main.go")
	errs = append(errs, put(main, catalogMain(servers)))
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	errs = append(errs, err, os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o600))
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	program, answer := filepath.Join(dir, "catalog.exe"), filepath.Join(dir, "answer.json")
	compile := exec.CommandContext(ctx, "go", "build", "-overlay="+filepath.Join(dir, "overlay.json"), "-o", program,
		"./zz_mcpgen_catalog")
	compile.Dir = servers[0].pkg.Dir
	compile.Env = append(os.Environ(), "GOTOOLCHAIN=local")
	if out, err := compile.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s%w", out, ErrCatalog)
	}
	ctx, cancel := context.WithTimeout(ctx, opts.Timeout)
	defer cancel()
	ask := exec.CommandContext(ctx, program, append([]string{answer}, opts.Revisions...)...)
	ask.Dir = opts.Dir
	ask.WaitDelay = time.Second // for what holds its output open
	out, err := ask.CombinedOutput()
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("%sno answer within %v: %w", out, opts.Timeout, ErrCatalog)
	case err != nil:
		return nil, fmt.Errorf("%s%w: %w", out, ErrCatalog, err)
	}
	return os.ReadFile(answer)
}

// catalogExports returns a file that is added to a package, to make its servers for the program.
func catalogExports(list []catalogServer) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n\nimport \"%s/mcp\"\n", list[0].pkg.Name, version.Module)
	for i, s := range list {
		n := s.server.Names
		fmt.Fprintf(&b, "\nfunc Zz_mcpgen_catalog_%d() (*mcp.Server, error) {\n", i)
		switch {
		case s.impl == "":
			fmt.Fprintf(&b, "\timpl := %s{}\n", n.Impl)
		case s.fails:
			fmt.Fprintf(&b, "\timpl, err := %s()\n\tif err != nil {\n\t\treturn nil, err\n\t}\n", s.impl)
		default:
			fmt.Fprintf(&b, "\timpl := %s()\n", s.impl)
		}
		fmt.Fprintf(&b, "\tsrv, err := %s(impl, nil)\n\tif err != nil {\n\t\treturn nil, err\n\t}\n", n.New)
		b.WriteString("\treturn srv.Server, nil\n}\n")
	}
	return []byte(b.String())
}

// catalogMain returns the main function of the program.
func catalogMain(servers []catalogServer) []byte {
	var imports, entries strings.Builder
	seen := map[string]int{}
	for _, s := range servers {
		path := s.pkg.Path
		k, again := seen[path]
		if !again {
			fmt.Fprintf(&imports, "\tp%d %q\n", len(seen), path)
		}
		at := slices.Index(keysInOrder(servers), path)
		fmt.Fprintf(&entries,
			"\t\t{Package: %q, Name: %q, New: func() (catalog.Server, error) { return p%d.Zz_mcpgen_catalog_%d() }},\n",
			path, s.server.Name, at, k)
		seen[path] = k + 1
	}
	return fmt.Appendf(nil, `package main

import (
	"context"
	"os"

	"%s/mcp/catalog"
%s)

func main() {
	os.Exit(catalog.Main(context.Background(), os.Args[1:], []catalog.Entry{
%s	}))
}
`, version.Module, imports.String(), entries.String())
}

// keysInOrder returns the import paths of servers, each once.
func keysInOrder(servers []catalogServer) []string {
	var out []string
	for _, s := range servers {
		if !slices.Contains(out, s.pkg.Path) {
			out = append(out, s.pkg.Path)
		}
	}
	return out
}
