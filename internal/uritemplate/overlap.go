package uritemplate

import (
	"cmp"
	"slices"
	"strings"
)

// Compare orders the more specific template first: more literal bytes, then no variable that spans segments.
func Compare(a, b *Template) int {
	return cmp.Or(cmp.Compare(literalBytes(b), literalBytes(a)), cmp.Compare(min(a.Multi, 0), min(b.Multi, 0)))
}

// literalBytes counts the literal bytes of the path, slashes included.
func literalBytes(t *Template) int {
	n := len(t.Segments)
	for _, seg := range t.Segments {
		for _, part := range seg {
			n += len(part.Lit)
		}
	}
	return n
}

// Overlap returns a URI that both templates match when neither is more specific than the other, so
// that nothing decides which of them serves it. Queries do not count: they never choose a template.
func Overlap(a, b *Template) (witness string, ambiguous bool) {
	if a.Scheme != b.Scheme || a.Opaque != b.Opaque || Compare(a, b) != 0 {
		return "", false
	}
	path, ok := common(tokens(a), tokens(b))
	if !ok {
		return "", false
	}
	if a.Opaque {
		return a.Scheme + ":" + path, true
	}
	return a.Scheme + "://" + path, true
}

// AnyOf returns a function that reports whether one of the templates matches a URI, as far as the path decides. It
// looks only at templates that begin like the URI, so that a thousand URIs and a thousand templates are not a million
// comparisons.
func AnyOf(list []*Template) func(uri string) bool {
	begins := make(map[string][]func(string) bool)
	for _, t := range list {
		start := beginning(t)
		begins[start] = append(begins[start], matcher(t))
	}
	return func(uri string) bool {
		for i := range len(uri) + 1 {
			if slices.ContainsFunc(begins[uri[:i]], func(match func(string) bool) bool { return match(uri) }) {
				return true
			}
		}
		return false
	}
}

// beginning is a text with which all begins that t matches.
func beginning(t *Template) string {
	if t.MultiEmpty { // which may end anywhere
		return prefix(t)
	}
	return prefix(t) + literalPrefix(t)
}

// prefix is what stands before the path of t.
func prefix(t *Template) string {
	if t.Opaque {
		return t.Scheme + ":"
	}
	return t.Scheme + "://"
}

// matcher returns a function that reports whether t matches a URI, as far as the path decides.
func matcher(t *Template) func(uri string) bool {
	list := tokens(t)
	return func(uri string) bool {
		path, ok := strings.CutPrefix(uri, prefix(t))
		path, _, _ = strings.Cut(path, "?")
		at := []int{0}
		for i := 0; ok && i < len(path) && len(at) > 0; i++ {
			var next []int
			for _, k := range at {
				next = append(next, after(list, k, path[i])...)
			}
			slices.Sort(next)
			at = slices.Compact(next)
		}
		return ok && (t.MultiEmpty && len(at) > 0 || slices.ContainsFunc(at, func(k int) bool { return done(list, k) }))
	}
}

// token matches one byte of a path, or with star any number of bytes.
type token struct {
	lit   byte // the byte, if not any
	any   bool // any byte that can stand in a segment
	slash bool // with any: a slash as well
	star  bool
}

// tokens flattens the path of t. A variable is one byte and then any number: it is never empty.
func tokens(t *Template) []token {
	var out []token
	for i, seg := range t.Segments {
		if i > 0 {
			out = append(out, token{lit: '/'})
		}
		for _, part := range seg {
			if part.Var < 0 {
				for _, c := range []byte(part.Lit) {
					out = append(out, token{lit: c})
				}
				continue
			}
			multi := i == t.Multi
			out = append(out, token{any: true, slash: multi}, token{any: true, slash: multi, star: true})
		}
	}
	return out
}

func (t token) accepts(c byte) bool {
	if t.any {
		return t.slash || c != '/'
	}
	return t.lit == c
}

// common returns a shortest path that both lists of tokens match: a breadth-first search over pairs of
// positions, so its cost is the product of the two lengths.
func common(a, b []token) (string, bool) {
	type state struct{ i, j int }
	type visit struct {
		state
		path string
	}
	alphabet := bytesOf(a, b)
	seen := map[state]bool{{0, 0}: true}
	queue := []visit{{}}
	for len(queue) > 0 {
		v := queue[0]
		queue = queue[1:]
		if done(a, v.i) && done(b, v.j) {
			return v.path, true
		}
		for _, c := range alphabet {
			for _, i := range after(a, v.i, c) {
				for _, j := range after(b, v.j, c) {
					if s := (state{i, j}); !seen[s] {
						seen[s] = true
						queue = append(queue, visit{s, v.path + string(c)})
					}
				}
			}
		}
	}
	return "", false
}

// bytesOf returns the bytes worth trying: a letter for the variables, then every literal byte.
func bytesOf(lists ...[]token) []byte {
	out := []byte{'a'}
	for _, list := range lists {
		for _, t := range list {
			if !t.any && !slices.Contains(out, t.lit) {
				out = append(out, t.lit)
			}
		}
	}
	return out
}

// done reports whether the path may end at position i.
func done(list []token, i int) bool {
	for ; i < len(list); i++ {
		if !list[i].star {
			return false
		}
	}
	return true
}

// after returns the positions that follow position i once c is read.
func after(list []token, i int, c byte) []int {
	var out []int
	for ; i < len(list); i++ {
		if list[i].accepts(c) {
			if list[i].star {
				out = append(out, i)
			} else {
				out = append(out, i+1)
			}
		}
		if !list[i].star {
			break
		}
	}
	return out
}
