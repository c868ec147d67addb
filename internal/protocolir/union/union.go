// Package union decides how a decoder tells the members of a union apart.
package union

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/protocolir/merged"
)

// Decider finds out how decoders tell the members of unions apart.
type Decider struct {
	*merged.Set
	*merged.Report
	goNames map[string]string // by merged definition
}

// Tag returns the property whose constant tells the members apart: every member but one
// at most must have constants for it. The one with the most different constants wins, then the first by name.
func (u *Decider) Tag(d *merged.Def) string {
	counts, apart := map[string]int{}, map[string]int{} // members with constants, and different ones among these
	best := ""
	seen := map[string]bool{}
	for _, member := range d.Members {
		for _, f := range u.Defs[member.Name].Fields {
			values := u.Values(member.Name, f.JSON)
			if len(values) == 0 {
				continue
			}
			counts[f.JSON]++
			if key := fmt.Sprintf("%q", append([]string{f.JSON}, values...)); !seen[key] {
				seen[key] = true
				apart[f.JSON]++
			}
		}
	}
	for name, n := range counts {
		if n < len(d.Members)-1 || n == 0 || n == 1 && len(d.Members) > 2 {
			continue
		}
		if best == "" || cmp.Or(cmp.Compare(n, counts[best]), cmp.Compare(apart[name], apart[best]),
			cmp.Compare(best, name)) > 0 {
			best = name
		}
	}
	return best
}

// Values returns the constants that a property of a struct can have.
func (u *Decider) Values(def, property string) []string {
	f := u.Defs[def].Field(property)
	switch {
	case f == nil:
		return nil
	case f.Const != "":
		return []string{f.Const}
	case f.Optional != "":
		return []string{f.Optional}
	case f.Type.Kind == ir.KindEnum && f.Required == u.Defs[def].Revs:
		var out []string
		for _, v := range u.Defs[f.Type.Name].Values {
			out = append(out, v.Text)
		}
		return out
	default:
		return nil
	}
}

// Decide finds for every JSON object the member of the union that it is.
func (u *Decider) Decide(d *merged.Def, tag string) ir.Decision {
	var names []string
	for _, member := range d.Members {
		names = append(names, member.Name)
	}
	if tag == "" {
		probes, rest := u.probes(names, false)
		dec := ir.Decision{Probes: probes}
		if len(rest) == 1 {
			dec.Absent = u.goNames[rest[0]]
		} else if len(rest) > 1 {
			u.Warnf(d.Pos, "the members of %s cannot be told apart; the first that is left, %s, is taken", d.Name, rest[0])
			dec.Absent = u.goNames[rest[0]]
		}
		return dec
	}
	dec := ir.Decision{Tag: tag}
	for _, name := range names {
		f := u.Defs[name].Field(tag)
		if dec.Absent == "" && (f == nil || f.Const == "" && f.Optional != "") {
			dec.Absent = u.goNames[name]
		}
	}
	values, shared, done := map[string][]string{}, map[string]int{}, map[string]bool{}
	for _, name := range names {
		values[name] = u.Values(name, tag)
		for _, v := range values[name] {
			shared[v]++
		}
	}
	for i, first := range names {
		if done[first] || len(values[first]) == 0 {
			continue
		}
		same, all := []string{first}, values[first]
		if slices.ContainsFunc(all, func(v string) bool { return shared[v] > 1 }) {
			for _, name := range names[i+1:] {
				if !done[name] && overlaps(all, values[name]) {
					same, all = append(same, name), union(all, values[name])
				}
			}
		}
		for _, name := range same {
			done[name] = true
		}
		probes, rest := u.probes(same, true)
		if len(rest) > 1 {
			u.Warnf(d.Pos, "%s cannot be told apart as members of %s; the first, %s, is taken", strings.Join(rest, " and "),
				d.Name, rest[0])
		}
		dec.Cases = append(dec.Cases, ir.Case{Values: all, Probes: probes, Variant: u.goNames[rest[0]]})
	}
	return dec
}

func overlaps(a, b []string) bool {
	return slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}

func union(a, b []string) []string {
	out := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// probes orders tests for members that only some of the structs have. With rest set, the
// struct with the fewest required members is what remains when every test fails;
// otherwise the result names the structs that no test finds.
func (u *Decider) probes(names []string, rest bool) ([]ir.Probe, []string) {
	left := slices.Clone(names)
	slices.SortStableFunc(left, func(x, y string) int { return len(u.paths(y, true)) - len(u.paths(x, true)) })
	counts := map[string]int{} // of the structs that are left, by member
	for _, name := range left {
		for _, path := range u.paths(name, false) {
			counts[path]++
		}
	}
	var out []ir.Probe
	for len(left) > 0 && (!rest || len(left) > 1) {
		name, path := u.distinct(left, rest, counts)
		if name == "" {
			return out, left
		}
		for _, path := range u.paths(name, false) {
			counts[path]--
		}
		out = append(out, ir.Probe{Path: strings.Split(path, "\x00"), Variant: u.goNames[name]})
		left = slices.DeleteFunc(left, func(n string) bool { return n == name })
	}
	return out, left
}

// distinct returns a struct with a member that no other one declares, first one that is
// required, then one that is optional. With rest, the last struct is asked last.
func (u *Decider) distinct(names []string, rest bool, counts map[string]int) (name, path string) {
	if !rest {
		return u.distinctOf(names, true, counts)
	}
	last := len(names) - 1
	for _, candidates := range [][]string{names[:last], names[last:]} {
		for _, required := range []bool{true, false} {
			if name, path = u.distinctOf(candidates, required, counts); name != "" {
				return name, path
			}
		}
	}
	return "", ""
}

func (u *Decider) distinctOf(candidates []string, required bool, counts map[string]int) (name, path string) {
	for _, n := range candidates {
		for _, p := range u.paths(n, required) {
			if counts[p] == 1 {
				return n, p
			}
		}
	}
	return "", ""
}

// paths lists the members of a struct and of its required structs, joined with NUL.
func (u *Decider) paths(def string, required bool) []string {
	var out []string
	d := u.Defs[def]
	for _, f := range d.Fields {
		if f.JSON == "_meta" || required && f.Required != d.Revs {
			continue
		}
		out = append(out, f.JSON)
		if f.Type.Kind != ir.KindStruct || f.Required != d.Revs {
			continue
		}
		sub := u.Defs[f.Type.Name]
		for _, g := range sub.Fields {
			if !required || g.Required == sub.Revs {
				out = append(out, f.JSON+"\x00"+g.JSON)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// New returns a decider for a set. goNames has the Go names of its definitions.
func New(s *merged.Set, r *merged.Report, goNames map[string]string) *Decider {
	return &Decider{s, r, goNames}
}
