package protocolir

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/schema"
)

// review tells what a person may decide otherwise about the definitions that a later revision brings. Once they are in
// the record, their names and types stay, and there is nothing to tell.
func (b *protocolBuilder) review() {
	if len(b.api.Founding) == 0 {
		return
	}
	for _, d := range b.order {
		rev := b.sequence[d.born]
		if !b.later(rev) || b.api.Type(d.name) != nil {
			continue
		}
		_, named := b.ex.Names[d.path]
		switch {
		case d.hoisted && !named && strings.Contains(d.path, "."):
			b.notef(d.pos, "%s has no name and gets %s; another one goes into \"names\" of schema/exceptions.json", d.path,
				b.goNames[d.name])
		case d.hoisted || d.method || d.pos.Line == 0:
		case d.kind == defAlias && !strings.Contains(goText(b.typeRef(d.alias)), "json.RawMessage"):
		case d.kind == defAlias:
			b.notef(d.pos, "%s is another name of %s; \"types\" of schema/exceptions.json can make it \"any\" or \"object\"",
				d.name, goText(b.typeRef(d.alias)))
		case !b.referenced(rev, d.name):
			b.notef(d.pos, "nothing refers to %s; if it is only a base of others, it goes into \"mixins\" of schema/exceptions.json", d.name)
		}
	}
}

// UnsetError is the warning that revisions require texts which code from before leaves empty.
type UnsetError struct {
	Pos      schema.Pos
	Property string
	Owners   []string // names of the definitions
	Since    string   // revision
}

// Error returns file:line:col: warning: text.
func (e *UnsetError) Error() string {
	return fmt.Sprintf("%v: warning: %s is required since %s in %s, and code from before leaves it empty; write what is sent then into "+
		"\"defaults\" of schema/exceptions.json as \"*.%s\", or \"\" if that is right",
		e.Pos, e.Property, e.Since, strings.Join(e.Owners, ", "), e.Property)
}

// unset lists the texts that a later revision requires in structs which other revisions have without them.
func (b *protocolBuilder) unset() []*UnsetError {
	var out []*UnsetError
	for _, d := range b.order {
		for _, f := range d.fields {
			rev := b.requiredSince(d, f)
			if rev < 0 || f.konst != "" || f.typ.kind != ir.KindString && f.typ.kind != ir.KindEnum ||
				b.ex.HasDefault(d.name, f.json) {
				continue
			}
			since := b.schemas[rev].Revision
			i := slices.IndexFunc(out, func(e *UnsetError) bool { return e.Property == f.json && e.Since == since })
			if i < 0 {
				i = len(out)
				out = append(out, &UnsetError{Pos: f.pos, Property: f.json, Since: since})
			}
			out[i].Owners = append(out[i].Owners, d.name)
		}
	}
	return out
}

// requiredSince returns the first later revision that requires a field of a struct which was there before and did not,
// or -1.
func (b *protocolBuilder) requiredSince(d *mergedDef, f *mergedField) int {
	var before ir.Revs
	for _, rev := range b.sequence {
		if b.later(rev) && f.required.Has(rev) && before != 0 && f.required&before == 0 {
			return rev
		}
		before |= d.revs & bit(rev)
	}
	return -1
}
