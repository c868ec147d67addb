package load

import (
	"fmt"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/load/source"
)

// step is one import on a way from package to package.
type step struct {
	from, to *node
	pos      diag.Pos
	mount    bool // the generated file imports to, because a server mounts it
}

// cycles finds import cycles among packages.
type cycles struct {
	*graph
	fset *token.FileSet
	// members are the packages of cycles that are reported, by import path.
	members map[string]bool
	out     *diag.List
}

// findCycles reports import cycles among the listed packages, each once and by the shortest way. The go command and the
// compiler say only that an import cannot be found or is not allowed. If a cycle goes through a file that is not
// generated yet, they say nothing before the file exists.
func (l *loader) findCycles() error {
	l.cycles = &cycles{graph: l.graph, fset: l.fset, members: map[string]bool{}, out: &l.diags}
	l.cycles.find()
	return nil
}

func (c *cycles) find() {
	steps := map[*node][]step{}
	for _, p := range c.order {
		if p.isLocal() {
			steps[p] = c.steps(p)
		}
	}
	for _, first := range []bool{true, false} { // from what is generated for, as far as that goes
		for _, p := range c.order {
			if (p.Target && p.annotated()) != first || c.members[p.Path] {
				continue
			}
			if way := shortestRound(p, steps); way != nil && !allMounts(way) {
				c.report(way)
			}
		}
	}
}

// steps returns the imports of a package that its user has written, and those that its mounts cause.
func (c *cycles) steps(p *node) []step {
	var out []step
	if !c.mayReturn(p) {
		return nil
	}
	for _, name := range p.listed.Built() {
		path := filepath.Join(p.Dir, name)
		src, err := source.Read(path)
		if err != nil || source.IsOutput(name, src) {
			continue
		}
		fset := token.NewFileSet()
		f, _ := parser.ParseFile(fset, path, src, parser.ImportsOnly) // a syntax error is reported elsewhere
		for _, spec := range f.Imports {
			to, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				continue
			}
			if q := c.pkgs[p.resolve(to)]; q != nil {
				out = append(out, step{from: p, to: q, pos: diag.PosOf(fset, spec.Path.Pos(), spec.Path.End())})
			}
		}
	}
	return append(out, c.mountSteps(p)...)
}

func (c *cycles) mountSteps(p *node) []step {
	var out []step
	p.eachMount(func(path string, arg *directive.Arg) {
		if q := c.pkgs[path]; q != nil && q != p {
			out = append(out, step{from: p, to: q, pos: diag.PosOf(c.fset, arg.Pos, arg.End), mount: true})
		}
	})
	return out
}

// mayReturn reports whether the imports of p may lead back to p, by all imports that the go command knows of and all
// mounts. If not, the files of the package need not be read.
func (c *cycles) mayReturn(p *node) bool {
	seen := map[*node]bool{}
	var visit func(q *node) bool
	visit = func(q *node) bool {
		var next []*node
		for _, path := range q.listed.Imports {
			next = append(next, c.pkgs[path])
		}
		for _, s := range c.mountSteps(q) {
			next = append(next, s.to)
		}
		for _, to := range next {
			switch {
			case to == p:
				return true
			case to == nil || seen[to] || !to.isLocal():
				continue
			}
			seen[to] = true
			if visit(to) {
				return true
			}
		}
		return false
	}
	return visit(p)
}

// shortestRound returns the shortest way from p back to p; nil if there is none.
func shortestRound(p *node, steps map[*node][]step) []step {
	came := map[*node]step{}
	for queue := []*node{p}; len(queue) > 0; queue = queue[1:] {
		for _, s := range steps[queue[0]] {
			if s.to == p {
				way := []step{s}
				for q := s.from; q != p; q = came[q].from {
					way = append(way, came[q])
				}
				slices.Reverse(way)
				return way
			}
			if _, ok := came[s.to]; !ok {
				came[s.to] = s
				queue = append(queue, s.to)
			}
		}
	}
	return nil
}

// allMounts reports whether all steps of a cycle are mounts. Such a cycle has a diagnostic of its own.
func allMounts(way []step) bool {
	return !slices.ContainsFunc(way, func(s step) bool { return !s.mount })
}

func (c *cycles) report(way []step) {
	names := []string{way[0].from.Path}
	for _, s := range way {
		names = append(names, s.to.Path)
		c.members[s.from.Path] = true
	}
	g := diag.New("MCP810", way[0].pos, "import cycle: %s", strings.Join(names, " imports "))
	if len(way) == 1 {
		g = diag.New("MCP810", way[0].pos, "package %s imports itself", names[0])
		g.Fix = "remove the import; a package needs none for its own names"
	} else {
		g.Fix = "move what both need into a package that imports neither, " +
			"or let the one take the other's values as parameters"
	}
	if way[0].mount {
		g.Hint = OutputName + " imports the packages that a server mounts"
	}
	for _, s := range way[1:] {
		what := "%s imports %s here"
		if s.mount {
			what = "%s mounts %s here, and its " + OutputName + " imports it"
		}
		g.Related = append(g.Related, diag.Related{Pos: s.pos, Message: fmt.Sprintf(what, s.from.Path, s.to.Path)})
	}
	c.out.Add(g)
}

// leadsInto reports whether an import that could not be resolved is part of a reported cycle, or leads to one.
func (c *cycles) leadsInto(path string) bool {
	seen := map[string]bool{}
	var visit func(path string) bool
	visit = func(path string) bool {
		p := c.pkgs[path]
		switch {
		case p == nil || seen[path] || !p.isLocal():
			return false
		case c.members[path]:
			return true
		}
		seen[path] = true
		return slices.ContainsFunc(p.listed.Imports, visit)
	}
	return len(c.members) > 0 && visit(path)
}
