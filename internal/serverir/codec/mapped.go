package codec

import (
	"cmp"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/serverir/jsontype"
)

// argMapped says how a value is read.
func (b *Codecs) argMapped(v *ir.ArgValue, f *jsontype.Type) {
	m := b.MappingOf(f.Typ)
	v.Kind, v.Base = ir.ArgMapped, argKindOf[jsontype.BasicKind(m.Base.Info())]
	v.Refusal = "must be a valid " + cmp.Or(m.Format, "value")
	if m.Parse != nil { // else it has been reported
		v.Parse = m.Parse.Decl.Name
	}
}

// encMapped says how a value is written.
func (b *Codecs) encMapped(v *ir.EncValue, f *jsontype.Type) {
	m := b.MappingOf(f.Typ)
	v.Kind, v.Base = ir.EncMapped, encKindOf[jsontype.BasicKind(m.Base.Info())]
	if m.Print != nil { // else it has been reported
		v.Format, v.Fails = m.Print.Decl.Name, m.Print.Fails
	}
}
