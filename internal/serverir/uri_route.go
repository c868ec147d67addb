package serverir

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

// buildRoutes returns the decision tree over the templates of resources, or nil without any.
// The tree looks at the scheme, the number of segments and literal segments, in that order, so that
// the cost of a look-up does not grow with the number of templates.
func buildRoutes(resources []*ir.Resource) *ir.RouteNode {
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
	var open, closed []routeEntry
	for _, e := range entries {
		if _, ok := literalAt(e.t, seg); ok {
			closed = append(closed, e)
		} else {
			open = append(open, e)
		}
	}
	for _, text := range distinct(closed, func(e routeEntry) string { s, _ := literalAt(e.t, seg); return s }) {
		var fit []routeEntry
		for _, e := range entries {
			s, ok := literalAt(e.t, seg)
			if e.settled[seg] = ok; !ok || s == text {
				fit = append(fit, e)
			}
		}
		node.Cases = append(node.Cases, ir.RouteCase{Text: text, Node: routeBySegment(fit, counted)})
	}
	if len(open) > 0 {
		node.Default = routeBySegment(open, counted)
	}
	return node
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
