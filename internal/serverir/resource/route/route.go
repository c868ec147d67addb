// Package route lays out templates as a decision tree.
package route

import (
	"slices"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/uritemplate"
)

// routeEntry is one template on its way into the decision tree.
type routeEntry struct {
	resource int
	t        *uritemplate.Template
	settled  [uritemplate.MaxSegments]bool
}

// Build returns the decision tree over the templates of resources, or nil without any.
// The tree looks at the scheme, the number of segments and literal segments, in that order, so that
// the cost of a look-up does not grow with the number of templates.
func Build(resources []*ir.Resource) *ir.RouteNode {
	var entries []routeEntry
	for i, r := range resources {
		if r.Template != nil {
			entries = append(entries, routeEntry{resource: i, t: r.Template})
		}
	}
	if len(entries) == 0 {
		return nil
	}
	slices.SortStableFunc(entries, func(a, b routeEntry) int { return uritemplate.Compare(a.t, b.t) })
	node := &ir.RouteNode{On: ir.RouteScheme}
	for _, scheme := range distinct(entries, func(e routeEntry) string { return e.t.Scheme }) {
		same := slices.DeleteFunc(slices.Clone(entries), func(e routeEntry) bool { return e.t.Scheme != scheme })
		node.Cases = append(node.Cases, ir.RouteCase{Text: scheme, Node: routeByCount(same)})
	}
	return node
}

// routeByCount switches on the number of segments.
func routeByCount(entries []routeEntry) *ir.RouteNode {
	node := &ir.RouteNode{On: ir.RouteCount}
	var multi []routeEntry
	counts := map[int]bool{}
	for _, e := range entries {
		if e.t.Multi >= 0 {
			multi = append(multi, e)
		} else {
			counts[len(e.t.Segments)] = true
		}
	}
	for n := 1; n <= uritemplate.MaxSegments; n++ {
		if !counts[n] {
			continue
		}
		fit := slices.DeleteFunc(slices.Clone(entries), func(e routeEntry) bool {
			return len(e.t.Segments) > n || e.t.Multi < 0 && len(e.t.Segments) != n
		})
		node.Cases = append(node.Cases, ir.RouteCase{Count: n, Node: routeBySegment(fit, true)})
	}
	if len(multi) > 0 {
		node.Default = routeBySegment(multi, false)
	}
	if len(node.Cases) == 0 {
		return node.Default
	}
	return node
}

// routeBySegment switches on the segment that tells most templates apart, or ends in a leaf.
func routeBySegment(entries []routeEntry, counted bool) *ir.RouteNode {
	seg := bestSegment(entries)
	if seg < 0 {
		return leaf(entries, counted)
	}
	node := &ir.RouteNode{On: ir.RouteSegment, Seg: seg}
	var open []int
	closed := map[string][]int{}
	var texts []string
	for i, e := range entries {
		text, ok := literalAt(e.t, seg)
		switch {
		case !ok:
			open = append(open, i)
		case closed[text] == nil:
			texts = append(texts, text)
			fallthrough
		default:
			closed[text] = append(closed[text], i)
		}
	}
	node.Falls = len(texts) > ir.MaxSwitch && len(open) > 0
	for _, text := range texts {
		also := open
		if node.Falls {
			also = first(entries, open, closed[text])
		}
		node.Cases = append(node.Cases, ir.RouteCase{Text: text,
			Node: routeBySegment(fitting(entries, seg, closed[text], also), counted)})
	}
	if len(open) > 0 {
		node.Default = routeBySegment(fitting(entries, seg, nil, open), counted)
	}
	return node
}

// fitting are the entries at two lists of places, in order. Those of the first have a literal at seg that was compared.
func fitting(entries []routeEntry, seg int, closed, open []int) []routeEntry {
	places := slices.Concat(closed, open)
	slices.Sort(places)
	var out []routeEntry
	for _, i := range places {
		e := entries[i]
		_, e.settled[seg] = literalAt(e.t, seg)
		out = append(out, e)
	}
	return out
}

// first are the open entries that must be tried in the case of some closed ones: the more specific ones that may match
// the same URI as one of these, or as another open one that is tried there. If there are many cases, only these are
// tried in them, and all open ones once, behind the switch.
func first(entries []routeEntry, open, closed []int) []int {
	var out []int
	for _, o := range slices.Backward(open) {
		wins := func(i int) bool { return o < i && !apart(entries[o].t, entries[i].t) }
		if slices.ContainsFunc(closed, wins) || slices.ContainsFunc(out, wins) {
			out = append(out, o)
		}
	}
	return out
}

// apart reports whether two templates have different literals at one place, so that no URI matches both.
func apart(a, b *uritemplate.Template) bool {
	for seg := range uritemplate.MaxSegments {
		x, isX := literalAt(a, seg)
		y, isY := literalAt(b, seg)
		if isX && isY && x != y {
			return true
		}
	}
	return false
}

// bestSegment returns the segment that most entries have a literal at, if it tells entries apart; else -1.
func bestSegment(entries []routeEntry) int {
	best, most := -1, 0
	for seg := range uritemplate.MaxSegments {
		n, texts := 0, map[string]bool{}
		for _, e := range entries {
			if s, ok := literalAt(e.t, seg); ok && !e.settled[seg] {
				n++
				texts[s] = true
			}
		}
		if len(entries) > 1 && n > most && (len(texts) > 1 || n < len(entries)) {
			best, most = seg, n
		}
	}
	return best
}

// literalAt returns the literal text of a segment that stands at a fixed place from the front.
func literalAt(t *uritemplate.Template, seg int) (string, bool) {
	if seg >= len(t.Segments) || t.Multi >= 0 && seg >= t.Multi {
		return "", false
	}
	switch s := t.Segments[seg]; {
	case len(s) == 0:
		return "", true
	case len(s) == 1 && s[0].Var < 0:
		return s[0].Lit, true
	}
	return "", false
}

// leaf lists what is left to match for each entry.
func leaf(entries []routeEntry, counted bool) *ir.RouteNode {
	node := &ir.RouteNode{On: ir.RouteLeaf}
	for _, e := range entries {
		try := ir.RouteTry{Resource: e.resource}
		if !counted {
			try.MinCount = len(e.t.Segments)
		}
		for seg := range e.t.Segments {
			if !e.settled[seg] {
				try.Segs = append(try.Segs, seg)
			}
		}
		node.Try = append(node.Try, try)
	}
	return node
}

// distinct returns the values of key in order of first appearance.
func distinct(entries []routeEntry, key func(routeEntry) string) []string {
	var out []string
	for _, e := range entries {
		if k := key(e); !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	return out
}
