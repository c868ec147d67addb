package protocolir

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/goname"
	"github.com/mcpgen/mcpgen/internal/ir"
)

func (b *protocolBuilder) unionOf(d *mergedDef) *ir.Union {
	u := &ir.Union{Go: b.goNames[d.name], Schema: d.name, Group: b.group(d.name), Revs: d.revs}
	u.Marker = goname.LowerFirst(u.Go)
	u.Doc = b.typeDoc(u.Go, d, b.docs.Type(d.path))
	tag := b.tagOf(d)
	for _, member := range d.members {
		v := &ir.Variant{Struct: b.goNames[member.name], Revs: member.revs}
		if values := b.tagValues(member.name, tag); len(values) == 1 {
			v.Tag = values[0]
		}
		if member.revs != d.revs {
			v.Downgrade = b.downgradeOf(d, member.name)
		}
		u.Variants = append(u.Variants, v)
	}
	if slices.ContainsFunc(u.Variants, func(v *ir.Variant) bool { return isForeign(v.Struct) }) {
		u.Marker = ""
	}
	u.By = b.decide(d, tag)
	return u
}

// tagOf returns the property whose constant tells the members apart: every member but one
// at most must have constants for it. The one with the most different constants wins, then the first by name.
func (b *protocolBuilder) tagOf(d *mergedDef) string {
	counts, apart := map[string]int{}, map[string]int{} // members with constants, and different ones among these
	best := ""
	seen := map[string]bool{}
	for _, member := range d.members {
		for _, f := range b.defs[member.name].fields {
			values := b.tagValues(member.name, f.json)
			if len(values) == 0 {
				continue
			}
			counts[f.json]++
			if key := fmt.Sprintf("%q", append([]string{f.json}, values...)); !seen[key] {
				seen[key] = true
				apart[f.json]++
			}
		}
	}
	for name, n := range counts {
		if n < len(d.members)-1 || n == 0 || n == 1 && len(d.members) > 2 {
			continue
		}
		if best == "" || cmp.Or(cmp.Compare(n, counts[best]), cmp.Compare(apart[name], apart[best]),
			cmp.Compare(best, name)) > 0 {
			best = name
		}
	}
	return best
}

// tagValues returns the constants that a property of a struct can have.
func (b *protocolBuilder) tagValues(def, property string) []string {
	f := b.defs[def].field(property)
	switch {
	case f == nil:
		return nil
	case f.konst != "":
		return []string{f.konst}
	case f.optional != "":
		return []string{f.optional}
	case f.typ.kind == ir.KindEnum && f.required == b.defs[def].revs:
		var out []string
		for _, v := range b.defs[f.typ.name].values {
			out = append(out, v.text)
		}
		return out
	default:
		return nil
	}
}

// decide finds for every JSON object the member of the union that it is.
func (b *protocolBuilder) decide(d *mergedDef, tag string) ir.Decision {
	var names []string
	for _, member := range d.members {
		names = append(names, member.name)
	}
	if tag == "" {
		probes, rest := b.probes(names, false)
		dec := ir.Decision{Probes: probes}
		if len(rest) == 1 {
			dec.Absent = b.goNames[rest[0]]
		} else if len(rest) > 1 {
			b.warnf(d.pos, "the members of %s cannot be told apart; the first that is left, %s, is taken", d.name, rest[0])
			dec.Absent = b.goNames[rest[0]]
		}
		return dec
	}
	dec := ir.Decision{Tag: tag}
	for _, name := range names {
		f := b.defs[name].field(tag)
		if dec.Absent == "" && (f == nil || f.konst == "" && f.optional != "") {
			dec.Absent = b.goNames[name]
		}
	}
	values, shared, done := map[string][]string{}, map[string]int{}, map[string]bool{}
	for _, name := range names {
		values[name] = b.tagValues(name, tag)
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
		probes, rest := b.probes(same, true)
		if len(rest) > 1 {
			b.warnf(d.pos, "%s cannot be told apart as members of %s; the first, %s, is taken", strings.Join(rest, " and "),
				d.name, rest[0])
		}
		dec.Cases = append(dec.Cases, ir.Case{Values: all, Probes: probes, Variant: b.goNames[rest[0]]})
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
func (b *protocolBuilder) probes(names []string, rest bool) ([]ir.Probe, []string) {
	left := slices.Clone(names)
	slices.SortStableFunc(left, func(x, y string) int { return len(b.paths(y, true)) - len(b.paths(x, true)) })
	counts := map[string]int{} // of the structs that are left, by member
	for _, name := range left {
		for _, path := range b.paths(name, false) {
			counts[path]++
		}
	}
	var out []ir.Probe
	for len(left) > 0 && (!rest || len(left) > 1) {
		name, path := b.distinct(left, rest, counts)
		if name == "" {
			return out, left
		}
		for _, path := range b.paths(name, false) {
			counts[path]--
		}
		out = append(out, ir.Probe{Path: strings.Split(path, "\x00"), Variant: b.goNames[name]})
		left = slices.DeleteFunc(left, func(n string) bool { return n == name })
	}
	return out, left
}

// distinct returns a struct with a member that no other one declares, first one that is
// required, then one that is optional. With rest, the last struct is asked last.
func (b *protocolBuilder) distinct(names []string, rest bool, counts map[string]int) (name, path string) {
	if !rest {
		return b.distinctOf(names, true, counts)
	}
	last := len(names) - 1
	for _, candidates := range [][]string{names[:last], names[last:]} {
		for _, required := range []bool{true, false} {
			if name, path = b.distinctOf(candidates, required, counts); name != "" {
				return name, path
			}
		}
	}
	return "", ""
}

func (b *protocolBuilder) distinctOf(candidates []string, required bool, counts map[string]int) (name, path string) {
	for _, n := range candidates {
		for _, p := range b.paths(n, required) {
			if counts[p] == 1 {
				return n, p
			}
		}
	}
	return "", ""
}

// paths lists the members of a struct and of its required structs, joined with NUL.
func (b *protocolBuilder) paths(def string, required bool) []string {
	var out []string
	d := b.defs[def]
	for _, f := range d.fields {
		if f.json == "_meta" || required && f.required != d.revs {
			continue
		}
		out = append(out, f.json)
		if f.typ.kind != ir.KindStruct || f.required != d.revs {
			continue
		}
		sub := b.defs[f.typ.name]
		for _, g := range sub.fields {
			if !required || g.required == sub.revs {
				out = append(out, f.json+"\x00"+g.json)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// downgradeOf returns what a member becomes for revisions that do not know it, if the
// exceptions say so and the replacement is a member of the same union.
func (b *protocolBuilder) downgradeOf(d *mergedDef, member string) *ir.Downgrade {
	down, ok := b.ex.Downgrade(member)
	if !ok || !slices.ContainsFunc(d.members, func(m mergedMember) bool { return m.name == down.To }) {
		return nil
	}
	out := &ir.Downgrade{To: b.goNames[down.To], Copy: b.sharedFields(member, down.To, down.Field)}
	if down.Field == "" {
		return out
	}
	target := b.defs[down.To].field(down.Field)
	if target == nil || target.typ.kind != ir.KindString {
		return nil
	}
	out.Field = goname.Of(down.Field)
	for _, part := range down.Text {
		name, isField := strings.CutPrefix(part, "$")
		if !isField {
			out.Parts = append(out.Parts, ir.TextPart{Text: part})
			continue
		}
		if f := b.defs[member].field(name); f != nil && f.typ.kind == ir.KindString {
			out.Parts = append(out.Parts, ir.TextPart{Field: goname.Of(name)})
		}
	}
	return out
}

// sharedFields returns the Go names of the fields that two structs have with the same type, but
// for the property named without.
func (b *protocolBuilder) sharedFields(from, to, without string) []string {
	var out []string
	for _, f := range b.defs[from].fields {
		t := b.defs[to].field(f.json)
		if t == nil || f.json == without || f.konst != "" || t.konst != "" {
			continue
		}
		same := reflect.DeepEqual(b.typeRef(f.typ), b.typeRef(t.typ))
		if same && b.isPointer(b.defs[from], f) == b.isPointer(b.defs[to], t) {
			out = append(out, goname.Of(f.json))
		}
	}
	slices.Sort(out)
	return out
}
