package load

import (
	"context"
	"fmt"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"

	"github.com/mcpgen/mcpgen/internal/diag"
)

// OutputName is the file that the generator writes beside the user's code.
const OutputName = "mcp_gen.go"

// TestName is the name of the generated test beside it, which packages have if they ask for it.
const TestName = "mcp_gen_test.go"

// Config says what to load. Only Patterns is required.
type Config struct {
	// Dir is where the go command runs; empty means the current directory.
	Dir string
	// Patterns are package patterns as the go command has them; none means ".".
	Patterns []string
	// Env is added to the environment of the go command, as in GOOS=windows.
	Env []string
	// Stub returns the source of a file that declares the names which generated
	// code of p will have, or nil. It is called once per annotated package before
	// type-checking: Decls and their directives are filled, Types, Info and Obj
	// are nil. Bodies may be missing. Nil means no stubs.
	Stub func(p *Package) []byte
}

// Result is what was loaded. It is not changed after Load returns; its methods
// are not safe for concurrent use.
type Result struct {
	// Fset has the positions of all packages.
	Fset *token.FileSet
	// Packages are the packages matched by the patterns that have at least one
	// directive, each after those that it imports.
	Packages []*Package
	// Orphans are output files of ours, with absolute paths, in matched packages
	// that have no directive any more.
	Orphans []string
	// Diags has all mistakes found in matched packages, and type errors that
	// matter to them.
	Diags diag.List

	all map[string]*Package
}

// Load lists, parses, attaches and type-checks. The error is nil if only the
// user's source is wrong; see Result.Diags.
func Load(ctx context.Context, cfg Config) (*Result, error) {
	if cfg.Dir == "" {
		cfg.Dir = "."
	}
	dir, err := filepath.Abs(cfg.Dir)
	if err != nil {
		return nil, err
	}
	cfg.Dir = dir
	l := &loader{
		cfg: cfg, ctx: ctx, fset: token.NewFileSet(), pkgs: map[string]*Package{},
		missing: map[string]string{}, exports: map[string]string{},
	}
	for _, step := range []func() error{l.list, l.scan, l.annotate, l.silent, l.mounts, l.cycles, l.sources, l.check} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return l.result(), nil
}

// loader is the state of one Load. The steps run in the order of the fields
// that they fill.
type loader struct {
	cfg  Config
	ctx  context.Context
	fset *token.FileSet

	// hidden are output files that the go command is told not to see.
	hidden map[string]bool
	// order has every package of the import graph after its imports.
	order []*Package
	pkgs  map[string]*Package
	// missing has the go command's words on imports that it could not find.
	missing map[string]string
	// exports maps import paths to files with export data.
	exports map[string]string

	// cyclic are the packages of import cycles that are reported.
	cyclic map[string]bool

	diags diag.List
}

func (l *loader) result() *Result {
	r := &Result{Fset: l.fset, all: l.pkgs, Diags: l.diags}
	for _, p := range l.order {
		switch {
		case !p.Target:
		case p.annotated:
			r.Packages = append(r.Packages, p)
		}
		if p.Target && p.outputIsOurs && (!p.annotated || p.Vocabulary()) {
			r.Orphans = append(r.Orphans, p.Output())
			if p.HasTest() {
				r.Orphans = append(r.Orphans, p.Test())
			}
		}
	}
	return r
}

// Source returns the text of a file as it was parsed; it serves diag.Printer.
func (r *Result) Source(file string) ([]byte, error) {
	if p := r.byDir(filepath.Dir(file)); p != nil {
		for _, f := range p.Files {
			if f.Path == file {
				return f.Src, nil
			}
		}
	}
	return os.ReadFile(file)
}

// Inputs are what the result was made of: the folders of the packages that were matched or read from source,
// and the texts that directives name. They are sorted.
func (r *Result) Inputs() []string {
	var out []string
	for _, p := range r.all {
		if p.isLocal() && (p.Target || p.fromSource) {
			out = append(out, p.Dir)
		}
		for _, d := range p.Decls {
			for _, dir := range d.Directives {
				for _, t := range dir.Texts() {
					out = append(out, filepath.Join(p.Dir, filepath.FromSlash(t.File)))
				}
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (r *Result) byDir(dir string) *Package {
	for _, p := range r.all {
		if p.Dir == dir {
			return p
		}
	}
	return nil
}

// PackageOf returns the package in which obj is declared if it was loaded from
// source, else nil.
func (r *Result) PackageOf(obj types.Object) *Package {
	if obj == nil || obj.Pkg() == nil {
		return nil
	}
	if p := r.all[obj.Pkg().Path()]; p != nil && p.Types == obj.Pkg() {
		return p
	}
	return nil
}

// Pos converts a token range for a diagnostic.
func (r *Result) Pos(from, to token.Pos) diag.Pos { return diag.PosOf(r.Fset, from, to) }

func (l *loader) readFile(path string) ([]byte, error) {
	src, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("load: %w", err)
	}
	return src, nil
}
