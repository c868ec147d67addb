package names

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/mcpgen/mcpgen/internal/ir"
)

// smallSwitch is how many cases a switch of a large router may have without a table.
const smallSwitch = 16

// splitRouters cuts the routers of a large server into tables and functions of limited size, because what the compiler
// needs for a function grows faster than the function. Routers of smaller servers stay whole.
func splitRouters(s *ir.Server, name func(base, kind string) string) {
	templates := 0
	for _, r := range s.Resources {
		if r.Template != nil {
			templates++
		}
	}
	for i := 0; len(s.Needs()) > ir.MaxSwitch && i < len(s.Needs()); i += ir.MaxSwitch {
		s.Names.Needs = append(s.Names.Needs, name("Needs", strconv.Itoa(i/ir.MaxSwitch+1)))
	}
	if templates > ir.MaxSwitch {
		x := splitter{name: name}
		x.split(s.Routes)
	}
}

// splitter numbers the functions of one router.
type splitter struct {
	name          func(base, kind string) string
	funcs, tables int
}

func (x *splitter) function() string {
	x.funcs++
	return x.name("Route", strconv.Itoa(x.funcs))
}

// split cuts what is below a node, and the node itself if it is large.
func (x *splitter) split(n *ir.RouteNode) {
	switch {
	case n == nil:
		return
	case n.On == ir.RouteLeaf:
		for end := ir.MaxSwitch; len(n.Try) > ir.MaxSwitch && end < len(n.Try)+ir.MaxSwitch; end += ir.MaxSwitch {
			n.Parts = append(n.Parts, ir.RoutePart{Name: x.function(), End: min(end, len(n.Try))})
		}
		return
	case n.On != ir.RouteCount && len(n.Cases) > smallSwitch && weight(n) > ir.MaxSwitch:
		x.table(n)
	}
	for _, c := range n.Cases {
		x.below(c.Node)
	}
	x.below(n.Default)
}

// table sorts the cases of a switch and packs them into functions.
func (x *splitter) table(n *ir.RouteNode) {
	slices.SortFunc(n.Cases, func(a, b ir.RouteCase) int { return cmp.Compare(a.Text, b.Text) })
	x.tables++
	n.Table = x.name("Branches", strconv.Itoa(x.tables))
	sum := 0
	for i, c := range n.Cases {
		sum += min(weight(c.Node), ir.MaxSwitch) + 1
		if sum >= ir.MaxSwitch || i == len(n.Cases)-1 {
			n.Parts = append(n.Parts, ir.RoutePart{Name: x.function(), End: i + 1})
			sum = 0
		}
	}
	if n.Default != nil {
		n.Rest = x.function()
	}
}

// below cuts the node of a case, and gives it a function if it is large all the same.
func (x *splitter) below(n *ir.RouteNode) {
	if n == nil {
		return
	}
	x.split(n)
	if n.Table == "" && n.Parts == nil && weight(n) > ir.MaxSwitch {
		n.Func = x.function()
	}
}

// weight is about how many statements the code of a node has, where it stands.
func weight(n *ir.RouteNode) int {
	switch {
	case n == nil:
		return 0
	case n.Func != "" || n.Table != "" || n.Parts != nil:
		return 1
	}
	sum := len(n.Cases) + len(n.Try) + weight(n.Default)
	for _, c := range n.Cases {
		sum += weight(c.Node)
	}
	return sum
}
