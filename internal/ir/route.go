package ir

// RouteNode is a node of the decision tree over the templates of a server: a switch, or at a leaf
// the templates to try in order.
type RouteNode struct {
	On RouteOn
	// Seg is the segment that a RouteSegment switch looks at.
	Seg   int
	Cases []RouteCase
	// Default is taken when no case fits; nil means that nothing matches.
	Default *RouteNode
	// Falls says that Default is also taken when a case fits and nothing in it matches.
	Falls bool
	// Try are the templates to try, most specific first.
	Try []RouteTry
	// Func is the function of its own that the node stands in, as part of a large router; empty for most.
	Func string
	// Table has the functions of a large switch, whose cases are sorted; empty for most. Rest is the function for Default.
	Table, Rest string
	// Parts are the functions for the cases of a large switch, or for the templates of a large leaf.
	Parts []RoutePart
}

// RoutePart is a function for the cases, or templates, before End that are not in the parts before it.
type RoutePart struct {
	Name string
	End  int
}

// RouteTry is one template at a leaf, with what the switches above it have not settled yet.
type RouteTry struct {
	// Resource is the place in Server.Resources.
	Resource int
	// Segs are the segments to match, in order.
	Segs []int
	// MinCount is the least number of segments of a URI, 0 if the number is settled.
	MinCount int
}

// RouteOn says what a node switches on.
type RouteOn uint8

// What a node switches on.
const (
	RouteLeaf    RouteOn = iota // nothing: Try is set
	RouteScheme                 // Path.Scheme
	RouteCount                  // Path.N
	RouteSegment                // Path.Seg[Seg]
)

// RouteCase is one value of a switch; Count is used by RouteCount, Text by the others.
type RouteCase struct {
	Text  string
	Count int
	Node  *RouteNode
}
