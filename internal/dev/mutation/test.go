package main

import (
	"context"
	"fmt"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/internal/dev/overlay"
)

// workers is how many test binaries run at the same time.
const workers = 2

// batchLines bounds the lines of copied functions in one build.
const batchLines = 12_000

// slowest is how much longer than the unchanged package a mutant may take before it counts as noticed.
const slowest = 10

func (p *pkg) offset(pos token.Pos) int { return p.fset.Position(pos).Offset }

// test builds the mutants into test binaries and runs the tests of the package once for each.
func (p *pkg) test(ctx context.Context, alive []*mutant, temp string) error {
	var batch, guards []*mutant
	var batches [][]*mutant
	lines := 0
	for _, m := range alive {
		if isGuard(m) {
			guards = append(guards, m)
			continue
		}
		if !joinable(m) {
			batches = append(batches, []*mutant{m})
			continue
		}
		n := p.fset.Position(m.fn.End()).Line - p.fset.Position(m.fn.Pos()).Line
		if lines += n; lines > batchLines {
			batches, batch, lines = append(batches, batch), nil, n
		}
		batch = append(batch, m)
	}
	if len(batch) > 0 {
		batches = append(batches, batch)
	}
	if noticed, err := p.testAll(ctx, guards, filepath.Join(temp, "all")); err != nil {
		return err
	} else if noticed {
		for _, m := range guards {
			batches = append(batches, []*mutant{m})
		}
	}
	for i, b := range batches {
		if err := p.testBatch(ctx, b, filepath.Join(temp, strconv.Itoa(i))); err != nil {
			return err
		}
	}
	return nil
}

// testAll reports whether the tests notice that all guards are gone.
func (p *pkg) testAll(ctx context.Context, guards []*mutant, temp string) (noticed bool, err error) {
	if len(guards) == 0 {
		return false, nil
	}
	var edits []edit
	for _, m := range guards {
		edits = append(edits, p.unguard(m))
	}
	binary, err := p.build(ctx, apply(p.src, 0, len(p.src), edits), temp)
	if err != nil {
		return false, err
	}
	return p.start(ctx, binary, 0, time.Minute) != "", os.Remove(binary)
}

// testBatch builds one binary and runs it: unchanged first, which must succeed, then for each mutant.
func (p *pkg) testBatch(ctx context.Context, batch []*mutant, temp string) error {
	src := p.changed(batch[0])
	if joinable(batch[0]) {
		src = p.together(batch)
	}
	binary, err := p.build(ctx, src, temp)
	if err != nil {
		return err
	}
	if !joinable(batch[0]) {
		p.run(ctx, batch[0], binary, time.Minute)
		return os.Remove(binary)
	}
	start := time.Now()
	if said := p.start(ctx, binary, 0, time.Minute); said != "" {
		return fmt.Errorf("the tests fail without a change: %s", said)
	}
	limit := max(5*time.Second, slowest*time.Since(start))
	var wg sync.WaitGroup
	next := make(chan *mutant)
	for range workers {
		wg.Go(func() {
			for m := range next {
				p.run(ctx, m, binary, limit)
			}
		})
	}
	for _, m := range batch {
		next <- m
	}
	close(next)
	wg.Wait()
	return os.Remove(binary)
}

func (p *pkg) run(ctx context.Context, m *mutant, binary string, limit time.Duration) {
	if m.note = p.start(ctx, binary, m.number, limit); m.note != "" {
		m.fate = byTests
	}
}

// build compiles the tests of the package with another generated file.
func (p *pkg) build(ctx context.Context, src []byte, temp string) (binary string, err error) {
	if err := os.MkdirAll(temp, 0o700); err != nil {
		return "", err
	}
	flag, err := overlay.Write(temp, map[string][]byte{
		p.path(generated):       src,
		p.path("mutant_gen.go"): fmt.Appendf(nil, hook, p.file.Name.Name),
	})
	if err != nil {
		return "", err
	}
	binary = filepath.Join(temp, "package.test")
	cmd := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-ldflags=-s -w", flag, "-o", binary, ".")
	cmd.Dir = p.dir
	if text, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go test -c: %w\n%s", err, text)
	}
	return binary, nil
}

// start runs the tests with a mutant alive and returns the first thing that failed, "" if nothing did.
func (p *pkg) start(ctx context.Context, binary string, number int, limit time.Duration) string {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, "-test.failfast")
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), "MCPGEN_MUTANT="+strconv.Itoa(number))
	text, err := cmd.CombinedOutput()
	switch {
	case ctx.Err() != nil:
		return "the tests do not end"
	case err == nil:
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "--- FAIL: ") || strings.HasPrefix(line, "panic: ") {
			return strings.TrimSpace(line)
		}
	}
	return err.Error()
}
