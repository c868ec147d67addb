package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"io"
	"slices"
)

// count says how many of some things run upward.
type count struct{ all, up int }

// share is the part that runs upward, in percent.
func (c count) share() int {
	if c.all == 0 {
		return 0
	}
	return (200*c.up + c.all) / (2 * c.all)
}

// graph is what the files of one package refer to in each other.
type graph struct {
	names      []string // of the files
	calls      [][]int  // references to functions and methods, from file to file
	refs       [][]int  // all references
	order      []int    // the files from top to bottom
	arrows     count
	references count
	ups        map[[2]int][]string // names that run upward, by pair of files
}

// reference is a pair of declarations, by their places; that a function is named twice makes no second reference.
type reference struct{ from, to token.Pos }

func newGraph(p *pkg) *graph {
	g := &graph{names: p.names, calls: square(len(p.names)), refs: square(len(p.names)), ups: make(map[[2]int][]string)}
	if len(p.names) < 2 {
		return g
	}
	home := make(map[*token.File]int) // of the files written by hand
	for tree, i := range p.byHand {
		home[p.Fset.File(tree.Pos())] = i
	}
	named := make(map[[2]int][]string)
	seen := make(map[reference]bool)
	for tree, from := range p.byHand {
		for _, d := range declarations(tree) {
			ast.Inspect(d, func(n ast.Node) bool {
				id, ok := n.(*ast.Ident)
				if !ok {
					return true
				}
				o := p.TypesInfo.Uses[id]
				if !shared(o, p.Types) {
					return true
				}
				to, ok := home[p.Fset.File(o.Pos())]
				r := reference{d.Pos(), o.Pos()}
				if !ok || to == from || seen[r] {
					return true
				}
				seen[r] = true
				g.refs[from][to]++
				named[[2]int{from, to}] = append(named[[2]int{from, to}], o.Name())
				if _, ok := o.(*types.Func); ok {
					g.calls[from][to]++
				}
				return true
			})
		}
	}
	g.order = order(g.calls, g.refs)
	g.count(named)
	return g
}

// shared reports whether o is a package-level identifier or a method of the package.
func shared(o types.Object, p *types.Package) bool {
	if o == nil || p == nil || o.Pkg() != p {
		return false
	}
	if f, ok := o.(*types.Func); ok {
		return f.Signature().Recv() != nil || o.Parent() == p.Scope()
	}
	return o.Parent() == p.Scope()
}

// declarations returns the functions of a file, and what its other declarations hold, one by one.
func declarations(f *ast.File) []ast.Node {
	var nodes []ast.Node
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok {
			nodes = append(nodes, d)
			continue
		}
		for _, s := range g.Specs {
			nodes = append(nodes, s)
		}
	}
	return nodes
}

func (g *graph) count(named map[[2]int][]string) {
	place := make([]int, len(g.names))
	for i, f := range g.order {
		place[f] = i
	}
	for from := range g.refs {
		for to, n := range g.refs[from] {
			if n == 0 {
				continue
			}
			g.arrows.all++
			g.references.all += n
			if place[to] < place[from] {
				g.arrows.up++
				g.references.up += n
				g.ups[[2]int{from, to}] = named[[2]int{from, to}]
			}
		}
	}
}

// knot returns the lines of the largest set of files in which each refers to each, directly or by way of others.
func (g *graph) knot(lines []int) int {
	n := len(g.names)
	reach := square(n)
	for i := range n {
		for todo := []int{i}; len(todo) > 0; todo = todo[1:] {
			for to, refs := range g.refs[todo[0]] {
				if refs > 0 && reach[i][to] == 0 {
					reach[i][to] = 1
					todo = append(todo, to)
				}
			}
		}
	}
	largest := 0
	for i := range n {
		sum := 0
		for j := range n {
			sum += reach[i][j] * reach[j][i] * lines[j]
		}
		largest = max(largest, sum)
	}
	return largest
}

// print writes the files from top to bottom, each with the names in files above that it refers to.
func (g *graph) print(w io.Writer, path string) {
	if len(g.order) == 0 {
		return
	}
	fmt.Fprintf(w, "%s: %d of %d arrows, %d of %d references run upward\n", path, g.arrows.up, g.arrows.all,
		g.references.up, g.references.all)
	for _, from := range g.order {
		fmt.Fprintf(w, "\t%s\n", g.names[from])
		for _, to := range g.order {
			if names := g.ups[[2]int{from, to}]; names != nil {
				slices.Sort(names)
				fmt.Fprintf(w, "\t\t^ %s: %v\n", g.names[to], slices.Compact(names))
			}
		}
	}
}

func square(n int) [][]int {
	m := make([][]int, n)
	for i := range m {
		m[i] = make([]int, n)
	}
	return m
}
