package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/exp/apidiff"
	"golang.org/x/tools/go/packages"

	"github.com/mcpgen/mcpgen/internal/output"
	"github.com/mcpgen/mcpgen/internal/protocolgen"
	"github.com/mcpgen/mcpgen/schema"
)

const (
	modulePath   = "github.com/mcpgen/mcpgen"
	protocolPath = modulePath + "/generated/protocol"
)

// tree is the checkout, parsed once.
type tree struct {
	root      string
	fset      *token.FileSet
	packages  []*packages.Package // of the module, those that are imported first
	old       *types.Package      // the committed protocol package
	committed []protocolgen.SchemaFile
	tmp       string
}

func loadTree(ctx context.Context, root string) (*tree, error) {
	t := &tree{root: root, fset: token.NewFileSet()}
	conf := &packages.Config{
		Context: ctx, Dir: root, Fset: t.fset, Env: append(os.Environ(), "GOWORK=off"),
		Mode: packages.NeedName | packages.NeedImports | packages.NeedTypes | packages.NeedSyntax |
			packages.NeedTypesInfo | packages.NeedDeps,
	}
	roots, err := packages.Load(conf, "./generated/protocol", "./mcp/...", "./golden/...")
	if err != nil {
		return nil, err
	}
	if packages.PrintErrors(roots) > 0 {
		return nil, errors.New("the checkout does not build")
	}
	seen := map[string]bool{}
	var visit func(*packages.Package)
	visit = func(p *packages.Package) {
		if seen[p.PkgPath] || !strings.HasPrefix(p.PkgPath, modulePath+"/") {
			return
		}
		seen[p.PkgPath] = true
		for _, imported := range p.Imports {
			visit(imported)
		}
		t.packages = append(t.packages, p)
		if p.PkgPath == protocolPath {
			t.old = p.Types
		}
	}
	for _, p := range roots {
		visit(p)
	}
	files, err := filepath.Glob(filepath.Join(root, "schema", "????-??-??.json"))
	if err != nil || len(files) == 0 || t.old == nil {
		return nil, fmt.Errorf("%s is not the root of the repository: %w", root, err)
	}
	for _, f := range files {
		t.committed = append(t.committed, protocolgen.SchemaFile{Path: f})
	}
	t.tmp, err = os.MkdirTemp("", "mcpgen-drafts")
	return t, err
}

// judge generates the bindings with a draft and checks everything against them.
func (t *tree) judge(d draft) (*verdict, error) {
	v := &verdict{draft: d}
	files, err := t.generate(v)
	if err != nil || len(v.refused) > 0 || len(v.problems) > 0 {
		return v, err
	}
	for _, f := range files {
		have, err := os.ReadFile(filepath.Join(t.root, "generated", "protocol", f.Path))
		if err != nil || !bytes.Equal(have, f.Data) {
			v.changed++
		}
	}
	v.files, v.generated = len(files), files
	v.problems = t.check(files)
	return v, nil
}

func (t *tree) generate(v *verdict) ([]output.File, error) {
	path := filepath.Join(t.tmp, "draft-"+v.blob+".json")
	if err := os.WriteFile(path, v.data, 0o600); err != nil {
		return nil, err
	}
	defer os.Remove(path)
	schemas := append(slices.Clone(t.committed), protocolgen.SchemaFile{Path: path, Revision: future})
	r, err := protocolgen.Generate(protocolgen.Options{Schemas: schemas, Package: "protocol"})
	var wrong *schema.Error
	switch {
	case errors.As(err, &wrong) && strings.Contains(wrong.Msg, "What a revision gave stays"):
		v.problems = strings.Split(err.Error(), "\n")
		return nil, nil
	case errors.As(err, &wrong):
		v.refused = strings.Split(strings.ReplaceAll(err.Error(), t.tmp+"/", ""), "\n")
		return nil, nil
	case err != nil:
		v.problems = []string{err.Error()}
		return nil, nil
	}
	for _, n := range r.Notes {
		v.notes = append(v.notes, strings.ReplaceAll(n, t.tmp+"/", ""))
	}
	for _, w := range r.Warnings {
		if text, found := strings.CutPrefix(w.Error(), t.tmp+"/"); found {
			v.warnings = append(v.warnings, text)
		}
	}
	return r.Files, nil
}

// check type-checks the generated package, compares it with the committed one, and type-checks all that imports it.
func (t *tree) check(files []output.File) (problems []string) {
	var parsed []*ast.File
	for _, f := range files {
		file, err := parser.ParseFile(t.fset, f.Path, f.Data, parser.SkipObjectResolution)
		if err != nil {
			return []string{err.Error()}
		}
		parsed = append(parsed, file)
	}
	fresh := map[string]*types.Package{}
	for _, p := range t.packages {
		syntax := p.Syntax
		if p.PkgPath == protocolPath {
			syntax = parsed
		} else if !changes(p, fresh) {
			continue
		}
		pkg, errs := t.typeCheck(p, syntax, fresh)
		if len(errs) > 0 {
			return append(problems, errs...)
		}
		fresh[p.PkgPath] = pkg
		if p.PkgPath == protocolPath {
			for _, c := range apidiff.Changes(t.old, pkg).Changes {
				if !c.Compatible && !expected(c.Message) {
					problems = append(problems, "apidiff: "+c.Message)
				}
			}
		}
	}
	return problems
}

// changes reports whether a package imports one that was checked anew.
func changes(p *packages.Package, fresh map[string]*types.Package) bool {
	for path := range p.Imports {
		if fresh[path] != nil {
			return true
		}
	}
	return false
}

// maxErrors bounds what is printed about one package.
const maxErrors = 5

func (t *tree) typeCheck(p *packages.Package, syntax []*ast.File, fresh map[string]*types.Package) (*types.Package,
	[]string) {
	var errs []string
	conf := types.Config{
		Importer: importerFunc(func(path string) (*types.Package, error) {
			if pkg := fresh[path]; pkg != nil {
				return pkg, nil
			}
			if imported := p.Imports[path]; imported != nil && imported.Types != nil {
				return imported.Types, nil
			}
			for _, other := range t.packages {
				if imported := other.Imports[path]; imported != nil && imported.Types != nil {
					return imported.Types, nil
				}
			}
			return nil, fmt.Errorf("%s is not loaded", path)
		}),
		Error: func(err error) {
			if len(errs) < maxErrors {
				errs = append(errs, p.PkgPath+": "+err.Error())
			}
		},
	}
	pkg, _ := conf.Check(p.PkgPath, t.fset, syntax, nil) // errors are collected above
	return pkg, errs
}

type importerFunc func(path string) (*types.Package, error)

func (f importerFunc) Import(path string) (*types.Package, error) { return f(path) }
