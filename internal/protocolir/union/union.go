// Package union decides how a decoder tells the members of a union apart, for each revision by what that revision says:
// what a later one adds to a union or to its members changes nothing for the older ones.
package union

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/protocolir/merged"
)

// Decider finds out how decoders tell structs apart.
type Decider struct {
	*merged.Set
	*merged.Report
	// Result, if it is there, returns the kind of result that a struct is: its value of the member resultType, or "".
	Result  func(def string) string
	goNames map[string]string // by merged definition
	warned  map[string]bool   // of one union, so that it is said once for all revisions
}

// New returns a decider for a set. goNames has the Go names of its definitions.
func New(s *merged.Set, r *merged.Report, goNames map[string]string) *Decider {
	return &Decider{Set: s, Report: r, goNames: goNames}
}

// ResultType is the member that tells the kinds of results apart.
const ResultType = "resultType"

// form is how one revision tells structs apart.
type form struct {
	rev    int
	tag    string
	absent ir.Choice
	cases  []formCase
}

type formCase struct {
	values []string
	choice ir.Choice
}

// formOf finds for every JSON object of a revision the struct that it is.
func (u *Decider) formOf(d *merged.Def, rev int) form {
	var names []string
	for _, member := range d.Members {
		if member.Revs.Has(rev) {
			names = append(names, member.Name)
		}
	}
	out := form{rev: rev, tag: u.tag(names, rev)}
	if out.tag == "" && len(names) == 1 {
		out.absent.Variant = u.goNames[names[0]]
		return out
	}
	if out.tag == "" {
		probes, rest := u.probes(names, false, rev)
		out.absent.Probes = probes
		if len(rest) > 1 {
			u.warnf(d, "the members of %s cannot be told apart; the first that is left, %s, is taken", d.Name, rest[0])
		}
		if len(rest) > 0 {
			out.absent.Variant = u.goNames[rest[0]]
		}
		return out
	}
	for _, name := range names {
		f := u.Defs[name].FieldIn(out.tag, rev)
		if out.absent.Variant == "" && (f == nil || !f.Required.Has(rev) && len(u.values(name, out.tag, rev)) > 0) {
			out.absent.Variant = u.goNames[name]
		}
	}
	out.cases = u.cases(d, names, out.tag, rev)
	return out
}

// cases finds the struct for every value of the tag. Structs that share values are told apart by their members.
func (u *Decider) cases(d *merged.Def, names []string, tag string, rev int) (out []formCase) {
	values, shared, done := map[string][]string{}, map[string]int{}, map[string]bool{}
	for _, name := range names {
		values[name] = u.values(name, tag, rev)
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
		probes, rest := u.probes(same, true, rev)
		if len(rest) > 1 {
			u.warnf(d, "%s cannot be told apart as members of %s; the first, %s, is taken", strings.Join(rest, " and "),
				d.Name, rest[0])
		}
		out = append(out, formCase{all, ir.Choice{Probes: probes, Variant: u.goNames[rest[0]]}})
	}
	return out
}

// warnf says once what holds for several revisions.
func (u *Decider) warnf(d *merged.Def, format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !u.warned[text] {
		u.warned[text] = true
		u.Warnf(d.Pos, "%s", text)
	}
}

// tag returns the property whose constant tells structs apart in a revision: every struct but one at most must have
// constants for it. The one with the most different constants wins, then the first by name.
func (u *Decider) tag(names []string, rev int) string {
	counts, apart := map[string]int{}, map[string]int{} // structs with constants, and different ones among these
	best := ""
	seen := map[string]bool{}
	for _, name := range names {
		for _, f := range u.Defs[name].Fields {
			values := u.values(name, f.JSON, rev)
			if !f.Revs.Has(rev) || len(values) == 0 || len(values) > 1 && len(names) == 1 {
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
		if n < len(names)-1 || n == 1 && len(names) > 2 {
			continue
		}
		if best == "" || cmp.Or(cmp.Compare(n, counts[best]), cmp.Compare(apart[name], apart[best]),
			cmp.Compare(best, name)) > 0 {
			best = name
		}
	}
	return best
}

// values returns the constants that a property of a struct can have in a revision.
func (u *Decider) values(def, property string, rev int) []string {
	f := u.Defs[def].FieldIn(property, rev)
	switch {
	case f == nil:
		return nil
	case f.Const != "":
		return []string{f.Const}
	case f.ConstIn(rev) != "":
		return []string{f.ConstIn(rev)}
	case property == ResultType && f.Required.Has(rev) && u.Result != nil && u.Result(def) != "":
		return []string{u.Result(def)}
	case f.Type.Kind == ir.KindEnum && f.Required.Has(rev):
		var out []string
		for _, v := range u.Defs[f.Type.Name].Values {
			if v.Revs.Has(rev) {
				out = append(out, v.Text)
			}
		}
		return out
	default:
		return nil
	}
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
