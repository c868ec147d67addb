package event

import (
	"go/types"

	"github.com/mcpgen/mcpgen/internal/serverir/gotype"
)

// idOf reads id=: a field that is a string.
func (b *builder) idOf(e *event) {
	f := b.Field(e.spec.ID, e.payload, e.decl.Name)
	switch {
	case f == nil:
	case !gotype.IsString(f.Type()):
		b.WrongField(e.spec.ID, f, e.decl.Name, "a string")
	default:
		e.ID, e.IDText = f.Name(), types.Identical(f.Type(), types.Typ[types.String])
	}
}

// timeOf reads time=: a field that is a time.Time.
func (b *builder) timeOf(e *event) {
	f := b.Field(e.spec.Time, e.payload, e.decl.Name)
	switch {
	case f == nil:
	case !gotype.IsNamed(f.Type(), "time", "Time"):
		b.WrongField(e.spec.Time, f, e.decl.Name, "a time.Time")
	default:
		e.Time = f.Name()
	}
}
