package uritemplate

import (
	"slices"
	"strings"
)

// Index finds among many templates the few that may overlap with another one, so that not every pair is compared. Its
// zero value is empty.
type Index struct {
	exact map[indexKey][]int // by all of the literal text before the first variable
	under map[indexKey][]int // by each prefix of that text
}

// indexKey is what two templates have in common if neither is more specific, with literal text at the beginning.
type indexKey struct {
	scheme   string
	opaque   bool
	literals int
	multi    bool
	prefix   string
}

func keyOf(t *Template) indexKey {
	return indexKey{t.Scheme, t.Opaque, literalBytes(t), t.Multi >= 0, literalPrefix(t)}
}

// literalPrefix is the path up to the first variable.
func literalPrefix(t *Template) string {
	var b strings.Builder
	for _, token := range tokens(t) {
		if token.any {
			break
		}
		b.WriteByte(token.lit)
	}
	return b.String()
}

// Add adds a template with a number, which is greater than those of the ones before.
func (x *Index) Add(t *Template, number int) {
	if x.exact == nil {
		x.exact, x.under = map[indexKey][]int{}, map[indexKey][]int{}
	}
	key := keyOf(t)
	x.exact[key] = append(x.exact[key], number)
	for all := key.prefix; ; key.prefix = key.prefix[:len(key.prefix)-1] {
		if key.prefix != all {
			x.under[key] = append(x.under[key], number)
		}
		if key.prefix == "" {
			return
		}
	}
}

// Near returns the numbers of the templates for which Overlap may find a witness, in ascending order: those whose
// literal beginning continues that of t, or is continued by it.
func (x *Index) Near(t *Template) []int {
	key := keyOf(t)
	out := slices.Clone(x.under[key])
	for {
		out = append(out, x.exact[key]...)
		if key.prefix == "" {
			break
		}
		key.prefix = key.prefix[:len(key.prefix)-1]
	}
	slices.Sort(out)
	return out
}
