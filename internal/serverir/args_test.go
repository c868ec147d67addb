package serverir

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/ir"
)

// kindNames are the kinds of values as the tests below write them.
var kindNames = map[ir.ArgKind]string{
	ir.ArgString: "string", ir.ArgBool: "bool", ir.ArgInt: "int", ir.ArgFloat: "float", ir.ArgEnum: "enum",
	ir.ArgStruct_: "struct",
	ir.ArgSlice:   "slice", ir.ArgPointer: "pointer", ir.ArgMap: "map", ir.ArgRaw: "raw", ir.ArgJSON: "json",
	ir.ArgTime: "time", ir.ArgText: "text",
	ir.ArgObject: "object", ir.ArgArray: "array", ir.ArgNumber: "number", ir.ArgBytes: "bytes",
}

// valueText writes a value as its kinds from the outside to the inside.
func valueText(v *ir.ArgValue) string {
	s := kindNames[v.Kind]
	switch {
	case v.Elem != nil:
		s += " " + valueText(v.Elem)
	case v.Struct != nil:
		s += " " + v.Struct.Decode
	case v.Values != nil:
		s += fmt.Sprint(v.Values)
	}
	return s
}

const kindDecls = `
type Name string
//mcp:enum
type Level string
const (
	Low Level = "low"
	High Level = "high"
	Least = Low
)
//mcp:enum
type One string
const Only One = "only"
type Path string
const Root Path = "/"
type Step int
const (
	First Step = iota
	Second
	numSteps
)
type Flag uint8
const (
	Read Flag = 1 << iota
	Write
	Exec
)
type Limit int
const Most Limit = 10
//mcp:enum
type Code int
const (
	OK Code = 200
	Gone Code = 410
)
type Word struct{ s string }
func (w *Word) UnmarshalText(b []byte) error { return nil }
type Loud string
const (
	A1 Loud = "a"
	B1 Loud = "b"
)
func (l *Loud) UnmarshalText(b []byte) error { return nil }
//mcp:enum
type Said string
const Yes Said = "yes"
func (l *Said) UnmarshalText(b []byte) error { return nil }
type Odd struct{}
func (o *Odd) UnmarshalJSON(b []byte) error { return nil }
type Sub struct{ X int }
type Tree []Tree
type Link map[string]*Node
type Node struct{ Kids []*Node; Links Link }
type Page[T any] struct{ Items []T }
type Key string
type Keyed map[Key]int
type Bytes []byte
type Any = any
type Same = Sub
`

// argKinds says how a member of a type is read, and its schema.
var argKinds = []struct{ typ, value, schema string }{
	{"string", "string", `{"type":"string"}`},
	{"Name", "string", `{"type":"string"}`},
	{"bool", "bool", `{"type":"boolean"}`},
	{"int8", "int", `{"type":"integer","maximum":127,"minimum":-128}`},
	{"uint64", "int", `{"type":"integer","minimum":0}`},
	{"rune", "int", `{"type":"integer","maximum":2147483647,"minimum":-2147483648}`},
	{"float32", "float", `{"type":"number"}`},
	{"Level", "enum[low high]", `{"type":"string","enum":["low","high"]}`},
	{"One", "enum[only]", `{"type":"string","enum":["only"]}`},
	{"Path", "string", `{"type":"string"}`},
	{"Step", "int", `{"type":"integer"}`},
	{"Flag", "int", `{"type":"integer","maximum":255,"minimum":0}`},
	{"Limit", "int", `{"type":"integer"}`},
	{"Code", "int", `{"type":"integer","enum":[200,410]}`},
	{"time.Duration", "int", `{"type":"integer"}`},
	{"time.Weekday", "int", `{"type":"integer"}`},
	{"time.Time", "time", `{"type":"string","format":"date-time"}`},
	{"Word", "text", `{"type":"string"}`},
	{"Loud", "text", `{"type":"string"}`},
	{"Said", "text[yes]", `{"type":"string","enum":["yes"]}`},
	{"Odd", "json", `{}`},
	{"any", "json", `{}`},
	{"Any", "json", `{}`},
	{"json.RawMessage", "raw", `{}`},
	{"json.Number", "number", `{"type":"number"}`},
	{"[]byte", "bytes", `{"type":"string","contentEncoding":"base64"}`},
	{"Bytes", "bytes", `{"type":"string","contentEncoding":"base64"}`},
	{"[]string", "slice string", `{"type":"array","items":{"type":"string"}}`},
	{"[][]Level", "slice slice enum[low high]",
		`{"type":"array","items":{"type":"array","items":{"type":"string","enum":["low","high"]}}}`},
	{"[]any", "slice json", `{"type":"array","items":{}}`},
	{"[2]bool", "array bool", `{"type":"array","items":{"type":"boolean"},"maxItems":2,"minItems":2}`},
	{"map[string]int", "map int", `{"type":"object","additionalProperties":{"type":"integer"}}`},
	{"map[Key]int", "map int", `{"type":"object","additionalProperties":{"type":"integer"}}`},
	{"Keyed", "map int", `{"type":"object","additionalProperties":{"type":"integer"}}`},
	{"map[int]string", "map string",
		`{"type":"object","additionalProperties":{"type":"string"},"propertyNames":{"pattern":"^(0|-?[1-9][0-9]*)$"}}`},
	{"map[string]any", "map json", `{"type":"object","additionalProperties":{}}`},
	{"*int", "pointer int", `{"type":"integer"}`},
	{"**int", "pointer pointer int", `{"type":"integer"}`},
	{"*time.Time", "pointer time", `{"type":"string","format":"date-time"}`},
	{"*Sub", "pointer struct decodeSub",
		`{"type":"object","properties":{"X":{"type":"integer"}},"additionalProperties":false,"required":["X"]}`},
	{"Same", "struct decodeSub",
		`{"type":"object","properties":{"X":{"type":"integer"}},"additionalProperties":false,"required":["X"]}`},
	{"struct{ Y bool }", "object",
		`{"type":"object","properties":{"Y":{"type":"boolean"}},"additionalProperties":false,"required":["Y"]}`},
	{"[]struct{ Y Sub }", "slice object",
		`{"type":"array","items":{"type":"object","properties":{"Y":{"type":"object","properties":{"X":{"type":"integer"}},"additionalProperties":false,"required":["X"]}},` +
			`"additionalProperties":false,"required":["Y"]}}`},
	{"Page[string]", "struct decodePageString",
		`{"type":"object","properties":{"Items":{"type":"array","items":{"type":"string"}}},"additionalProperties":false,"required":["Items"]}`},
	{"Tree", "struct decodeTree", `{"$ref":"#/$defs/Tree"}`},
	{"Node", "struct decodeNode", `{"$ref":"#/$defs/Node"}`},
}

func TestArgKinds(t *testing.T) {
	var src strings.Builder
	src.WriteString(toolHead + kindDecls + "\n")
	for i, tt := range argKinds {
		fmt.Fprintf(&src, "type In%d struct{ V %s }\n\n//mcp:tool\nfunc F%d(ctx context.Context, in In%d) error { return nil }\n", i, tt.typ, i, i)
	}
	p, out := toolsOf(t, src.String(), "")
	if out.Len() > 0 {
		t.Fatal(said(out, src.String()))
	}
	for i, tt := range argKinds {
		tool := p.Servers[0].Tools[i]
		if got := valueText(&tool.Args.Fields[0].Value); got != tt.value {
			t.Errorf("%s is read as %s, want %s", tt.typ, got, tt.value)
		}
		if want := `"properties":{"V":` + tt.schema +
			`},"additionalProperties":false`; !strings.Contains(tool.InputSchema, want) {
			t.Errorf("%s: schema %s, want %s", tt.typ, tool.InputSchema, want)
		}
	}
}

// structDecls are structs with members of all origins, and tools that take them; structStore is
// another package that they use.
const (
	structDecls = `
// decodeTaken is in the way.
func decodeTaken() {}

type Taken struct{ A int }

type Base struct {
	ID   string
	Note string
	Both int
}

type Other struct{ Both int }

type base struct{ Low bool }

type Deep struct{ Base }

type All struct {
	// Name of it,
	// in full.
	Name string ` + "`json:\"name\"`" + `
	Deep
	Other
	base
	Note  int       ` + "`json:\",omitempty\"`" + ` // Note beats the one of Base.
	Skip  chan int  ` + "`json:\"-\"`" + `
	Minus int       ` + "`json:\"-,omitzero\"`" + `
	Ptr   *int
	Taken Taken
	Item  store.Item
	Other2 Other    ` + "`json:\"other\"`" + `
	hidden int
}

type Item struct{ A int }

//mcp:tool
func Do(ctx context.Context, in All, _ *mcp.Call) error { return nil }

//mcp:tool
func Do2(ctx context.Context, in Item) error { return nil }
`

	structStore = `
-- store/store.go --
package store

type inner struct{ Deep bool }

type Item struct {
	inner
	Hidden []inner
	Kids   []Item
}
`
)

func TestArgStructs(t *testing.T) {
	head := strings.Replace(toolHead, "/mcp\"\n", "/mcp\"\n\t\"github.com/mcpgen/mcpgen/store\"\n", 1)
	src := head + structDecls
	p, out := toolsOf(t, src, structStore)
	if out.Len() > 0 {
		t.Fatal(said(out, src))
	}
	fields := func(a *ir.ArgStruct) string {
		var b strings.Builder
		for _, f := range a.Fields {
			fmt.Fprintf(&b, "%s %s %v %s\n", f.GoName, f.JSONName, f.Required, valueText(&f.Value))
		}
		return b.String()
	}
	want := `Name name true string
Deep.Base.ID ID true string
Other.Both Both true int
base.Low Low true bool
Note Note false int
Minus - false int
Ptr Ptr false pointer int
Taken Taken true struct decodeMTaken
Item Item true struct decodeItem
Other2 other true struct decodeOther
`
	if got := fields(p.Args[0]); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	names := make([]string, len(p.Args))
	for i, a := range p.Args {
		names[i] = a.Decode
	}
	if got := strings.Join(names, " "); got != "decodeAll decodeMTaken decodeItem decodeOther decodeMItem" {
		t.Errorf("decoders %s", got)
	}
	if got, want := fields(p.Args[2]), "Deep Deep true bool\nHidden Hidden true slice object\nKids Kids true slice struct decodeItem\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	schema := p.Servers[0].Tools[0].InputSchema
	for _, want := range []string{`"name":{"type":"string","description":"Name of it, in full."}`,
		`"Note":{"type":"integer","description":"Note beats the one of Base."}`} {
		if !strings.Contains(schema, want) {
			t.Errorf("schema %s lacks %s", schema, want)
		}
	}
}

const notSupported = " is not supported by this version of mcpgen yet"

// argFaults are the cases of TestArgFaults.
var argFaults = []struct{ name, src, says string }{
	{"a channel", "type X struct{ C chan int }",
		"MCP403 at \"X\": `X` cannot be read from JSON: field C is a channel\n\trelated line 17: the field"},
	{"deep", "type Y struct{ F []func() }\n\ntype X struct{ Y map[string]*Y }",
		"MCP403 at \"X\": `X` cannot be read from JSON: field Y.F holds a function\n\trelated line 17: the field"},
	{"several", "type X struct {\n\tA complex64\n\tB error\n\tC map[bool]int\n}",
		"MCP403 at \"X\": `X` cannot be read from JSON: field A is a complex number\n\trelated line 18: the field\n" +
			"MCP403 at \"X\": `X` cannot be read from JSON: field B is an interface with methods (`error`)\n\trelated line 19: the field\n" +
			"MCP403 at \"X\": `X` cannot be read from JSON: field C is a map with keys of type `bool`\n\trelated line 20: the field"},
	{"schema tag", "type X struct {\n\tA int `json:\"a\" jsonschema:\"minimum=x\"`\n}",
		"MCP109 at \"x\": `minimum` must be a number"},
	{"mcp tag", "type X struct {\n\tA int `mcp:\"header=X,complete=list\" json:\"a\"`\n}",
		"MCP804 at \"complete=list\": `complete` in the mcp tag of an input" + notSupported},
	{"quoted tag", "type X struct {\n\tA int \"mcp:\\\"x\\\"\"\n}",
		"MCP104 at \"\\\"mcp:\\\\\\\"x\\\\\\\"\\\"\": the `mcp` tag of an input has no option `x`"},
	{"string", "type X struct {\n\tA int `json:\"a,string\"`\n}", ""},
	{"limit in quotes", "type X struct {\n\tA int `json:\"a,string\" jsonschema:\"minimum=1\"`\n}",
		"MCP406 at \"minimum=1\": `minimum` is for numbers, and field A is an integer in quotes"},
	{"tag inside", "type Y struct { B int `mcp:\"x\"` }\n\ntype X struct { A []Y }",
		"MCP104 at \"x\": the `mcp` tag of an input has no option `x`"},
	{"tag of a field without JSON", "type X struct {\n\tA int `json:\"-\" mcp:\"x\"`\n}", ""},
	{"embedded pointer", "type Y struct { B int }\n\ntype X struct { *Y }", ""},
	{"pointers only", "type P *P\n\ntype X struct { A P }",
		"MCP403 at \"X\": `X` cannot be read from JSON: field A is a pointer to nothing but pointers\n\trelated line 19: the field"},
	{"holds itself without a name", "type X struct { A store.Open }\n",
		"MCP804 at \"X\": a type in `X` that holds itself and that this package cannot name" + notSupported},
	{"tag elsewhere", "type X struct { A store.Item }\n",
		"MCP104 at \"\": the `mcp` tag of an input has no option `x`"}, // in another file
	{"out of reach", "type X struct { A store.Bad }\n",
		"MCP804 at \"X\": field A.a stands in an unexported type of another package, which" + notSupported +
			"\n\trelated line 10: the field"},
}

func TestArgFaults(t *testing.T) {
	t.Attr("requirements", "prompt-validate")
	tests := argFaults
	const store = `
-- store/store.go --
package store

type Item struct {
	B int ` + "`mcp:\"x\"`" + `
}

type a struct { B string }

type Bad struct {
	a ` + "`json:\"B\"`" + `
}

type again struct{ Kids []again }

type Open struct{ Again again }
`
	var sources []string
	for _, tt := range tests {
		src := toolHead + "\n" + tt.src + "\n\n//mcp:tool\nfunc Do(ctx context.Context, in X) error { return nil }\n"
		if strings.Contains(tt.src, "store.") {
			src = strings.Replace(src, "/mcp\"\n", "/mcp\"\n\t\"github.com/mcpgen/mcpgen/store\"\n", 1)
		}
		sources = append(sources, src)
	}
	for i, p := range manyToolsOf(t, sources, store) {
		tt := tests[i]
		if got := strings.TrimSpace(said(p.out, sources[i])); got != tt.says {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.says)
		}
	}
}
