package load

import (
	"context"
	"go/token"
	"path/filepath"
)

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
	l := &loader{cfg: cfg, ctx: ctx, fset: token.NewFileSet(), graph: newGraph(cfg)}
	for _, step := range []func() error{
		l.list, l.scan, l.annotate, l.silent, l.mounts, l.findCycles, l.sources, l.checkTypes,
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return l.result(), nil
}

// list asks the go command for the import graph.
func (l *loader) list() error { return l.graph.list(l.ctx, l.cfg.Patterns) }

func (l *loader) result() *Result {
	r := &Result{Fset: l.fset, all: l.pkgs, Diags: l.diags}
	for _, p := range l.order {
		if !p.Target {
			continue
		}
		if p.annotated() {
			r.Packages = append(r.Packages, p.Package)
		}
		for _, name := range p.outputs {
			r.Outputs = append(r.Outputs, filepath.Join(p.Dir, name))
		}
		if p.outputs != nil && p.HasTest() {
			r.Outputs = append(r.Outputs, p.Test())
		}
	}
	return r
}
