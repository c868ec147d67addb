package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"github.com/mcpgen/mcpgen/internal/gen"
	"github.com/mcpgen/mcpgen/internal/output"
	"github.com/mcpgen/mcpgen/internal/scaffold"
)

// initTask is the command mcpgen init.
type initTask struct {
	dir, module, checkout string
}

func parseInit(fs *flag.FlagSet, args []string) (task, error) {
	var i initTask
	fs.StringVar(&i.module, "module", "", "import `path` of a new module; example.com/DIR if DIR is in no module yet")
	fs.StringVar(&i.checkout, "mcpgen", "", "`folder` of a checkout of mcpgen that the new module shall use")
	rest, err := parseMixed(fs, args)
	if err != nil {
		return nil, err
	}
	if len(rest) != 1 {
		return nil, errors.New("init takes one folder, such as hello")
	}
	i.dir = rest[0]
	return i.run, nil
}

func (i *initTask) run(s *streams) error {
	o, err := i.options()
	if err != nil {
		return err
	}
	written, err := scaffold.Write(o)
	if err != nil {
		return err
	}
	r, err := gen.Packages(context.Background(), gen.Options{Dir: i.dir})
	if err != nil {
		return err
	}
	if r.Diags.HasErrors() {
		return fmt.Errorf("internal error: the new package has mistakes: %v", r.Diags.Sorted())
	}
	changes, err := r.Write(output.Disk{})
	if err != nil {
		return err
	}
	for _, c := range changes {
		written = append(written, c.Path)
	}
	i.say(s, o, written)
	return nil
}

// options finds out which module the folder is in.
func (i *initTask) options() (scaffold.Options, error) {
	dir, err := filepath.Abs(i.dir)
	if err != nil {
		return scaffold.Options{}, err
	}
	o := scaffold.Options{Dir: i.dir, Import: i.module, NewModule: true}
	if i.checkout != "" {
		if o.Checkout, err = filepath.Abs(i.checkout); err != nil {
			return o, err
		}
		if _, err := os.Stat(filepath.Join(o.Checkout, "cmd", "mcpgen")); err != nil {
			return o, fmt.Errorf("-mcpgen %s is not a checkout of mcpgen: %w", i.checkout, err)
		}
	}
	if modPath, modDir := moduleAt(dir); modPath != "" && i.module == "" {
		rel, err := filepath.Rel(modDir, dir)
		if err != nil {
			return o, err
		}
		o.Import, o.NewModule = path.Join(modPath, filepath.ToSlash(rel)), false
	}
	if o.Import == "" {
		o.Import = "example.com/" + filepath.Base(dir)
	}
	return o, nil
}

// moduleAt returns the path and the folder of the main module that dir is in, or nothing.
func moduleAt(dir string) (modPath, modDir string) {
	for {
		if _, err := os.Stat(dir); err == nil {
			break
		}
		dir = filepath.Dir(dir)
	}
	cmd := exec.CommandContext(context.Background(), "go", "list", "-m", "-f", "{{.Path}}\t{{.Dir}}")
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		return "", ""
	}
	first, _, _ := strings.Cut(string(out), "\n")
	modPath, modDir, _ = strings.Cut(first, "\t")
	if modPath == "command-line-arguments" {
		return "", ""
	}
	return modPath, modDir
}

// say tells what was written and what to do next.
func (i *initTask) say(s *streams, o scaffold.Options, written []string) {
	cwd, _ := os.Getwd()
	for _, file := range written {
		if abs, err := filepath.Abs(file); err == nil {
			file = relative(cwd, abs)
		}
		fmt.Fprintln(s.stdout, "wrote", file)
	}
	fmt.Fprint(s.stdout, "\nNext:\n")
	if filepath.Clean(i.dir) != "." {
		fmt.Fprintf(s.stdout, "  cd %s\n", i.dir)
	}
	place := o.Checkout
	if place == "" {
		place = "FOLDER   # your checkout of mcpgen"
	}
	switch {
	case !o.NewModule: // go get would ask the network, whatever is replaced
		fmt.Fprintf(s.stdout, "  go mod edit -tool %[1]s/cmd/mcpgen -replace %[1]s=%[2]s\n", scaffold.Module, place)
	case o.Checkout == "":
		fmt.Fprintf(s.stdout, "  go mod edit -replace %s=%s\n", scaffold.Module, place)
	}
	fmt.Fprintln(s.stdout, "  go mod tidy\n  go generate ./...\n  go test ./...")
}
