// Package gen is the generator as a whole: from annotated packages, or from schemas, to files.
//
// Start reading here. Packages is the pipeline for users' packages on one screen; Protocol is the one
// for the protocol itself.
package gen

import (
	"context"
	"time"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/output"
	"github.com/mcpgen/mcpgen/internal/serverir"
)

// Options says which packages to generate for.
type Options struct {
	// Dir is where patterns are resolved; empty means the working directory.
	Dir string
	// Patterns are package patterns as the go command has them; none means ".".
	Patterns []string
	// Env is added to the environment of the go command, as in GOWORK=off.
	Env []string
	// Strict makes errors of warnings.
	Strict bool
	// Tests gives each package a test that fails when its output is stale. Packages that have one keep it.
	Tests bool
}

// Result is what one run found and made.
type Result struct {
	// Files are the outputs; nil if Diags has errors, because then nothing may be written.
	Files []output.File
	// Packages are the packages as they were understood, those that are imported first.
	Packages []*ir.GoPackage
	// Orphans are outputs of ours in packages that have no directives any more.
	Orphans []string
	// Inputs are the folders and other files that the packages were read from, sorted.
	Inputs []string
	// Diags is what there is to say about the user's source.
	Diags *diag.List
	// Source returns the text of a file as it was read, for printing diagnostics.
	Source func(file string) ([]byte, error)
	// Stages are the times that the stages took, in order.
	Stages []Stage
}

// Stage is one step of the pipeline and the time it took.
type Stage struct {
	Name string
	Took time.Duration
}

// Packages runs the pipeline over annotated packages: load, build, check, emit. It writes nothing. The
// error is for trouble that is not a mistake in the user's source.
func Packages(ctx context.Context, opts Options) (*Result, error) {
	r, _, err := run(ctx, opts)
	return r, err
}

func run(ctx context.Context, opts Options) (*Result, *load.Result, error) {
	r := &Result{Diags: new(diag.List)}
	begin := time.Now()
	loaded, err := load.Load(ctx, load.Config{Dir: opts.Dir, Patterns: opts.Patterns, Env: opts.Env, Stub: serverir.Stub})
	if err != nil {
		return nil, nil, err
	}
	r.stage("load", &begin)
	r.Source, r.Orphans, r.Inputs = loaded.Source, loaded.Orphans, loaded.Inputs()
	r.Diags.Add(loaded.Diags.Sorted()...)
	built := buildAll(loaded, r.Diags)
	for _, p := range built {
		r.Packages = append(r.Packages, p.ir)
	}
	r.Diags = vetFixes(applyAllows(loaded, r.Diags), r.Source)
	r.stage("build", &begin)
	if opts.Strict {
		r.Diags = r.Diags.Strict()
	}
	if r.Diags.HasErrors() {
		return r, loaded, nil
	}
	r.Files, err = emitAll(built, opts.Tests)
	r.stage("emit", &begin)
	return r, loaded, err
}

func (r *Result) stage(name string, begin *time.Time) {
	now := time.Now()
	r.Stages = append(r.Stages, Stage{Name: name, Took: now.Sub(*begin)})
	*begin = now
}
