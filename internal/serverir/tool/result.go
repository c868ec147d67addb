package tool

import (
	"fmt"
	"go/token"
	"go/types"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/serverir/codec"
	"github.com/mcpgen/mcpgen/internal/serverir/gotype"
	"github.com/mcpgen/mcpgen/internal/serverir/jsoncheck"
	"github.com/mcpgen/mcpgen/internal/serverir/jsonschema"
	"github.com/mcpgen/mcpgen/internal/serverir/jsontype"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
)

// toolResult decides how the result of a function becomes the result of a tool.
func (b *builder) toolResult(t *ir.Tool, d *load.Decl, sig *types.Signature) {
	res := sig.Results()
	from, to := source.ResultRange(d)
	switch n := res.Len(); {
	case n == 1 && gotype.IsError(res.At(0).Type()):
		t.Result = ir.ToolDone
	case n == 2 && gotype.IsError(res.At(1).Type()):
		t.Result = b.toolResultKind(res.At(0).Type())
		b.toolOutput(t, res.At(0).Type(), from, to)
	}
	if t.Result == 0 {
		b.refused[d] = true
		better := "return (Out, error); Out is one of: " + directive.ToolResults
		if n := res.Len(); n == 2 && gotype.IsSlice(res.At(0).Type()) {
			better = fmt.Sprintf("put the list into a struct: type %sOut struct { Items %s }", d.Name,
				b.TypeText(res.At(0).Type()))
		}
		options := []func(*diag.Diagnostic){report.Hint("valid form: " + directive.ToolForm), report.Fix(better)}
		b.Report("MCP401", from, to, fmt.Sprintf("a tool returns (Out, error) or error; found %s",
			types.TypeString(res, b.Qualifier)), options...)
	}
}

// toolOutput describes a result that is sent as JSON. If it is no object, it is sent as the member "result" of one,
// because before 2026-07-28 the output schema must be that of an object.
func (b *builder) toolOutput(t *ir.Tool, out types.Type, from, to token.Pos) {
	switch t.Result {
	case ir.ToolStructured:
		out, t.OutPointer = gotype.PointedTo(out)
		if jsoncheck.Output(b.Types, out, from, to) {
			t.OutputSchema = b.OutputSchema(out)
		}
		t.Encode = b.Encoder(out)
	case ir.ToolWrapped:
		if jsoncheck.Output(b.Types, out, from, to) {
			t.OutputSchema = b.wrappedSchema(out)
		}
		t.Encode = b.Encoder(out)
	}
}

// wrappedSchema returns the schema of {"result": …}.
func (b *builder) wrappedSchema(t types.Type) string {
	value := codec.NewSchemas(b.Types, false).Of(b.Of(t, false))
	return codec.SchemaText(&jsonschema.Type{Kind: jsonschema.Object,
		Fields: []jsonschema.Field{{Name: "result", Required: true, Type: value}}})
}

func isBlocks(t types.Type) bool {
	s, ok := t.Underlying().(*types.Slice)
	return ok && gotype.IsNamed(s.Elem(), gotype.ProtocolPath, "ContentBlock")
}

// toolResultKind returns how a value of type t becomes the result of a tool; 0 if it cannot.
func (b *builder) toolResultKind(t types.Type) ir.ToolResultKind {
	elem, pointer := gotype.PointedTo(t)
	switch {
	case b.MappingOf(elem) != nil:
		return ir.ToolWrapped
	case gotype.IsNamed(t, gotype.RuntimePath, "ToolResult"):
		return ir.ToolRaw
	case gotype.IsNamed(t, gotype.ProtocolPath, "ContentBlock"):
		return ir.ToolBlock
	case isBlocks(t):
		return ir.ToolBlocks
	case gotype.IsString(t):
		return ir.ToolText
	case gotype.IsNamed(elem, gotype.RuntimePath, "ToolResult"), gotype.IsNamed(elem, "encoding/json", "RawMessage"):
		return 0
	case gotype.MarshalsText(elem) && !gotype.MarshalsJSON(elem), gotype.IsNamed(elem, "time", "Time"):
		return ir.ToolWrapped
	}
	switch u := elem.Underlying().(type) {
	case *types.Struct:
		return ir.ToolStructured
	case *types.Map:
		if !pointer {
			return ir.ToolStructured
		}
		return ir.ToolWrapped
	case *types.Slice:
		if !gotype.IsByteLike(elem) || gotype.MarshalsJSON(elem) {
			return ir.ToolWrapped
		}
	case *types.Array:
		return ir.ToolWrapped
	case *types.Basic:
		if jsontype.BasicKind(u.Info()) != jsontype.None {
			return ir.ToolWrapped
		}
	}
	return 0
}
