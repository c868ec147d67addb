package union

import (
	"reflect"
	"slices"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/protocolir/merged"
)

// Decide finds for every JSON object the member of the union that it is, in each revision that has the union. Revisions
// with the same tag share a decision; that of the newest is the last.
func (u *Decider) Decide(d *merged.Def) []ir.Decision {
	u.warned = map[string]bool{}
	var tags []string
	byTag := map[string][]form{}
	for rev := d.Revs.Last(); rev >= 0; rev-- {
		if !d.Revs.Has(rev) {
			continue
		}
		f := u.formOf(d, rev)
		if byTag[f.tag] == nil {
			tags = append(tags, f.tag)
		}
		byTag[f.tag] = append(byTag[f.tag], f)
	}
	slices.Reverse(tags)
	var out []ir.Decision
	for _, tag := range tags {
		out = append(out, join(tag, byTag[tag]))
	}
	return out
}

// join makes one decision of the forms of several revisions with the same tag, newest first.
func join(tag string, forms []form) ir.Decision {
	dec := ir.Decision{Tag: tag}
	var values []string
	choices := map[string][]ir.Choice{}
	for _, f := range forms {
		dec.Revs |= merged.Bit(f.rev)
		if f.absent.Variant != "" || len(f.absent.Probes) > 0 {
			dec.Absent = addChoice(dec.Absent, f.absent, f.rev)
		}
		for _, c := range f.cases {
			for _, v := range c.values {
				if choices[v] == nil {
					values = append(values, v)
				}
				choices[v] = addChoice(choices[v], c.choice, f.rev)
			}
		}
	}
	for _, v := range values {
		i := slices.IndexFunc(dec.Cases, func(c ir.Case) bool { return reflect.DeepEqual(c.Choices, choices[v]) })
		if i < 0 {
			dec.Cases = append(dec.Cases, ir.Case{Values: []string{v}, Choices: choices[v]})
		} else {
			dec.Cases[i].Values = append(dec.Cases[i].Values, v)
		}
	}
	return dec
}

// addChoice adds the choice of one revision to those of other ones.
func addChoice(list []ir.Choice, c ir.Choice, rev int) []ir.Choice {
	for i := range list {
		if list[i].Variant == c.Variant && reflect.DeepEqual(list[i].Probes, c.Probes) {
			list[i].Revs |= merged.Bit(rev)
			return list
		}
	}
	c.Revs = merged.Bit(rev)
	return append(list, c)
}
