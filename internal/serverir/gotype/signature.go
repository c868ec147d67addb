package gotype

import (
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
)

// ResultsText returns the result list of a signature, for messages.
func (b *Scope) ResultsText(sig *types.Signature) string {
	if sig.Results().Len() == 0 {
		return "nothing"
	}
	return "`" + types.TypeString(sig.Results(), b.Qualifier) + "`"
}

// SignatureText returns the parameters and results of a signature, for messages.
func (b *Scope) SignatureText(sig *types.Signature) string {
	return strings.TrimPrefix(b.TypeText(types.NewSignatureType(nil, nil, nil, sig.Params(), sig.Results(),
		sig.Variadic())), "func")
}

// RelyOn notes that the output depends on the signature of d, and returns the signature; nil if d did not type-check.
func (b *Scope) RelyOn(d *load.Decl) *types.Signature {
	sig := source.Signature(d)
	if sig == nil {
		return nil
	}
	g := ir.Guard{Func: d.Name, Type: b.GoType(sig), File: filepath.Base(d.File.Path)}
	if sig.Recv() != nil {
		g.Recv = b.GoType(sig.Recv().Type())
		g.Type.Params = slices.Insert(g.Type.Params, 0, g.Recv)
	}
	if key := (guardName{d.Recv, d.Name}); !b.Once.guards[key] {
		b.Once.guards[key] = true
		b.Output.Guards = append(b.Output.Guards, g)
	}
	return sig
}
