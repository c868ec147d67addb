// Command testrun runs go test with its arguments, and prints the output and a list of the skipped tests. In CI a
// skipped test is a failure, unless the table of this package has a reason for it.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

func main() {
	code, err := run(context.Background(), os.Args[1:], os.Stdout, os.Getenv("CI") == "true")
	if err != nil {
		fmt.Fprintln(os.Stderr, "testrun:", err)
		code = 2
	}
	os.Exit(code)
}

// run runs go test and returns its exit status, or 1 if strict and a test was skipped without a reason.
func run(ctx context.Context, args []string, out io.Writer, strict bool) (int, error) {
	words := []string{"test"}
	if len(args) > 1 && args[0] == "-C" { // which the go command wants first
		words, args = append(words, args[:2]...), args[2:]
	}
	words = append(append(words, "-json"), args...)
	cmd := exec.CommandContext(ctx, "go", words...)
	cmd.Stderr = os.Stderr
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	p := newPrinter(out)
	readErr := p.readAll(pipe)
	err = cmd.Wait()
	if readErr != nil {
		return 0, readErr
	}
	if code := cmd.ProcessState.ExitCode(); code != 0 {
		return code, nil
	}
	if err != nil {
		return 0, err
	}
	if strict && len(p.unexplained) > 0 {
		fmt.Fprintln(out, "FAIL: tests were skipped, and internal/testrun has no reason for these:")
		fmt.Fprintln(out, "  "+strings.Join(p.unexplained, "\n  "))
		return 1, nil
	}
	return 0, nil
}

// event is a line of go test -json (go doc test2json).
type event struct {
	Action, Package, Test, Output string
}

// printer prints the events of go test as go test without -v prints them.
type printer struct {
	out         io.Writer
	pages       map[string]string   // what is to be printed of each package, at its end
	held        map[string][]string // output of top-level tests under way, by package and name
	said        map[string]string   // the last words of tests under way, which tell why one is skipped
	unexplained []string
}

func newPrinter(out io.Writer) *printer {
	return &printer{out: out, pages: map[string]string{}, held: map[string][]string{}, said: map[string]string{}}
}

// readAll reads the lines of go test -json. Lines that are no events are printed as they are.
func (p *printer) readAll(in io.Reader) error {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadString('\n')
		var e event
		switch {
		case line == "":
		case json.Unmarshal([]byte(line), &e) == nil && e.Action != "":
			p.take(e)
		default:
			fmt.Fprint(p.out, line)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (p *printer) take(e event) {
	top, _, _ := strings.Cut(e.Test, "/")
	key := e.Package + " " + top
	switch {
	case e.Action == "build-output":
		fmt.Fprint(p.out, e.Output)
	case e.Test == "":
		p.takePackage(e)
	case e.Action == "output":
		if !noise(e.Output) {
			p.held[key] = append(p.held[key], e.Output)
			p.said[e.Package+" "+e.Test] = strings.TrimSpace(e.Output)
		}
	case e.Action == "skip":
		p.skipped(e)
		p.done(e, key, false)
	case e.Action == "pass", e.Action == "fail":
		p.done(e, key, e.Action == "fail")
	}
}

// takePackage takes what go test says of a package, and prints the package at its end. One that fails shows all that
// its tests had said.
func (p *printer) takePackage(e event) {
	switch e.Action {
	case "output":
		if e.Output != "PASS\n" && !noise(e.Output) {
			p.pages[e.Package] += e.Output
		}
	case "pass", "skip", "fail":
		for key, lines := range p.held {
			if strings.HasPrefix(key, e.Package+" ") {
				if e.Action == "fail" {
					fmt.Fprint(p.out, strings.Join(lines, ""))
				}
				delete(p.held, key)
			}
		}
		fmt.Fprint(p.out, p.pages[e.Package])
		delete(p.pages, e.Package)
	}
}

// done ends a test. A top-level test that failed is shown with all below it.
func (p *printer) done(e event, key string, failed bool) {
	delete(p.said, e.Package+" "+e.Test)
	if strings.Contains(e.Test, "/") {
		return
	}
	if failed {
		p.pages[e.Package] += strings.Join(p.held[key], "")
	}
	delete(p.held, key)
}

func (p *printer) skipped(e event) {
	why := p.said[e.Package+" "+e.Test]
	p.pages[e.Package] += fmt.Sprintf("--- SKIP: %s in %s: %s\n", e.Test, e.Package, why)
	if !explained(e.Package, e.Test) {
		p.unexplained = append(p.unexplained, e.Package+" "+e.Test+": "+why)
	}
}

// noise reports whether a line is one that go test prints with -v only.
func noise(line string) bool {
	line = strings.TrimLeft(line, " ")
	for _, prefix := range []string{"=== RUN", "=== PAUSE", "=== CONT", "=== NAME", "--- PASS", "--- SKIP"} {
		if strings.HasPrefix(line, prefix) {
			return true
		}
	}
	return false
}
