package gotype

import (
	"cmp"
	"go/types"

	"github.com/mcpgen/mcpgen/internal/ir"
)

// SpecialKind says which value the runtime gives to a parameter because of its type; 0 for none.
func SpecialKind(t types.Type) ir.ParamKind {
	p, pointer := types.Unalias(t).(*types.Pointer)
	switch {
	case pointer && IsNamed(p.Elem(), RuntimePath, "Call"):
		return ir.ParamCall
	case pointer && IsNamed(p.Elem(), "log/slog", "Logger"):
		return ir.ParamLogger
	case IsNamed(t, RuntimePath, "Caller"):
		return ir.ParamCaller
	case IsNamed(t, RuntimePath, "Progress"):
		return ir.ParamProgress
	case IsNamed(t, RuntimePath, "Peer"):
		return ir.ParamPeer
	}
	return 0
}

// Special reports whether a parameter gets its value from the runtime because of its type.
func Special(t types.Type) bool { return SpecialKind(t) != 0 }

// SpecialParam returns a parameter that the runtime fills.
func (b *Scope) SpecialParam(p *types.Var) ir.Param {
	return ir.Param{Kind: SpecialKind(p.Type()), Type: b.GoType(p.Type())}
}

// Blank reports whether a parameter has no name.
func Blank(name string) bool { return name == "" || name == "_" }

// ParamNames returns the names of the parameters after the context.
func ParamNames(sig *types.Signature) []string {
	var out []string
	for i := 1; i < sig.Params().Len(); i++ {
		out = append(out, cmp.Or(sig.Params().At(i).Name(), "_"))
	}
	return out
}
