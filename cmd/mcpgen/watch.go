package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/mcpgen/mcpgen/internal/load/source"
)

// watchInterval is how often -watch looks at the files. Looking costs a stat for each of them.
const watchInterval = 300 * time.Millisecond

// watch calls generate, and again whenever the source has changed, until the process is interrupted. Mistakes in the
// source, and packages that cannot be listed any more, are reported and looked at again after the next change. What
// is generated from is told to learn as soon as it is known.
func watch(s *streams, patterns []string, generate func(ctx context.Context, learn func(inputs []string)) error) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	w := watcher{roots: watchRoots(patterns)}
	for said := ""; ; {
		// Inputs that this round finds out about look new after it, so that no change of them is missed.
		before := w.look()
		err := generate(ctx, func(inputs []string) { w.inputs = inputs })
		if ctx.Err() != nil {
			return nil
		}
		if said == "" && err != nil && !errors.Is(err, errReported) {
			return err // a pattern that was mistyped matches nothing later either
		}
		if say := watchState(err); say != said || !errors.Is(err, errReported) && err != nil {
			fmt.Fprintln(s.stderr, "mcpgen:", say)
			said = say
		}
		if !w.wait(ctx, before) {
			return nil
		}
	}
}

// watchState says how a round has ended.
func watchState(err error) string {
	switch {
	case err == nil:
		return "up to date, watching"
	case errors.Is(err, errReported):
		return "nothing written, watching"
	}
	return err.Error()
}

// watcher looks at files by their sizes and times.
type watcher struct {
	// roots are folders that are watched with everything below them, inputs further folders and files.
	roots, inputs []string
}

// stamp is what changes when a file does.
type stamp struct {
	size int64
	time time.Time
}

// watchRoots are the folders of patterns such as ./...: a new folder below them may be a new package.
func watchRoots(patterns []string) []string {
	var out []string
	for _, p := range patterns {
		if root, ok := strings.CutSuffix(p, "..."); ok && strings.HasPrefix(p, ".") {
			out = append(out, filepath.FromSlash(root))
		}
	}
	return out
}

// wait returns when the files have changed and then stood still for an interval; false if ctx ends first.
func (w *watcher) wait(ctx context.Context, before map[string]stamp) bool {
	t := time.NewTicker(watchInterval)
	defer t.Stop()
	for last := before; ; {
		select {
		case <-ctx.Done():
			return false
		case <-t.C:
		}
		now := w.look()
		if maps.Equal(now, last) && !maps.Equal(now, before) {
			return true
		}
		last = now
	}
}

// look returns the stamps of all files that matter.
func (w *watcher) look() map[string]stamp {
	out := map[string]stamp{}
	for _, root := range w.roots {
		_ = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			if err != nil {
				return nil //nolint:nilerr // it has just gone, or nobody may read it
			}
			name := e.Name()
			if e.IsDir() && path != root && (name[0] == '.' || name[0] == '_' || name == "vendor" || name == "testdata" ||
				name == "node_modules") {
				return fs.SkipDir
			}
			note(out, path, name)
			return nil
		})
	}
	for _, path := range w.inputs {
		info, err := os.Stat(path)
		if err != nil || !info.IsDir() {
			note(out, path, "")
			continue
		}
		entries, _ := os.ReadDir(path)
		for _, e := range entries {
			note(out, filepath.Join(path, e.Name()), e.Name())
		}
	}
	return out
}

// note adds the stamp of a file that is source: Go, but no test. Of our own output it only notes that it is there: it
// changes with each round, and comes back if somebody deletes it. An empty name is a file of another kind that is known
// to matter.
func note(out map[string]stamp, path, name string) {
	if source.MayBeOutput(name) {
		if src, err := os.ReadFile(path); err == nil && source.IsOutput(name, src) {
			out[filepath.Clean(path)] = stamp{}
			return
		}
	}
	if name != "" && (!strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go")) && name != "go.mod" {
		return
	}
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		out[filepath.Clean(path)] = stamp{info.Size(), info.ModTime()}
	}
}
