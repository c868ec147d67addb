package protocolir

import (
	"reflect"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/goname"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/protocolir/merged"
	"github.com/mcpgen/mcpgen/internal/protocolir/union"
)

func (b *builder) unionOf(d *merged.Def) *ir.Union {
	u := &ir.Union{Go: b.goNames[d.Name], Schema: d.Name, Group: b.group(d.Name), Revs: d.Revs}
	u.Marker = goname.LowerFirst(u.Go)
	u.Doc = b.comments.Type(u.Go, d, b.docs.Type(d.Path))
	for _, member := range d.Members {
		v := &ir.Variant{Struct: b.goNames[member.Name], Revs: member.Revs}
		if member.Revs != d.Revs {
			v.Downgrade = b.downgradeOf(d, member.Name)
		}
		u.Variants = append(u.Variants, v)
	}
	u.By = union.New(b.Set, b.Report, b.goNames).Decide(d)
	return u
}

// downgradeOf returns the member that takes the place of another one in revisions that do not know it. The exceptions
// name it, and it must be a member of the same union.
func (b *builder) downgradeOf(d *merged.Def, member string) *ir.Downgrade {
	down, ok := b.ex.Downgrade(member)
	if !ok || !d.HasMember(down.To) {
		return nil
	}
	out := &ir.Downgrade{To: b.goNames[down.To], Copy: b.sharedFields(member, down.To, down.Field)}
	if down.Field == "" {
		return out
	}
	target := b.Defs[down.To].Field(down.Field)
	if target == nil || target.Type.Kind != ir.KindString {
		return nil
	}
	out.Field = goname.Of(down.Field)
	for _, part := range down.Text {
		name, isField := strings.CutPrefix(part, "$")
		if !isField {
			out.Parts = append(out.Parts, ir.TextPart{Text: part})
			continue
		}
		if f := b.Defs[member].Field(name); f != nil && f.Type.Kind == ir.KindString {
			out.Parts = append(out.Parts, ir.TextPart{Field: goname.Of(name)})
		}
	}
	return out
}

// sharedFields returns the Go names of the fields that two structs have with the same type, but
// for the property named without.
func (b *builder) sharedFields(from, to, without string) []string {
	var out []string
	for _, f := range b.Defs[from].Fields {
		t := b.Defs[to].Field(f.JSON)
		if t == nil || f.JSON == without || f.Const != "" || t.Const != "" {
			continue
		}
		same := reflect.DeepEqual(b.typeRef(f.Type), b.typeRef(t.Type))
		if same && b.isPointer(b.Defs[from], f) == b.isPointer(b.Defs[to], t) {
			out = append(out, goname.Of(f.JSON))
		}
	}
	slices.Sort(out)
	return out
}
