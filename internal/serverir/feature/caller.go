package feature

import (
	"fmt"
	"go/types"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/serverir/gotype"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
)

// HasContext reports whether the first parameter is a context. If not, it reports an error.
func (b *Context) HasContext(d *load.Decl, sig *types.Signature, what, forms string) bool {
	from, to := source.NameOf(d)
	if sig.TypeParams().Len()+sig.RecvTypeParams().Len() > 0 {
		b.Report("MCP401", from, to, fmt.Sprintf("a %s cannot have type parameters", what),
			report.Hint("valid form: "+forms), report.Fix("write a function without, which calls this one"))
		return false
	}
	if sig.Variadic() {
		b.Report("MCP401", from, to, fmt.Sprintf("a %s has no variable number of parameters", what),
			report.Hint("valid form: "+forms), report.Fix(b.insteadOfVariadic(sig, what)))
		return false
	}
	if sig.Params().Len() == 0 || !gotype.IsNamed(sig.Params().At(0).Type(), "context", "Context") {
		b.Report("MCP401", from, to, fmt.Sprintf("a %s takes a context.Context first", what),
			report.Hint("valid form: "+forms), report.Fix("ctx context.Context"))
		return false
	}
	return true
}

// insteadOfVariadic says how to declare a variadic parameter so that its values can be read: as a list where lists are
// allowed, else as one value.
func (b *Context) insteadOfVariadic(sig *types.Signature, what string) string {
	last := sig.Params().At(sig.Params().Len() - 1)
	one := last.Name() + " " + b.TypeText(last.Type().Underlying().(*types.Slice).Elem())
	list := last.Name() + " " + b.TypeText(last.Type())
	switch what {
	case "tool", "method":
		return "write " + list
	case "resource reader", "watcher":
		return fmt.Sprintf("write %s, or %s for a variable {?%s*}", one, list, last.Name())
	}
	return "write " + one
}

// CallerOnly reports the parameters of a list function or a completion function that depend on the request or the
// connection. It returns true if there are none.
func (b *Context) CallerOnly(d *load.Decl, sig *types.Signature, what, forms string) bool {
	ok := true
	for p := range sig.Params().Variables() {
		if kind := gotype.SpecialKind(p.Type()); kind == 0 || kind == ir.ParamCaller {
			continue
		}
		from, to := source.ParamType(d, p)
		b.Report("MCP505", from, to,
			fmt.Sprintf("a %s may not take %s: what it returns must be the same on every connection of a caller", what,
				b.TypeText(p.Type())),
			report.Hint("valid form: "+forms), report.Fix("take mcp.Caller, or nothing"))
		ok = false
	}
	return ok
}
