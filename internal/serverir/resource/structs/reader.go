package structs

import (
	"github.com/mcpgen/mcpgen/internal/serverir/resource/binding"
)

// Reader reads annotated structs.
type Reader struct{ *binding.Binder }
