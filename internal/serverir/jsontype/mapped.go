package jsontype

import (
	"go/types"
)

// HoldsMapped reports whether values of t that are written hold any that are mapped, so that encoding/json cannot write
// them.
func (b *Types) HoldsMapped(t types.Type) bool {
	return len(b.mappings) > 0 && anyMapped(b.Of(t, false), map[*Type]bool{})
}
