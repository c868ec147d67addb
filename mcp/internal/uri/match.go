package uri

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/mcp/wire"
)

// TakeParts matches a segment that holds several variables between literals, such as report-{year}-{week}.md with the
// literals "report-", "-" and ".md", and records the variables as i, i+1 and so on. A variable ends at the first
// occurrence of the literal behind it; the last variable ends before the last literal. None may be empty or contain a
// slash.
func (v *Vars) TakeParts(i int, seg string, lits ...string) bool {
	last := len(lits) - 1
	rest, ok := strings.CutPrefix(seg, lits[0])
	if !ok {
		return false
	}
	if rest, ok = strings.CutSuffix(rest, lits[last]); !ok {
		return false
	}
	for _, lit := range lits[1:last] {
		var raw string
		if raw, rest, ok = strings.Cut(rest, lit); !ok || !v.Take(i, raw) {
			return false
		}
		i++
	}
	return v.Take(i, rest)
}

// TakeSpan records several segments, with their slashes, as variable i. The span begins with segment number begin, and
// leaves out the last skip segments of the path. TakeSpan reports whether the span has any text.
func (v *Vars) TakeSpan(i, begin, skip int) bool {
	raw := v.Tail(begin)
	for range skip {
		cut := strings.LastIndexByte(raw, '/')
		if cut < 0 {
			return false
		}
		raw = raw[:cut]
	}
	v.Set(i, raw)
	return raw != ""
}

// TakeRest records the segments from number begin to the end of the path as variable i. It returns false if the path
// has no such segment. The text may be empty, as in the URI of a directory.
func (v *Vars) TakeRest(i, begin int) bool {
	v.Set(i, v.Tail(begin))
	return v.N > begin
}

// Back returns the k-th segment from the end of the path; 1 is the last one. Unlike Seg it also finds segments beyond
// the sixteenth.
func (v *Vars) Back(k int) string {
	path := v.Tail(0)
	for ; k > 1; k-- {
		path = path[:max(0, strings.LastIndexByte(path, '/'))]
	}
	return path[strings.LastIndexByte(path, '/')+1:]
}

// TakeParams records all query parameters called name as variable i, a list, if the URI has any.
func (v *Vars) TakeParams(i int, name string) {
	v.drop(i)
	var joined []byte // two or more values: adding to a string would copy it each time
	for k, value := range v.params() {
		switch {
		case k != name:
		case !v.Has(i):
			v.Set(i, value)
		case joined == nil:
			joined = append(make([]byte, 0, len(v.Query)), v.raw[i]...)
			fallthrough
		default:
			joined = append(append(joined, '&'), value...)
		}
	}
	if joined != nil {
		v.Set(i, string(joined))
	}
	if v.Has(i) {
		v.has |= 1 << (i + MaxVars)
	}
}

// OnlyParams reports whether the query has no other parameters than names.
func (v *Vars) OnlyParams(names ...string) bool {
	for k := range v.params() {
		if !slices.Contains(names, k) {
			return false
		}
	}
	return true
}

// params yields the names, decoded, and the values, as they stand, of the query parameters.
func (v *Vars) params() func(yield func(name, value string) bool) {
	return func(yield func(string, string) bool) {
		for part := range strings.SplitSeq(v.Query, "&") {
			k, value, _ := strings.Cut(part, "=")
			if plain, ok := wire.Unescape(k); ok {
				k = plain
			}
			if part != "" && !yield(k, value) {
				return
			}
		}
	}
}

// Default gives variable i a text if the URI does not have it.
func (v *Vars) Default(i int, text string) {
	switch {
	case v.Has(i):
	case v.given:
		v.Set(i, text)
	default:
		v.Set(i, string(wire.AppendSegment(nil, text)))
	}
}

// Need refuses a URI without variable i, which is a variable of the query called name.
func (v *Vars) Need(i int, name string) {
	if !v.Has(i) {
		v.Fail(name, "is required")
	}
}

// Each runs a loop over the elements of variable i, which is a list. In each round of
//
//	for range v.Each(i) { … }
//
// variable i is one element. There are no rounds if the URI does not have the variable.
func (v *Vars) Each(i int) func(yield func() bool) {
	return func(yield func() bool) {
		if !v.Has(i) {
			return
		}
		whole, sep := v.raw[i], "/"
		if v.has&(1<<(i+MaxVars)) != 0 {
			sep = "&"
		}
		defer v.Set(i, whole)
		for part := range strings.SplitSeq(whole, sep) {
			if v.Set(i, part); !yield() {
				return
			}
		}
	}
}

// Set gives variable i the value raw, which is percent-encoded unless v was made ready by ResetPlain.
func (v *Vars) Set(i int, raw string) {
	v.raw[i] = raw
	v.has |= 1 << i
}

// SetList gives variable i, a list of the query, the percent-encoded values in joined, which ampersands separate.
func (v *Vars) SetList(i int, joined string) {
	v.Set(i, joined)
	v.has |= 1 << (i + MaxVars)
}

func (v *Vars) drop(i int) {
	v.raw[i] = ""
	v.has &^= (1 | 1<<MaxVars) << i
}
