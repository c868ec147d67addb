package server

import (
	"time"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/templates/jenutil"
)

// pollCode is mcprt.Poll(30 * time.Second, read).
func pollCode(r *ir.Resource, read jen.Code) *jen.Statement {
	return jenutil.RT("Poll").Call(jenutil.Duration(time.Duration(r.PollMillis)*time.Millisecond), read)
}

// boolPtr returns new(true), new(false), or nothing for nil.
func boolPtr(b *bool) jen.Code {
	if b == nil {
		return nil
	}
	return jen.New(jen.Lit(*b))
}
