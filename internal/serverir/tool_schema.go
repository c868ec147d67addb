package serverir

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/token"
	"go/types"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/ir"
)

// rawArguments binds a parameter of a tool that takes its arguments as JSON text.
func (b *serverBuilder) rawArguments(t *ir.Tool, p *types.Var, spec *directive.Tool, from, to token.Pos) {
	raw := isNamed(p.Type(), "encoding/json", "RawMessage")
	switch {
	case !raw:
		b.report("MCP401", from, to, fmt.Sprintf("with `schema` the arguments of a tool are a json.RawMessage; found %s",
			b.typeText(p.Type())),
			hint("valid form: "+directive.RawToolForm), fix("take a json.RawMessage, or remove `schema`"))
	case !spec.Schema.Set():
		b.report("MCP401", from, to, "nothing says what the arguments are: a json.RawMessage needs a schema",
			hint("valid form: "+directive.RawToolForm), fix("add schema=@FILE, or take a struct"))
	case t.RawArgs:
		b.report("MCP401", from, to, "the arguments of a tool are one value; this is a second one",
			hint("valid form: "+directive.RawToolForm), fix("remove it"))
	}
	t.RawArgs = true
	t.Callee.Params = append(t.Callee.Params, ir.Param{Kind: ir.ParamArgs, Type: b.goType(p.Type())})
}

// givenSchema makes the text of schema= the input schema. It must be a JSON object that describes an object,
// because the arguments of tools are one.
func (b *serverBuilder) givenSchema(t *ir.Tool, spec *directive.Tool) {
	from, to := valueOf(spec.Schema.Arg)
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(spec.Schema.V)); err != nil {
		b.report("MCP109", from, to, fmt.Sprintf("the schema is not JSON: %v", err), fix("repair the file"))
		return
	}
	var root struct {
		Type any `json:"type"`
	}
	if err := json.Unmarshal(compact.Bytes(), &root); err != nil || root.Type != "object" {
		b.report("MCP109", from, to, "the schema is not that of an object, which the arguments of a tool are",
			fix(`write "type": "object" at the root of the schema`))
		return
	}
	if !t.RawArgs {
		b.report("MCP401", from, to, "nothing takes the arguments that `schema` describes",
			hint("valid form: "+directive.RawToolForm), fix("add a parameter of type json.RawMessage"))
		return
	}
	t.InputSchema = compact.String()
}
