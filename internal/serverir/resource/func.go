package resource

import (
	"fmt"
	"go/types"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/mimetype"
	"github.com/mcpgen/mcpgen/internal/serverir/gotype"
	"github.com/mcpgen/mcpgen/internal/serverir/jsoncheck"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/resource/binding"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
)

// resourceFunc builds a resource whose content a method or function returns.
func (b *Builder) resourceFunc(r *binding.Resource) {
	sig := source.Signature(r.Decl)
	if sig == nil {
		return
	}
	b.Guard(r.Decl)
	b.VarLines(r)
	if b.HasContext(r.Decl, sig, "resource reader", directive.ReadForm) {
		r.Callee.Params = b.Bind(r, r.Decl, sig, 1)
	}
	b.roots.fileRoot(r)
	b.result(r, sig)
	b.CheckVars(r)
}

// result decides how the result of the function becomes contents.
func (b *Builder) result(r *binding.Resource, sig *types.Signature) {
	res := sig.Results()
	if res.Len() != 2 || !gotype.IsError(res.At(1).Type()) {
		from, to := source.ResultRange(r.Decl)
		better := "return (T, error)"
		if res.Len() == 1 && !gotype.IsError(res.At(0).Type()) {
			better = fmt.Sprintf("return (%s, error)", b.TypeText(res.At(0).Type()))
		}
		b.Report("MCP401", from, to, "a resource reader returns (T, error); found "+b.ResultsText(sig),
			report.Hint("valid form: "+directive.ReadForm), report.Fix(better))
		return
	}
	if t := res.At(0).Type(); gotype.IsByteLike(t) && !gotype.IsBytes(t) &&
		!gotype.MarshalsText(t) && !gotype.MarshalsJSON(t) {
		from, to := source.ResultRange(r.Decl)
		b.Report("MCP401", from, to, fmt.Sprintf("the elements of `%s` are no bytes: they have a type of their own",
			b.TypeText(t)), report.Fix("return []byte"))
		return
	}
	r.Result = resultKind(res.At(0).Type(), r.MIME)
	if r.Result == ir.ResultJSON && !gotype.IsNamed(res.At(0).Type(), "encoding/json", "RawMessage") {
		from, to := source.ResultRange(r.Decl)
		jsoncheck.Check(b.Types, res.At(0).Type(), false, from, to)
		var out types.Type
		out, r.OutPointer = gotype.PointedTo(res.At(0).Type())
		mapped := b.HoldsMapped(out)
		r.Encode = b.Encoder(out)
		if mapped && r.Encode == nil {
			b.Report("MCP804", from, to,
				fmt.Sprintf("a mapped type in `%s`, of which this package cannot name all parts, "+
					"is not supported by this version of mcpgen yet", b.TypeText(out)),
				report.Fix("return a struct of this package"))
		}
	}
	b.FillMIME(r, "")
}

// resultKind returns how a result of type t becomes contents.
func resultKind(t types.Type, mimeType string) ir.ResultKind {
	switch {
	case gotype.IsNamed(t, "encoding/json", "RawMessage"):
		return ir.ResultJSON
	case gotype.IsNamed(t, gotype.RuntimePath, "Contents"):
		return ir.ResultRaw
	case gotype.IsNamed(t, gotype.RuntimePath, "Content"):
		return ir.ResultContent
	case isContentSlice(t):
		return ir.ResultContents
	case gotype.Seq2(t) != nil:
		if args := gotype.Seq2(t); gotype.IsNamed(args[0], gotype.RuntimePath, "Content") && gotype.IsError(args[1]) {
			return ir.ResultContentSeq
		}
	case gotype.IsBytes(t) && mimetype.IsText(mimeType):
		return ir.ResultTextBytes
	case gotype.IsBytes(t):
		return ir.ResultBlob
	case gotype.IsReader(t):
		if mimetype.IsText(mimeType) {
			return ir.ResultTextStream
		}
		return ir.ResultStream
	case gotype.MarshalsText(t) && !gotype.IsStruct(gotype.Deref(types.Unalias(t))):
		return ir.ResultMarshaler
	case gotype.IsString(t):
		return ir.ResultText
	}
	return ir.ResultJSON
}

func isContentSlice(t types.Type) bool {
	s, ok := t.Underlying().(*types.Slice)
	return ok && gotype.IsNamed(s.Elem(), gotype.RuntimePath, "Content")
}
