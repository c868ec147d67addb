package pack

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/gen"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load/golist"
	"github.com/mcpgen/mcpgen/internal/output"
)

// facts are what the source says about the server of a program.
type facts struct {
	program                           string // the name of its file
	name, title, description, version string
	website                           string
	tools                             []tool
	// moreTools says that others may come at run time, and prompts that there are some.
	moreTools, prompts bool
}

// tool is a line of the list in a bundle.
type tool struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

// facts reads the packages of the main module that the program links, and finds its server in them.
func (o *options) facts(ctx context.Context, stderr io.Writer) (*facts, error) {
	name, local, err := linked(ctx, o.program)
	if err != nil {
		return nil, err
	}
	r, err := gen.Packages(ctx, gen.Options{Patterns: local})
	if err != nil {
		return nil, err
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	if r.Diags.HasErrors() {
		return nil, errors.Join(errReported, (&diag.Printer{Dir: dir, Source: r.Source}).Print(stderr, r.Diags))
	}
	if err := current(r, dir); err != nil {
		return nil, err
	}
	s, err := o.find(r.Packages)
	if err != nil {
		return nil, err
	}
	f := &facts{program: name, name: s.Name, title: s.Title, description: s.Description, version: s.Version,
		website: s.WebsiteURL}
	f.add(s, "")
	if o.version != "" {
		f.version = o.version
	}
	if o.description != "" {
		f.description = o.description
	}
	return f, o.complete(f)
}

// current reports a generated file that is not what the source says: the program would not be what is said of it.
func current(r *gen.Result, dir string) error {
	changes, err := r.Changes(output.Disk{})
	if err != nil {
		return err
	}
	for _, c := range changes {
		_, was, _ := bytes.Cut(c.Old, []byte("\n"))
		_, is, _ := bytes.Cut(c.New, []byte("\n"))
		if c.Old != nil && c.New != nil && bytes.Equal(was, is) {
			continue // the same from another version of mcpgen
		}
		file := c.Path
		if rel, err := filepath.Rel(dir, file); err == nil {
			file = rel
		}
		return fmt.Errorf("%s is %s; run mcpgen", file, c.What())
	}
	return nil
}

// noVersion is the version of a server whose directive has none.
const noVersion = "0.0.0"

// complete reports what the source has to say, or a flag.
func (o *options) complete(f *facts) error {
	if f.version == noVersion {
		return errors.New("the server has no version; write //mcp:server version=1.2.0, or -version 1.2.0")
	}
	if f.description == "" {
		return errors.New("the server has no description; write //mcp:server desc=\"…\", or -description")
	}
	if n := len([]rune(f.description)); o.registering && n > 100 {
		return fmt.Errorf("the description has %d characters, and a registry takes 100; use -description for a shorter one",
			n)
	}
	return nil
}

// linked returns the name of a program, and the packages of the main module that it links.
func linked(ctx context.Context, pattern string) (name string, local []string, err error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-deps", "-json=Name,ImportPath,DepOnly,Module", "--", pattern)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", nil, golist.Trouble(err, stderr.String())
	}
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var p golist.Package
		if err := d.Decode(&p); err != nil {
			return "", nil, err
		}
		if p.Module != nil && p.Module.Main {
			local = append(local, p.ImportPath)
		}
		switch {
		case p.DepOnly:
		case p.Name != "main":
			return "", nil, fmt.Errorf("%s is package %s and no program; name the folder of its func main, such as ./cmd/%s",
				pattern, p.Name, programName(p.ImportPath))
		case name != "":
			return "", nil, fmt.Errorf("%s: want one program", pattern)
		default:
			name = programName(p.ImportPath)
		}
	}
	if local == nil {
		return "", nil, fmt.Errorf("%s is not in this module", pattern)
	}
	return name, local, nil
}

// majorVersion is an element of an import path after which the go command names no program.
var majorVersion = regexp.MustCompile(`^v([2-9]|[1-9][0-9]+)$`)

// programName is the name of the file that the go command builds of a package.
func programName(importPath string) string {
	if before, last := path.Split(importPath); before != "" && majorVersion.MatchString(last) {
		return path.Base(before)
	}
	return path.Base(importPath)
}

// find returns the server that is packed: the one with the name of -server, or the only one that no other has mounted.
func (o *options) find(packages []*ir.GoPackage) (*ir.Server, error) {
	var all []*ir.Server
	mounted := map[*ir.Server]bool{}
	for _, p := range packages {
		all = append(all, p.Servers...)
		for _, s := range p.Servers {
			for i := range s.Mounts {
				mounted[s.Mounts[i].Server] = true
			}
		}
	}
	var names []string
	for _, s := range all {
		names = append(names, s.Name)
	}
	if o.server != "" {
		if i := slices.Index(names, o.server); i >= 0 {
			return all[i], nil
		}
		return nil, fmt.Errorf("the program has no server %s; it has %s", o.server, strings.Join(names, ", "))
	}
	all = slices.DeleteFunc(all, func(s *ir.Server) bool { return mounted[s] })
	switch len(all) {
	case 0:
		return nil, errors.New("the program links no package of this module with directives")
	case 1:
		return all[0], nil
	}
	return nil, fmt.Errorf("the program has several servers; write -server with one of %s", strings.Join(names, ", "))
}

// add adds the features of s, whose names begin with prefix.
func (f *facts) add(s *ir.Server, prefix string) {
	for _, t := range s.Tools {
		if !t.Proto.Off {
			f.tools = append(f.tools, tool{prefix + t.Name, t.Description})
			f.moreTools = f.moreTools || t.ListChanges()
		}
	}
	f.moreTools = f.moreTools || s.ResourceTools
	f.prompts = f.prompts || len(s.Prompts) > 0
	for i := range s.Mounts {
		f.add(s.Mounts[i].Server, prefix+s.Mounts[i].Prefix)
	}
}
