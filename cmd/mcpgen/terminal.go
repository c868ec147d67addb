package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/gen"
)

// isTerminal reports whether somebody looks at what is written to w.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
}

// printer prints diagnostics about what r was read from. Colours are for terminals, unless NO_COLOR is set
// (https://no-color.org).
func printer(s *streams, r *gen.Result, dir string) *diag.Printer {
	return &diag.Printer{Dir: dir, Source: r.Source, Color: isTerminal(s.stderr) && os.Getenv("NO_COLOR") == ""}
}

// progress returns what a run calls when a step begins, and what it calls at its end. Where nobody looks they do
// nothing.
func (s *streams) progress() (step func(string), end func()) {
	if !isTerminal(s.stderr) {
		return func(string) {}, func() {}
	}
	p := newProgress(s.stderr, progressAfter)
	return p.begin, p.end
}

// progressAfter is how long a run may take before it says what it does.
const progressAfter = 2 * time.Second

// progress says on a terminal what a run does that takes long.
type progress struct {
	w     io.Writer
	mu    sync.Mutex
	timer *time.Timer
	step  string // guarded by mu, as are the following
	shown bool
	ended bool
}

// newProgress returns a progress that has begun. The caller ends it.
func newProgress(w io.Writer, after time.Duration) *progress {
	p := &progress{w: w}
	p.timer = time.AfterFunc(after, p.show)
	return p
}

// begin says that a step begins.
func (p *progress) begin(step string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.step = step
	if p.shown {
		p.line()
	}
}

func (p *progress) show() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.ended {
		p.shown = true
		p.line()
	}
}

// line writes the step over the one before.
func (p *progress) line() { fmt.Fprintf(p.w, "\r\033[Kmcpgen: %s ...", p.step) }

// end takes the line away. Nothing is written afterwards.
func (p *progress) end() {
	p.timer.Stop()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown && !p.ended {
		fmt.Fprint(p.w, "\r\033[K")
	}
	p.ended = true
}
