package mcprt

// Branches is a switch with many cases that is cut into several functions. They are sorted by their first cases.
type Branches []Branch

// Branch is a part of a router. It has the cases from First up to the First of the next branch. Route returns the index
// of the resource that serves a URI, or -1.
type Branch struct {
	First string
	Route func(v *Vars) int
}

// Of calls Route with v in the only branch that can have the case text, and returns its result. b must not be empty.
func (b Branches) Of(text string, v *Vars) int {
	low, high := 1, len(b)
	for low < high {
		if mid := (low + high) / 2; b[mid].First <= text {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return b[low-1].Route(v)
}
