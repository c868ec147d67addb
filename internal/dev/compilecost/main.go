// Command compilecost measures the cost of large packages: of mcpgen, of go list, for which mcpgen and editors wait,
// and of the compiler. It makes packages of declarations of all kinds (mix.go) in a temporary module, and prints
// processor time and peak memory of each process. The last columns are ratios of processor times: to go list of the
// same package, and to the first size. With -weights it prints what each feature adds to the binary of a server.
//
//	go run ./internal/dev/compilecost -n 1000,5000,10000
//	go run ./internal/dev/compilecost -weights
//
// Times have no limits, because they depend on the machine. With -most the memory of the compiler has one.
package main

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/internal/scratch"
)

func main() {
	sizes := flag.String("n", "1000", "numbers of declarations, with commas between them")
	keep := flag.String("keep", "", "write the packages into this `folder` and leave them there")
	compile := flag.Bool("compile", true, "measure the compiler, too")
	most := flag.Int64("most", 0, "fail if the compiler needs more than so many `MiB`; 0 for no limit")
	weights := flag.Bool("weights", false, "measure what each feature adds to the binary of a server, and nothing else")
	if tool := os.Getenv(reportVar); tool != "" {
		os.Exit(runTool(tool, os.Args[1:]))
	}
	flag.Parse()
	scratch.Main("compilecost", func(temp string) error {
		return run(context.Background(), *sizes, cmp.Or(*keep, temp), *compile, *weights, *most<<20)
	})
}

func run(ctx context.Context, sizes, dir string, compile, weights bool, most int64) error {
	m, err := newModule(ctx, dir)
	if err != nil {
		return err
	}
	m.most = most
	if _, err := m.command(ctx, nil, "go", "build", "github.com/mcpgen/mcpgen/mcp/mcprt"); err != nil {
		return err // what every server needs is compiled already
	}
	if weights {
		return weigh(ctx, m)
	}
	fmt.Printf("%8s  %-15s %8s %10s %9s %10s %8s\n", "", "", "cpu", "memory", "wall", "/ go list", "/ first")
	for text := range strings.SplitSeq(sizes, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 3 {
			return fmt.Errorf("-n %s: want numbers of at least 3", sizes)
		}
		if err := m.measure(ctx, n, compile); err != nil {
			return err
		}
	}
	return nil
}

// module is a temporary module with the packages to measure.
type module struct {
	dir    string
	mcpgen string // the binary
	most   int64  // of memory for the compiler, in bytes; 0 for no limit
	// first has the costs of the first size.
	first map[string]cost
}

func newModule(ctx context.Context, dir string) (*module, error) {
	root, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return nil, fmt.Errorf("run it in the repository: %w", err)
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	m := &module{dir: dir, mcpgen: filepath.Join(dir, "mcpgen"), first: map[string]cost{}}
	from := strings.TrimSpace(string(root))
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return nil, err
	}
	out, err := exec.CommandContext(ctx, "go", "build", "-o", m.mcpgen, "./cmd/mcpgen").CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("go build: %w\n%s", err, out)
	}
	return m, writeModule(dir, from)
}

// writeModule makes dir a module that uses the checkout at root.
func writeModule(dir, root string) error {
	mod := "module mix.test/mix\n\ngo 1.26.0\n\nrequire github.com/mcpgen/mcpgen v0.0.0\n\n" +
		"replace github.com/mcpgen/mcpgen => " + root + "\n"
	return os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o600)
}

// measure makes a package of n declarations and prints what it costs.
func (m *module) measure(ctx context.Context, n int, compile bool) error {
	name := "mix" + strconv.Itoa(n)
	dir := filepath.Join(m.dir, name)
	if err := writeMix(dir, name, n); err != nil {
		return err
	}
	now := fmt.Sprintf("package %s\n\n// Written at %d: nothing of it is cached.\n", name, time.Now().UnixNano())
	if err := os.WriteFile(filepath.Join(dir, "now.go"), []byte(now), 0o600); err != nil {
		return err
	}
	show := func(what string, c, list cost) {
		if _, known := m.first[what]; !known {
			m.first[what] = c
		}
		fmt.Printf("%8d  %-15s %7.2fs %6.0f MiB %8.2fs %10.1f %8.1f\n", n, what, c.cpu.Seconds(),
			float64(c.memory)/(1<<20), c.wall.Seconds(), c.over(list), c.over(m.first[what]))
	}
	list, err := m.command(ctx, nil, "go", "list", "-e", "-export", "-deps", "./"+name)
	if err != nil {
		return err
	}
	show("go list -export", list, list)
	gen, err := m.command(ctx, nil, m.mcpgen, "./"+name)
	if err != nil {
		return err
	}
	show("mcpgen", gen, list)
	if !compile {
		return nil
	}
	report := filepath.Join(m.dir, name+".cost")
	self, err := os.Executable()
	if err != nil {
		return err
	}
	env := []string{reportVar + "=" + report + "," + "mix.test/mix/" + name}
	if _, err := m.command(ctx, env, "go", "build", "-toolexec", self, "./"+name); err != nil {
		return err
	}
	c, err := readCost(report)
	if err != nil {
		return err
	}
	show("compile", c, list)
	if m.most > 0 && c.memory > m.most {
		return fmt.Errorf("the compiler has needed %d MiB for %d declarations: want %d at most", c.memory>>20, n, m.most>>20)
	}
	return m.size(name, n)
}

// size prints how much was generated.
func (m *module) size(name string, n int) error {
	files, err := filepath.Glob(filepath.Join(m.dir, name, "mcp_gen*.go"))
	if err != nil {
		return err
	}
	total, lines := 0, 0
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			return err
		}
		total += len(data)
		lines += bytes.Count(data, []byte("\n"))
	}
	fmt.Printf("%8d  output: %d files, %d lines, %.1f MB\n", n, len(files), lines, float64(total)/1e6)
	return nil
}

// command runs a program in the module and says what it and its children cost.
func (m *module) command(ctx context.Context, env []string, name string, args ...string) (cost, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = m.dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod -ldflags=-w", "GOWORK=off")
	cmd.Env = append(cmd.Env, env...)
	var stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = io.Discard, &stderr
	start := time.Now()
	if err := cmd.Run(); err != nil {
		return cost{}, fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, tail(stderr.String()))
	}
	c := costOf(cmd.ProcessState)
	c.wall = time.Since(start)
	return c, nil
}

func tail(text string) string { return text[max(0, len(text)-2000):] }

// cost is what a process has used.
type cost struct {
	cpu, wall time.Duration
	memory    int64 // peak, in bytes; 0 where the system does not say
}

// over is the ratio of two processor times.
func (c cost) over(other cost) float64 { return c.cpu.Seconds() / other.cpu.Seconds() }

func costOf(p *os.ProcessState) cost {
	return cost{cpu: p.UserTime() + p.SystemTime(), memory: peak(p)}
}

// reportVar tells this program that go build runs it in place of a tool: the file for the cost and the package to
// look at.
const reportVar = "COMPILECOST_REPORT"

// runTool runs a tool of go build and writes down what the compiler costs for one package.
func runTool(report string, args []string) int {
	file, pkg, _ := strings.Cut(report, ",")
	cmd := exec.CommandContext(context.Background(), args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	start := time.Now()
	err := cmd.Run()
	if os.Getenv("TOOLEXEC_IMPORTPATH") == pkg && filepath.Base(args[0]) == "compile" && len(args) > 4 {
		c := costOf(cmd.ProcessState)
		line := fmt.Sprintf("%d %d %d\n", c.cpu, time.Since(start), c.memory)
		err = cmp.Or(err, os.WriteFile(file, []byte(line), 0o600))
	}
	if err != nil {
		return 1
	}
	return 0
}

func readCost(file string) (c cost, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return c, fmt.Errorf("go build has not compiled the package; is it cached? %w", err)
	}
	_, err = fmt.Sscan(string(data), &c.cpu, &c.wall, &c.memory)
	return c, err
}
