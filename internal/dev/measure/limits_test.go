package main

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/dev/modcache"
)

var update = flag.Bool("update", false, "lower the limits in testdata/limits.txt to what is measured")

const (
	limitsFile = "testdata/limits.txt"
	root       = "../../.."
	// orderMatters is the number of files up to which a reader needs no order among them.
	orderMatters = 10
	// mostFunctions is how many functions may belong to one type.
	mostFunctions = 40
)

// limited are the figures that have a limit for every package.
var limited = []struct {
	name  string
	limit int
	value func(figures) int
}{
	{"up", 12, func(f figures) int { // percent of the arrows
		if f.files <= orderMatters {
			return 0
		}
		return f.graph.arrows.share()
	}},
	{"exported", 80, func(f figures) int { // what people write against
		if f.path != "mcp" {
			return 0
		}
		return f.exported
	}},
	{"files", 40, runtime(func(f figures) int { return f.files })},
	{"lines", 5000, runtime(func(f figures) int { return f.lines })}, // comments included
	{"knot", 3000, runtime(func(f figures) int { return f.knot })},
	{"folder", 0, func(f figures) int { return bit(f.name != "") }},
}

// runtime is a figure of the packages that servers link, which a reader has to keep in mind together. Package wire is
// made of many small codecs that know nothing of each other.
func runtime(value func(figures) int) func(figures) int {
	return func(f figures) int {
		if !strings.HasPrefix(f.path, "mcp/") || f.path == "mcp/wire" {
			return 0
		}
		return value(f)
	}
}

// exception is a line of testdata/limits.txt: what one package, or one type, may have more than others, and why.
type exception struct {
	figure, path string
	limit        int
	reason       string
	used         bool
}

// TestLimits compares the figures of this module with the limits of the house style. A package or a type exceeds one
// only as far as limits.txt says. With -update the test lowers what it allows, and removes lines that have no use
// any more; it never raises a limit and adds no line.
func TestLimits(t *testing.T) {
	t.Setenv("GOPROXY", "off")
	list, err := measure(root, "./...")
	if err != nil {
		t.Fatal(err)
	}
	if len(list) < 50 {
		t.Fatalf("only %d packages found", len(list))
	}
	head, exceptions := readLimits(t)
	for _, f := range list {
		for _, l := range limited {
			checkLimit(t, exceptions, f.path, l.name, l.limit, l.value(f))
		}
		for _, o := range f.owners {
			checkLimit(t, exceptions, f.path+"."+o.name, "functions", mostFunctions, o.functions)
		}
	}
	if *update {
		writeLimits(t, head, exceptions)
		return
	}
	for _, e := range exceptions {
		if !e.used {
			t.Errorf("%s: %s %s has no use any more: run go test ./internal/dev/measure -update", limitsFile, e.figure, e.path)
		}
	}
}

// checkLimit compares one figure of one package, or of one type, with its limit.
func checkLimit(t *testing.T, exceptions []*exception, path, figure string, limit, got int) {
	t.Helper()
	for _, e := range exceptions {
		if e.figure != figure || e.path != path || got <= limit {
			continue
		}
		e.used = true
		if got > e.limit {
			t.Errorf("%s: %s is %d, more than the %d of %s (%s)", path, figure, got, e.limit, limitsFile, e.reason)
		}
		e.limit = min(e.limit, got)
		return
	}
	if got > limit {
		t.Errorf("%s: %s is %d, more than %d", path, figure, got, limit)
	}
}

// readLimits returns the comment at the top of limits.txt, and its lines.
func readLimits(t *testing.T) (string, []*exception) {
	t.Helper()
	text, err := os.ReadFile(limitsFile)
	if err != nil {
		t.Fatal(err)
	}
	var head strings.Builder
	var list []*exception
	for s := bufio.NewScanner(bytes.NewReader(text)); s.Scan(); {
		line := s.Text()
		if strings.HasPrefix(line, "#") {
			fmt.Fprintln(&head, line)
		}
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		words := strings.Fields(line)
		if len(words) < 4 {
			t.Fatalf("%s: no figure, package, limit and reason in %q", limitsFile, line)
		}
		limit, err := strconv.Atoi(words[2])
		if err != nil {
			t.Fatalf("%s: %v in %q", limitsFile, err, line)
		}
		reason := strings.Join(words[3:], " ")
		list = append(list, &exception{figure: words[0], path: words[1], limit: limit, reason: reason})
	}
	return head.String(), list
}

func writeLimits(t *testing.T, head string, exceptions []*exception) {
	t.Helper()
	var b strings.Builder
	b.WriteString(head)
	last := ""
	for _, e := range exceptions {
		if e.used {
			if e.figure != last {
				b.WriteString("\n")
			}
			last = e.figure
			fmt.Fprintf(&b, "%s %s %d %s\n", e.figure, e.path, e.limit, e.reason)
		}
	}
	if err := os.WriteFile(limitsFile, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestAnchors: of two packages that are known for their order the program says what it said when the limit was
// chosen: 11 and 14 percent run upward. The module testdata/anchors pins their versions. The network is
// used only if the module cache lacks them.
func TestAnchors(t *testing.T) {
	const dir = "testdata/anchors"
	if err := modcache.Download(dir); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOPROXY", "off")
	list, err := measure(dir, "connectrpc.com/connect", "github.com/creachadair/jrpc2")
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, f := range list {
		fmt.Fprintf(&got, "%s: %d files, %d of %d arrows\n", f.path, f.files, f.graph.arrows.up, f.graph.arrows.all)
	}
	const want = "connectrpc.com/connect: 23 files, 12 of 113 arrows\n" +
		"github.com/creachadair/jrpc2: 9 files, 4 of 28 arrows\n"
	if got.String() != want {
		t.Errorf("got\n%swant\n%s", &got, want)
	}
}
