// Package labels has the labels of the numbers in package stats: for each label a type, whose constants are the values
// and index the counters. Users see the text that String returns.
package labels

// A Label is a value of a label.
type Label interface {
	~uint8
	String() string
}

// Add adds n to the number with that label; it makes the map. Nothing is added for 0.
func Add[L Label](to *map[string]int64, l L, n int64) {
	if n == 0 {
		return
	}
	if *to == nil {
		*to = make(map[string]int64)
	}
	(*to)[l.String()] += n
}

// Texts returns the texts of the first n values of a label.
func Texts[L Label](n L) []string {
	out := make([]string, n)
	for l := range n {
		out[l] = l.String()
	}
	return out
}
