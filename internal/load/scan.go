package load

import (
	"cmp"
	"errors"
	"fmt"
	"go/scanner"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/directive/nearmiss"
	"github.com/mcpgen/mcpgen/internal/load/source"
)

// scan reads the files of all local packages, and of mounted ones, and parses those packages that
// may have directives.
func (l *loader) scan() error { return l.scanAll(l.order) }

func (l *loader) scanAll(list []*node) error {
	var local []*node
	for _, p := range list {
		if p.isLocal() || p.mounted {
			local = append(local, p)
		}
	}
	return parallel(local, func(p *node) error {
		hit, err := l.read(p)
		if err != nil || !hit {
			return err
		}
		return l.parse(p)
	})
}

// read loads the source of p and reports whether it may have directives.
func (l *loader) read(p *node) (bool, error) {
	names := p.listed.Built()
	slices.Sort(names)
	hit := false
	for _, name := range slices.Compact(names) {
		path := filepath.Join(p.Dir, name)
		src, err := source.Read(path)
		if err != nil {
			return false, err
		}
		if source.IsOutput(name, src) {
			continue
		}
		hit = hit || nearmiss.Mentions(src)
		p.Files = append(p.Files, &File{Path: path, Src: src})
	}
	return hit, nil
}

// parse fills the trees of p. Syntax errors are kept in the files and reported
// only if the package turns out to matter.
func (l *loader) parse(p *node) error {
	if p.Files == nil {
		if _, err := l.read(p); err != nil {
			return err
		}
	}
	for _, f := range p.Files {
		if f.AST == nil {
			f.Parse(l.fset)
		}
	}
	for _, f := range p.Files {
		if name := f.AST.Name.Name; name != "" && name != "_" {
			p.Name = name
			break
		}
	}
	return nil
}

// syntaxErrors reports the first syntax error of each file and whether there is
// one. Those after the first are mostly its consequences.
func (l *loader) syntaxErrors(p *node) bool {
	found := l.mixed(p)
	for _, f := range p.Files {
		var list scanner.ErrorList
		if !errors.As(f.Err, &list) {
			continue
		}
		found = true
		pos := diag.Pos{File: f.Path, Line: list[0].Pos.Line, Col: list[0].Pos.Column}
		d := diag.New("MCP806", pos, "%s", list[0].Msg)
		d.Fix = "correct the syntax; nothing is generated from a package with unreadable files"
		l.diags.Add(d)
	}
	return found
}

// mixed reports the first file whose package clause differs from that of the first file, and whether there is one. Such
// a folder does not build.
func (l *loader) mixed(p *node) bool {
	var first *File
	for _, f := range p.Files {
		if f.Err != nil {
			continue
		}
		if first == nil {
			first = f
			continue
		}
		name := f.AST.Name
		if want := first.AST.Name.Name; name.Name != want {
			d := diag.New("MCP806", diag.PosOf(l.fset, name.Pos(), name.End()),
				"package `%s` is in one folder with package `%s` of %s", name.Name, want, filepath.Base(first.Path))
			d.Fix = fmt.Sprintf("write `package %s`, or move the file to a folder of its own", want)
			l.diags.Add(d)
			return true
		}
	}
	return false
}

// parallel calls f for each package of a list on a few goroutines and returns the first error in the order of the list.
func parallel(list []*node, f func(*node) error) error {
	errs := make([]error, len(list))
	var wg sync.WaitGroup
	gate := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, p := range list {
		gate <- struct{}{}
		wg.Go(func() {
			defer func() { <-gate }()
			errs[i] = f(p)
		})
	}
	wg.Wait()
	return cmp.Or(errs...)
}
