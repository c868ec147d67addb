package protocolir

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/protocolir/merged"
	"github.com/mcpgen/mcpgen/internal/protocolir/record"
	"github.com/mcpgen/mcpgen/internal/protocolir/revision"
	"github.com/mcpgen/mcpgen/schema"
)

// review adds notes about names and types that a later revision brings and that a person may decide otherwise. There
// are none for what is in the record, which does not change any more.
func (b *builder) review() {
	if len(b.API.Founding) == 0 {
		return
	}
	for _, d := range b.Order {
		rev := b.Sequence[d.Born]
		if _, known := b.API.Types[d.Name]; known || !b.Later(rev) {
			continue
		}
		_, named := b.ex.Names[d.Path]
		switch {
		case d.Hoisted && !named && strings.Contains(d.Path, "."):
			b.Notef(d.Pos, "%s has no name and gets %s; another one goes into \"names\" of schema/exceptions.json", d.Path,
				b.goNames[d.Name])
		case d.Hoisted || d.Method || d.Pos.Line == 0:
		case d.Kind == revision.Alias && !strings.Contains(record.GoText(b.typeRef(d.Alias)), "json.RawMessage"):
		case d.Kind == revision.Alias:
			b.Notef(d.Pos, "%s is another name of %s; \"types\" of schema/exceptions.json can make it \"any\" or \"object\"",
				d.Name, record.GoText(b.typeRef(d.Alias)))
		case !b.Referenced(rev, d.Name):
			b.Notef(d.Pos, "nothing refers to %s; if it is only a base of others, it goes into \"mixins\" of "+
				"schema/exceptions.json", d.Name)
		}
	}
}

// UnsetError warns of texts that a revision requires and that code for older revisions leaves empty.
type UnsetError struct {
	Pos      schema.Pos
	Property string
	Owners   []string // names of the definitions
	Since    string   // revision
}

// Error returns file:line:col: warning: text.
func (e *UnsetError) Error() string {
	return fmt.Sprintf("%v: warning: %s is required since %s in %s, and code from before leaves it empty; write what is "+
		"sent then into \"defaults\" of schema/exceptions.json as \"*.%s\", or \"\" if that is right",
		e.Pos, e.Property, e.Since, strings.Join(e.Owners, ", "), e.Property)
}

// unset lists the texts that a later revision requires, in structs that other revisions have without them.
func (b *builder) unset() []*UnsetError {
	var out []*UnsetError
	for _, d := range b.Order {
		for _, f := range d.Fields {
			rev := b.requiredSince(d, f)
			if rev < 0 || f.Const != "" || f.Type.Kind != ir.KindString && f.Type.Kind != ir.KindEnum {
				continue
			}
			if _, decided := b.ex.Default(d.Name, f.JSON); decided ||
				b.widens(d, f.JSON, slices.Index(d.FieldsOf(f.JSON), f)) >= 0 {
				continue
			}
			since := b.Schemas[rev].Revision
			i := slices.IndexFunc(out, func(e *UnsetError) bool { return e.Property == f.JSON && e.Since == since })
			if i < 0 {
				i = len(out)
				out = append(out, &UnsetError{Pos: f.Pos, Property: f.JSON, Since: since})
			}
			out[i].Owners = append(out[i].Owners, d.Name)
		}
	}
	return out
}

// requiredSince returns the first later revision that requires a field, if an earlier one has the struct and does not
// require it; else -1.
func (b *builder) requiredSince(d *merged.Def, f *merged.Field) int {
	var before ir.Revs
	for _, rev := range b.Sequence {
		if b.Later(rev) && f.Required.Has(rev) && before != 0 && f.Required&before == 0 {
			return rev
		}
		before |= d.Revs & merged.Bit(rev)
	}
	return -1
}
