package union

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/internal/ir"
)

// probes orders tests for members that only some of the structs have in a revision, and for the numbers and booleans
// that only one of them may have at a member. With rest set, the struct with the fewest required members is what
// remains when every test fails; otherwise the result names the structs that no test finds.
func (u *Decider) probes(names []string, rest bool, rev int) ([]ir.Probe, []string) {
	p := &prober{u, rev, map[string]int{}}
	left := slices.Clone(names)
	slices.SortStableFunc(left, func(x, y string) int { return len(p.paths(y, true)) - len(p.paths(x, true)) })
	for _, name := range left {
		for _, path := range p.paths(name, false) {
			p.counts[path]++
		}
	}
	var out []ir.Probe
	found := func(name string, at []string, values ...string) {
		for _, path := range p.paths(name, false) {
			p.counts[path]--
		}
		for _, value := range values {
			out = append(out, ir.Probe{Path: at, Value: value, Variant: u.goNames[name]})
		}
		left = slices.DeleteFunc(left, func(n string) bool { return n == name })
	}
	for _, name := range slices.Clone(left) {
		if tag, values := p.scalar(name, names); tag != "" && (!rest || len(left) > 1) {
			found(name, []string{tag}, values...)
		}
	}
	for len(left) > 0 && (!rest || len(left) > 1) {
		name, path := p.distinct(left, rest)
		if name == "" {
			return out, left
		}
		found(name, strings.Split(path, "\x00"), "")
	}
	return out, left
}

// prober looks for members that one struct alone has in a revision.
type prober struct {
	*Decider
	rev    int
	counts map[string]int // of the structs that are left, by member
}

// distinct returns a struct with a member that no other one declares, first one that is
// required, then one that is optional. With rest, the last struct is asked last.
func (p *prober) distinct(names []string, rest bool) (name, path string) {
	if !rest {
		return p.distinctOf(names, true)
	}
	last := len(names) - 1
	for _, candidates := range [][]string{names[:last], names[last:]} {
		for _, required := range []bool{true, false} {
			if name, path = p.distinctOf(candidates, required); name != "" {
				return name, path
			}
		}
	}
	return "", ""
}

func (p *prober) distinctOf(candidates []string, required bool) (name, path string) {
	for _, n := range candidates {
		for _, path := range p.paths(n, required) {
			if p.counts[path] == 1 {
				return n, path
			}
		}
	}
	return "", ""
}

// paths lists the members of a struct and of its required structs, joined with NUL.
func (p *prober) paths(def string, required bool) []string {
	var out []string
	for _, f := range p.Defs[def].Fields {
		must := f.Required.Has(p.rev)
		if f.JSON == "_meta" || !f.Revs.Has(p.rev) || required && !must {
			continue
		}
		out = append(out, f.JSON)
		if f.Type.Kind != ir.KindStruct || !must {
			continue
		}
		for _, g := range p.Defs[f.Type.Name].Fields {
			if g.Revs.Has(p.rev) && (!required || g.Required.Has(p.rev)) {
				out = append(out, f.JSON+"\x00"+g.JSON)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// scalar returns a required member that is limited to numbers or booleans which no other struct may have there, and
// these; "" if there is none.
func (p *prober) scalar(def string, all []string) (tag string, values []string) {
	for _, f := range p.Defs[def].Fields {
		if !f.Revs.Has(p.rev) || !f.Required.Has(p.rev) {
			continue
		}
		values := f.ScalarsIn(p.rev)
		shared := func(other string) bool { return other != def && p.mayBe(other, f.JSON, values) }
		if len(values) > 0 && !slices.ContainsFunc(all, shared) {
			return f.JSON, values
		}
	}
	return "", nil
}

// mayBe reports whether a member of a struct may have one of some numbers or booleans.
func (p *prober) mayBe(def, property string, values []string) bool {
	f := p.Defs[def].FieldIn(property, p.rev)
	if f == nil || len(p.values(def, property, p.rev)) > 0 {
		return false // it has not, or is a text
	}
	own := f.ScalarsIn(p.rev)
	return own == nil || slices.ContainsFunc(values, func(v string) bool {
		return slices.ContainsFunc(own, func(o string) bool { return equalScalars(v, o) })
	})
}

// equalScalars reports whether two numbers or booleans may be equal: those that differ for float64 are not.
func equalScalars(a, b string) bool {
	x, xerr := strconv.ParseFloat(a, 64)
	y, yerr := strconv.ParseFloat(b, 64)
	return a == b || xerr == nil && yerr == nil && x == y
}
