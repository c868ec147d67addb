package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/serverir/gotype"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
)

// rawArguments binds a parameter of a tool that takes its arguments as JSON text.
func (b *builder) rawArguments(t *ir.Tool, p *types.Var, spec *directive.Tool, from, to token.Pos) {
	raw := gotype.IsNamed(p.Type(), "encoding/json", "RawMessage")
	switch {
	case !raw:
		b.Report("MCP401", from, to, fmt.Sprintf("with `schema` the arguments of a tool are a json.RawMessage; found %s",
			b.TypeText(p.Type())),
			report.Hint("valid form: "+directive.RawToolForm), report.Fix("take a json.RawMessage, or remove `schema`"))
	case !spec.Schema.Set():
		b.Report("MCP401", from, to, "nothing says what the arguments are: a json.RawMessage needs a schema",
			report.Hint("valid form: "+directive.RawToolForm), report.Fix("add schema=@FILE, or take a struct"))
	case t.RawArgs:
		b.Report("MCP401", from, to, "the arguments of a tool are one value; this is a second one",
			report.Hint("valid form: "+directive.RawToolForm), report.Fix("remove it"))
	}
	t.RawArgs = true
	t.Callee.Params = append(t.Callee.Params, ir.Param{Kind: ir.ParamArgs, Type: b.GoType(p.Type())})
}

// givenSchema makes the text of schema= the input schema. It must be a JSON object that describes an object,
// because the arguments of tools are one.
func (b *builder) givenSchema(t *ir.Tool, spec *directive.Tool) {
	from, to := source.ValueOf(spec.Schema.Arg)
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(spec.Schema.V)); err != nil {
		b.Report("MCP109", from, to, fmt.Sprintf("the schema is not JSON: %v", err), report.Fix("repair the file"))
		return
	}
	var root struct {
		Type any `json:"type"`
	}
	if err := json.Unmarshal(compact.Bytes(), &root); err != nil || root.Type != "object" {
		b.Report("MCP109", from, to, "the schema is not that of an object, which the arguments of a tool are",
			report.Fix(`write "type": "object" at the root of the schema`))
		return
	}
	if ref := outside(compact.Bytes()); ref != "" {
		b.Report("MCP109", from, to, fmt.Sprintf("the schema refers to `%s`, which is not in it", ref),
			report.Hint("clients do not fetch what a schema refers to"), report.Fix("put it below $defs, and refer to it there"))
		return
	}
	if !t.RawArgs {
		b.Report("MCP401", from, to, "nothing takes the arguments that `schema` describes",
			report.Hint("valid form: "+directive.RawToolForm), report.Fix("add a parameter of type json.RawMessage"))
		return
	}
	t.InputSchema = compact.String()
}

// outside returns a reference in a schema to something outside of it; "" if there is none. A schema may refer to
// identifiers that it declares itself.
func outside(schema []byte) string {
	var refs, ids []string
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				text, isText := v[name].(string)
				switch {
				case isText && (name == "$ref" || name == "$dynamicRef"):
					refs = append(refs, text)
				case isText && name == "$id":
					ids = append(ids, text)
				}
				if !slices.Contains([]string{"const", "default", "enum", "examples"}, name) { // values, which are no schemas
					walk(v[name])
				}
			}
		}
	}
	var parsed any
	if json.Unmarshal(schema, &parsed) == nil {
		walk(parsed)
	}
	for _, ref := range refs {
		base, _, _ := strings.Cut(ref, "#")
		if base != "" && !slices.ContainsFunc(ids, func(id string) bool { return strings.HasSuffix(id, base) }) {
			return ref
		}
	}
	return ""
}
