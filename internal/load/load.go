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
