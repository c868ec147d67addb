// Package gen is the pipeline of the generator, from annotated packages to files.
//
// Start reading here. Packages is the pipeline for packages of users; Generate of package protocolgen is the pipeline
// for the protocol.
package gen

import (
	"context"
	"slices"
	"time"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/gen/repair"
	"github.com/mcpgen/mcpgen/internal/load"
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
	// Accept records changes of events that subscribers of older versions cannot follow.
	Accept bool
	// Step is told what begins, in words for people: loading, building, emitting. Nil is told nothing.
	Step func(name string)
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
	opts.say("loading packages")
	loaded, err := load.Load(ctx, load.Config{Dir: opts.Dir, Patterns: opts.Patterns, Env: opts.Env, Stub: serverir.Stub})
	if err != nil {
		return nil, nil, err
	}
	r.stage("load", &begin)
	opts.say("building")
	r.Source, r.Inputs = loaded.Source, loaded.Inputs()
	r.runtimeDir = loaded.Folder(runtimePackage)
	r.Diags.Add(loaded.Diags.Sorted()...)
	built := buildAll(loaded, r.Diags)
	for _, p := range built {
		r.Packages = append(r.Packages, p.ir)
	}
	records, err := recordEvents(built, opts.Accept, r.Diags)
	if err != nil {
		return r, loaded, err
	}
	r.Diags = repair.Vet(applyAllows(loaded, r.Diags), r.Source)
	r.stage("build", &begin)
	if opts.Strict {
		r.Diags = r.Diags.Strict()
	}
	if r.Diags.HasErrors() {
		return r, loaded, nil
	}
	opts.say("emitting")
	files, err := emitAll(built, opts.Tests)
	r.stage("emit", &begin)
	if err != nil {
		return r, loaded, err
	}
	if foreign(files, r.Diags); r.Diags.HasErrors() {
		return r, loaded, nil
	}
	r.Files, r.Orphans = slices.Concat(files, records), orphans(loaded.Outputs, files)
	return r, loaded, nil
}

func (o *Options) say(step string) {
	if o.Step != nil {
		o.Step(step)
	}
}
