package serverir

import (
	"fmt"
	"go/types"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
)

// specialKind says what the runtime gives to a parameter because of its type, or 0.
func specialKind(t types.Type) ir.ParamKind {
	p, pointer := types.Unalias(t).(*types.Pointer)
	switch {
	case pointer && isNamed(p.Elem(), mcpPath, "Call"):
		return ir.ParamCall
	case pointer && isNamed(p.Elem(), "log/slog", "Logger"):
		return ir.ParamLogger
	case isNamed(t, mcpPath, "Caller"):
		return ir.ParamCaller
	case isNamed(t, mcpPath, "Progress"):
		return ir.ParamProgress
	case isNamed(t, mcpPath, "Client"):
		return ir.ParamClient
	}
	return 0
}

// special reports whether a parameter gets its value from the runtime because of its type.
func special(t types.Type) bool { return specialKind(t) != 0 }

// specialParam is a parameter that the runtime fills.
func (b *serverBuilder) specialParam(p *types.Var) ir.Param {
	return ir.Param{Kind: specialKind(p.Type()), Type: b.goType(p.Type())}
}

// callerOnly reports the parameters of a lister or a completion function that depend on the request
// or the connection. It is true if there are none.
func (b *serverBuilder) callerOnly(d *load.Decl, sig *types.Signature, what, forms string) bool {
	ok := true
	for p := range sig.Params().Variables() {
		if kind := specialKind(p.Type()); kind == 0 || kind == ir.ParamCaller {
			continue
		}
		from, to := paramType(d, p)
		b.report("MCP505", from, to,
			fmt.Sprintf("a %s may not take %s: what it returns must be the same on every connection of a caller", what,
				b.typeText(p.Type())),
			hint("valid form: "+forms), fix("take mcp.Caller, or nothing"))
		ok = false
	}
	return ok
}
