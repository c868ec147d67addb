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

// bringsCode is what a feature brings to the capabilities of its server, besides that of its kind.
func bringsCode(m *jenutil.Members, listChanges, logs bool) {
	if listChanges {
		m.Add("ListChanges", jen.True())
	}
	if logs {
		m.Add("Logs", jen.True())
	}
}

// newOf returns new(x), a pointer to a value.
func newOf(x jen.Code) *jen.Statement { return jen.New(x) }

// boolPtr returns new(true), new(false), or nothing for nil.
func boolPtr(b *bool) jen.Code {
	if b == nil {
		return nil
	}
	return newOf(jen.Lit(*b))
}
