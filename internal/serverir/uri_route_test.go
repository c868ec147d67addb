package serverir

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/uritemplate"
)

// walk takes uri down the tree the way generated code does, and returns the place of the resource or -1.
func walk(n *ir.RouteNode, resources []*ir.Resource, uri string) int {
	scheme, rest, _ := strings.Cut(uri, ":")
	rest, _ = strings.CutPrefix(rest, "//")
	segs := strings.Split(rest, "/")
	for n != nil {
		switch n.On {
		case ir.RouteScheme:
			n = pick(n, func(c ir.RouteCase) bool { return c.Text == scheme })
		case ir.RouteCount:
			n = pick(n, func(c ir.RouteCase) bool { return c.Count == len(segs) })
		case ir.RouteSegment:
			n = pick(n, func(c ir.RouteCase) bool { return n.Seg < len(segs) && c.Text == segs[n.Seg] })
		default:
			for _, try := range n.Try {
				if tryMatch(resources[try.Resource].Template, try, segs) {
					return try.Resource
				}
			}
			return -1
		}
	}
	return -1
}

func pick(n *ir.RouteNode, fits func(ir.RouteCase) bool) *ir.RouteNode {
	for _, c := range n.Cases {
		if fits(c) {
			return c.Node
		}
	}
	return n.Default
}

func tryMatch(t *uritemplate.Template, try ir.RouteTry, segs []string) bool {
	if len(segs) < try.MinCount {
		return false
	}
	for _, i := range try.Segs {
		at := i
		var text string
		switch {
		case t.Multi == i:
			text = strings.Join(segs[i:len(segs)-(len(t.Segments)-1-i)], "/")
		case t.Multi >= 0 && i > t.Multi:
			at = len(segs) - (len(t.Segments) - i)
			fallthrough
		default:
			text = segs[at]
		}
		if !segMatch(t.Segments[i], text) {
			return false
		}
	}
	return true
}

// segMatch is a reference matcher: every way to split text is tried.
func segMatch(seg uritemplate.Segment, text string) bool {
	if len(seg) == 0 {
		return text == ""
	}
	if seg[0].Var < 0 {
		rest, ok := strings.CutPrefix(text, seg[0].Lit)
		return ok && segMatch(seg[1:], rest)
	}
	for n := 1; n <= len(text); n++ {
		if segMatch(seg[1:], text[n:]) {
			return true
		}
	}
	return false
}

func TestRoutes(t *testing.T) {
	templates := []string{
		"notes:///{id}", "notes:///{id}/raw", "notes:///{+path}", "notes:///by-slug/{slug}",
		"repo://{owner}/{name}/tree/{+path}", "repo://{owner}/{name}", "x:///{a}-{b}", "x:///{a}.{b}.txt", "x:///{+p}/end",
	}
	resources := make([]*ir.Resource, len(templates))
	for i, text := range templates {
		tmpl, _, problems := uritemplate.Parse(text)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		resources[i] = &ir.Resource{Template: tmpl}
	}
	tree := buildRoutes(resources)
	tests := []struct {
		uri  string
		want int
	}{
		{"notes:///a", 0}, {"notes:///a/raw", 1}, {"notes:///a/b", 2}, {"notes:///by-slug/x", 3}, {"notes:///by-slug/raw", 3},
		{"notes:///a/b/c/d", 2}, {"notes:///", -1}, {"other:///a", -1}, {"repo://o/n/tree/a/b", 4}, {"repo://o/n", 5},
		{"repo://o/n/x", -1}, {"x:///a-b", 6}, {"x:///a.b.txt", 7}, {"x:///q/r/end", 8}, {"x:///end", -1}, {"x:///q/r", -1},
	}
	for _, tt := range tests {
		if got := walk(tree, resources, tt.uri); got != tt.want {
			t.Errorf("route %s = %d, want %d", tt.uri, got, tt.want)
		}
	}
}

// The depth of the tree must not grow with the number of templates.
func TestRoutesFlat(t *testing.T) {
	var resources []*ir.Resource
	for i := range 1000 {
		tmpl, _, _ := uritemplate.Parse(fmt.Sprintf("x:///{t}/kind%d/{id}", i))
		resources = append(resources, &ir.Resource{Template: tmpl})
	}
	tree := buildRoutes(resources)
	if got := walk(tree, resources, "x:///t/kind999/7"); got != 999 {
		t.Fatalf("route = %d", got)
	}
	leaf := tree.Cases[0].Node.Cases[0].Node
	if leaf.On != ir.RouteSegment || len(leaf.Cases) != 1000 || len(leaf.Cases[0].Node.Try) != 1 {
		t.Errorf("1000 templates are not told apart by one switch: %v with %d cases", leaf.On, len(leaf.Cases))
	}
}
