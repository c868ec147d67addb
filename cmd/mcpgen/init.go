package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/mod/module"

	"github.com/mcpgen/mcpgen/internal/gen"
	"github.com/mcpgen/mcpgen/internal/output"
	"github.com/mcpgen/mcpgen/internal/scaffold"
	"github.com/mcpgen/mcpgen/internal/version"
)

// initTask is the command mcpgen init.
type initTask struct {
	dir, module, checkout string
}

func initCommand(s *streams) *cobra.Command {
	var i initTask
	cmd := &cobra.Command{
		Use: "init DIR", Short: "write a new server with one resource, its program and its test",
		Long: "Writes a new server into a folder that is empty or does not exist: a package with one resource, its\n" +
			"program and its test, and a go.mod if the folder is in no module. Then it prints what to run next.",
		Example:           "  mcpgen init -mcpgen ../mcpgen hello",
		ValidArgsFunction: completeFolder,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("init takes one folder, such as hello")
			}
			i.dir = filepath.Clean(args[0])
			return i.run(s)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&i.module, "module", "", "import `path` of a new module; example.com/DIR if DIR is in no module yet")
	fs.StringVar(&i.checkout, "mcpgen", "", "`folder` of a checkout of mcpgen that the new module shall use; "+
		"a relative one stays relative in go.mod")
	completeFlag(cmd, "mcpgen", completeFolder)
	return exits(cmd, "0 if the files were written, 2 if nothing was.")
}

func (i *initTask) run(s *streams) error {
	o, at, err := i.options()
	if err != nil {
		return err
	}
	var env []string
	if at.work != "" && (o.NewModule || !at.member) {
		env = []string{"GOWORK=off"} // the workspace does not know the folder
	}
	step, end := s.progress()
	defer end()
	written, err := scaffold.Write(o, func(dir string) ([]string, error) {
		r, err := gen.Packages(context.Background(), gen.Options{Dir: dir, Env: env, Step: step})
		if err != nil {
			return nil, err
		}
		if r.Diags.HasErrors() {
			return nil, fmt.Errorf("internal error: the new package has mistakes: %v", r.Diags.Sorted())
		}
		changes, err := r.Write(output.Disk{})
		var files []string
		for _, c := range changes {
			files = append(files, c.Path)
		}
		return files, err
	})
	if err != nil {
		return err
	}
	return i.say(s, o, at, written)
}

// options finds out which module the folder is in, and checks what it can before anything is written.
func (i *initTask) options() (o scaffold.Options, at site, err error) {
	cwd, err := workingDir()
	if err != nil {
		return o, at, err
	}
	dir := i.dir
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(cwd, dir)
	}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return o, at, fmt.Errorf("%s is a file; name a new folder", i.dir)
	}
	o = scaffold.Options{Dir: i.dir, Import: i.module, NewModule: true}
	if o.Checkout, err = i.checkoutDir(); err != nil {
		return o, at, err
	}
	if o.Checkout != "" && !filepath.IsAbs(i.checkout) {
		o.Replace = relativeFolder(dir, o.Checkout)
	}
	if i.module != "" {
		if err := module.CheckImportPath(i.module); err != nil {
			return o, at, err
		}
	}
	if at, err = siteOf(dir); err != nil {
		return o, at, err
	}
	if at.modPath == scaffold.Module && i.module == "" {
		return o, at, fmt.Errorf("%s is in the checkout of mcpgen; go to another folder first", i.dir)
	}
	switch {
	case i.module != "":
	case at.modPath != "":
		rel, relErr := filepath.Rel(at.modDir, dir)
		if relErr != nil {
			return o, at, relErr
		}
		o.Import, o.NewModule = path.Join(at.modPath, filepath.ToSlash(rel)), false
		if err = module.CheckImportPath(o.Import); err != nil {
			err = fmt.Errorf("%s cannot be the folder of a package: %w", i.dir, err)
		}
	default:
		o.Import = "example.com/" + pathElement(filepath.Base(dir))
		err = module.CheckImportPath(o.Import)
	}
	return o, at, err
}

// checkoutDir is the absolute path of the folder that -mcpgen names.
func (i *initTask) checkoutDir() (string, error) {
	if i.checkout == "" {
		return "", nil
	}
	dir, err := filepath.Abs(i.checkout)
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(filepath.Join(dir, "cmd", "mcpgen")); err != nil {
		return "", fmt.Errorf("-mcpgen %s is not a checkout of mcpgen: %w", i.checkout, err)
	}
	return dir, nil
}

// relativeFolder is to as seen from a module in dir, in the form of go.mod. Links on the way do not count; it is
// absolute if there is no way, as between drives.
func relativeFolder(dir, to string) string {
	rel := relative(dir, to)
	if filepath.IsAbs(rel) || strings.HasPrefix(rel, "../") || rel == ".." {
		return rel
	}
	return "./" + rel
}

// pathElement makes an element of an import path of the name of a folder.
func pathElement(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < 0x80 && (r == '-' || r == '_' || r == '.' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r &&
			r <= 'Z') {
			return r
		}
		return '-'
	}, name)
	return cmp.Or(strings.Trim(name, ".-"), "server")
}

// say tells what was written and what to do next.
func (i *initTask) say(s *streams, o scaffold.Options, at site, written []string) error {
	cwd, _ := os.Getwd()
	var b strings.Builder
	for _, file := range written {
		if abs, err := filepath.Abs(file); err == nil {
			file = relative(cwd, abs)
		}
		fmt.Fprintln(&b, "wrote", file)
	}
	b.WriteString("\nNext:\n")
	if i.dir != "." {
		fmt.Fprintf(&b, "  cd %s\n", shellQuote(i.dir))
	}
	switch {
	case at.work == "":
	case o.NewModule:
		b.WriteString("  go work use .\n")
	case !at.member:
		fmt.Fprintf(&b, "  go work use %s\n", shellQuote(at.modDir))
	}
	from := "FOLDER   # your checkout of mcpgen"
	switch {
	case o.Replace != "" && !o.NewModule:
		from = shellQuote(relativeFolder(at.modDir, o.Checkout))
	case o.Checkout != "":
		from = shellQuote(o.Checkout)
	}
	switch {
	case version.Released() && o.Checkout == "":
		if !o.NewModule {
			fmt.Fprintf(&b, "  go get -tool %s/cmd/mcpgen@%s\n", scaffold.Module, version.Version)
		}
	case !o.NewModule: // go get would ask the network, whatever is replaced
		fmt.Fprintf(&b, "  go mod edit -tool %[1]s/cmd/mcpgen -replace %[1]s=%[2]s\n", scaffold.Module, from)
	case o.Checkout == "":
		fmt.Fprintf(&b, "  go mod edit -replace %s=%s\n", scaffold.Module, from)
	}
	b.WriteString("  go mod tidy\n  go generate ./...\n  go test ./...\n")
	_, err := io.WriteString(s.stdout, b.String())
	return err
}

// shellQuote writes a path as shells read it.
func shellQuote(path string) string {
	if !strings.ContainsAny(path, " \t\n\"'`$&;|<>()[]{}*?!#~\\") {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
