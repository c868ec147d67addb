package tagrule

import (
	"go/types"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/serverir/gotype"
)

// Reader reads the tags of fields.
type Reader struct {
	*gotype.Scope
	// ArgLineOf has the arg lines about fields that were made of parameters of tools.
	ArgLineOf map[*types.Var]*directive.PromptArg
}

// NewReader returns what reads tags in the package s.
func NewReader(s *gotype.Scope) *Reader {
	return &Reader{Scope: s, ArgLineOf: map[*types.Var]*directive.PromptArg{}}
}
