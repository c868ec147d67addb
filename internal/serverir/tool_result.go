package serverir

import (
	"fmt"
	"go/token"
	"go/types"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/serverir/jsonschema"
)

// toolResult finds out how the result becomes a tool result.
func (b *serverBuilder) toolResult(t *ir.Tool, d *load.Decl, sig *types.Signature) {
	res := sig.Results()
	from, to := resultRange(d)
	switch n := res.Len(); {
	case n == 1 && isError(res.At(0).Type()):
		t.Result = ir.ToolDone
	case n == 2 && isError(res.At(1).Type()):
		t.Result = b.toolResultKind(res.At(0).Type())
		b.toolOutput(t, res.At(0).Type(), from, to)
	}
	if t.Result == 0 {
		better := "return (Out, error); Out is one of: " + directive.ToolResults
		if n := res.Len(); n == 2 && isSlice(res.At(0).Type()) {
			better = fmt.Sprintf("put the list into a struct: type %sOut struct { Items %s }", d.Name,
				b.typeText(res.At(0).Type()))
		}
		options := []func(*diag.Diagnostic){hint("valid form: " + directive.ToolForm), fix(better)}
		b.report("MCP401", from, to, fmt.Sprintf("a tool returns (Out, error) or error; found %s",
			types.TypeString(res, b.qualifier)), options...)
	}
}

// toolOutput describes a result that is sent as JSON. What is no object is sent as the member "result" of one,
// because the schema of an output is that of an object before 2026-07-28.
func (b *serverBuilder) toolOutput(t *ir.Tool, out types.Type, from, to token.Pos) {
	switch t.Result {
	case ir.ToolStructured:
		out, t.OutPointer = pointedTo(out)
		if b.checkOutput(out, from, to) {
			t.OutputSchema = b.outputSchema(out)
		}
		t.Encode = b.encoder(out)
	case ir.ToolWrapped:
		if b.checkOutput(out, from, to) {
			t.OutputSchema = b.wrappedSchema(out)
		}
		t.Encode = b.encoder(out)
	}
}

// wrappedSchema is the schema of {"result": …}.
func (b *serverBuilder) wrappedSchema(t types.Type) string {
	value := newSchemas(b, false).of(b.formOf(t, false))
	return schemaText(&jsonschema.Type{Kind: jsonschema.Object,
		Fields: []jsonschema.Field{{Name: "result", Required: true, Type: value}}})
}

func isSlice(t types.Type) bool {
	_, ok := t.Underlying().(*types.Slice)
	return ok
}

func isBlocks(t types.Type) bool {
	s, ok := t.Underlying().(*types.Slice)
	return ok && isNamed(s.Elem(), protocolPath, "ContentBlock")
}

// toolResultKind says what becomes of a result of type t; 0 if it cannot be one.
func (b *serverBuilder) toolResultKind(t types.Type) ir.ToolResultKind {
	elem, pointer := pointedTo(t)
	switch {
	case b.mappingOf(elem) != nil:
		return ir.ToolWrapped
	case isNamed(t, mcpPath, "ToolResult"):
		return ir.ToolRaw
	case isNamed(t, protocolPath, "ContentBlock"):
		return ir.ToolBlock
	case isBlocks(t):
		return ir.ToolBlocks
	case isString(t):
		return ir.ToolText
	case isNamed(elem, mcpPath, "ToolResult"), isNamed(elem, "encoding/json", "RawMessage"):
		return 0
	case marshalsText(elem) && !marshalsJSON(elem), isNamed(elem, "time", "Time"):
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
		if !isByteLike(elem) || marshalsJSON(elem) {
			return ir.ToolWrapped
		}
	case *types.Array:
		return ir.ToolWrapped
	case *types.Basic:
		if basicShape(u.Info()) != shapeNone {
			return ir.ToolWrapped
		}
	}
	return 0
}
