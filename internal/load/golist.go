package load

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// listed is the part of the go command's answer that is used.
type listed struct {
	ImportPath string
	Name       string
	Dir        string
	GoFiles    []string
	// TestGoFiles and XTestGoFiles are the tests of the package, inside and outside of it.
	TestGoFiles, XTestGoFiles []string
	// IgnoredGoFiles are left out of this build, tests among them.
	IgnoredGoFiles []string
	// Match are the patterns that matched the package.
	Match     []string
	CgoFiles  []string
	Imports   []string
	ImportMap map[string]string
	Standard  bool
	DepOnly   bool
	Export    string
	Module    *struct {
		Path      string
		Dir       string
		Main      bool
		GoVersion string
	}
	Error *struct{ Err string }
}

const graphFields = "ImportPath,Name,Dir,GoFiles,CgoFiles,TestGoFiles,XTestGoFiles,IgnoredGoFiles,Match,Imports,ImportMap,Standard,DepOnly,Module,Error"

// golist runs the go command. With -e it answers for broken packages too, so an
// exit code counts only if there is no answer.
func (l *loader) golist(args ...string) ([]*listed, error) {
	overlay, remove, err := l.overlay()
	if err != nil {
		return nil, err
	}
	defer remove()
	flags := []string{"list", "-e"}
	if overlay != "" {
		flags = append(flags, overlay)
	}
	cmd := exec.CommandContext(l.ctx, "go", append(flags, args...)...)
	cmd.Dir, cmd.Env = l.cfg.Dir, l.env()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	runErr := cmd.Run()
	var out []*listed
	for dec := json.NewDecoder(&stdout); ; {
		p := new(listed)
		err := dec.Decode(p)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("load: answer of go list: %w", err)
		}
		out = append(out, p)
	}
	if runErr != nil && len(out) == 0 {
		if text := strings.TrimSpace(stderr.String()); text != "" {
			return nil, fmt.Errorf("load: go list: %s", text)
		}
		return nil, fmt.Errorf("load: go list: %w", runErr)
	}
	return out, nil
}

// env is the environment of the go command. It must not fetch another version of
// itself: a generator that needs the network is not repeatable.
func (l *loader) env() []string {
	return append(append(os.Environ(), "GOTOOLCHAIN=local"), l.cfg.Env...)
}

// list asks for the import graph, dependencies first.
func (l *loader) list() error {
	patterns := l.cfg.Patterns
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	all, err := l.graphOf(patterns)
	if err != nil {
		return err
	}
	return l.graph(all)
}

// graphOf asks for packages and all that they import, again without our outputs if one of them is in the way.
func (l *loader) graphOf(patterns []string) ([]*listed, error) {
	args := append([]string{"-deps", "-json=" + graphFields, "--"}, patterns...)
	all, err := l.golist(args...)
	if err != nil || !unreadable(all) || l.hidden != nil {
		return all, err
	}
	hidden, err := l.hideOutputs()
	if err != nil || !hidden {
		return all, err
	}
	return l.golist(args...)
}

// graph keeps the packages that have files. Patterns that match none of these
// are an error.
func (l *loader) graph(all []*listed) error {
	var trouble []error
	found := false
	for _, li := range all {
		p := l.add(li, !li.DepOnly)
		found = found || p != nil && p.Target && len(li.GoFiles)+len(li.CgoFiles)+len(li.IgnoredGoFiles) > 0
		if p == nil && !li.DepOnly {
			trouble = append(trouble, fmt.Errorf("load: %s", li.Error.Err))
		}
	}
	if !found {
		return errors.Join(trouble...)
	}
	return nil
}

// add takes in one package of the answer; nil if it could not be found.
func (l *loader) add(li *listed, target bool) *Package {
	p := &Package{Path: li.ImportPath, Name: li.Name, Dir: li.Dir, Target: target, listed: li}
	p.outputIsOurs = l.hidden[p.Output()]
	if li.Module != nil {
		p.Module = li.Module.Path
	}
	excluded := target && len(li.IgnoredGoFiles) > 0 // its directives are reported all the same
	if li.Error != nil && len(li.GoFiles)+len(li.CgoFiles) == 0 && !excluded {
		l.missing[li.ImportPath] = li.Error.Err
		return nil
	}
	l.order = append(l.order, p)
	l.pkgs[p.Path] = p
	return p
}

// isLocal reports whether the package belongs to the main module, to a module of
// the workspace, or to no module at all.
func (p *Package) isLocal() bool {
	if p.listed.Module == nil {
		return !p.listed.Standard
	}
	return p.listed.Module.Main
}

// export asks for the export data of packages, which the go command compiles
// if they are not in its cache. Packages that do not compile are left out.
func (l *loader) export(paths []string) error {
	all, err := l.golist(append([]string{"-export", "-json=ImportPath,Export,Error", "--"}, paths...)...)
	if err != nil {
		return err
	}
	for _, li := range all {
		if li.Export != "" {
			l.exports[li.ImportPath] = li.Export
		} else if li.Error != nil && l.missing[li.ImportPath] == "" {
			l.missing[li.ImportPath] = li.Error.Err
		}
	}
	return nil
}
