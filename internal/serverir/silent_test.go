package serverir

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/ir"
)

// crossedTypes are types of every kind, and crossedDecls the declarations of some of them.
const crossedDecls = `
type Name string
//mcp:enum
type Level string
const (
	Low Level = "low"
	High Level = "high"
)
//mcp:enum
type Rank int
const (
	One Rank = 1
	Two Rank = 2
)
type Word struct{ s string }
func (w *Word) UnmarshalText(b []byte) error { return nil }
func (w Word) MarshalText() ([]byte, error) { return nil, nil }
//mcp:enum
type Tone string
const Soft Tone = "soft"
func (w *Tone) UnmarshalText(b []byte) error { return nil }
func (w Tone) MarshalText() ([]byte, error) { return nil, nil }
//mcp:enum
type Shade int
const Dark Shade = 1
func (w *Shade) UnmarshalText(b []byte) error { return nil }
func (w Shade) MarshalText() ([]byte, error) { return nil, nil }
//mcp:enum
type Grade uint8
const Best Grade = 1
type Odd struct{}
func (o *Odd) UnmarshalJSON(b []byte) error { return nil }
//mcp:enum
type Mark string
const Good Mark = "good"
func (m *Mark) UnmarshalJSON(b []byte) error { return nil }
type Stamp struct{ Code string }
func (s Stamp) MarshalJSON() ([]byte, error) { return nil, nil }
type Sub struct{ X int }
type Base struct{ Sub }
type Page[T any] struct{ Items []T }
type Of[T any] []T
`

var crossedTypes = []string{
	"string", "Name", "Level", "Rank", "bool", "int8", "uint16", "int64", "float32", "float64", "time.Time",
	"time.Duration",
	"Word", "Tone", "Shade", "Odd", "Mark", "Stamp", "json.Number", "json.RawMessage", "any", "[]byte", "Sub", "Base",
	"Page[string]", "Of[Level]", "*int", "*Level", "*Tone", "**Rank", "*Word", "[]string", "[]int", "[]Level", "[]Tone",
	"[]Shade",
	"[2]float64", "[]*Rank", "map[string]int", "map[Level]string", "map[Tone]int", "map[Shade]int",
}

// crossedTags are what tags of fields say, and crossedOptions the options of arguments and variables.
var (
	crossedTags = []string{
		`jsonschema:"required"`, `jsonschema:"nullable"`, `jsonschema:"title=T"`, `jsonschema:"description=D"`,
		`jsonschema:"readOnly=true"`, `jsonschema:"writeOnly=true"`, `jsonschema:"default=1"`, `jsonschema:"default=low"`,
		`jsonschema:"default=true"`, `jsonschema:"example=1"`, `jsonschema:"example=low"`, `jsonschema:"enum=1"`,
		`jsonschema:"enum=low"`, `jsonschema:"minimum=1"`, `jsonschema:"maximum=2"`, `jsonschema:"exclusiveMinimum=1"`,
		`jsonschema:"exclusiveMaximum=3"`, `jsonschema:"multipleOf=1"`, `jsonschema:"minLength=1"`,
		`jsonschema:"maxLength=3"`,
		`jsonschema:"pattern=^l"`, `jsonschema:"format=email"`, `jsonschema:"minItems=1"`, `jsonschema:"maxItems=2"`,
		`jsonschema:"uniqueItems=true"`, `mcp:"header=X-Y"`, `mcp:"key"`, `mcp:"text"`,
	}
	crossedOptions = []string{
		"default=1", "default=low", "default=true", "min=1", "max=2", "minlen=1", "maxlen=3", "pattern=l.*",
		"layout=2006-01-02",
		"example=1", "example=low", "example=true", "required", "complete=enum", "complete=list", "desc=D", "raw", "title=T",
	}
)

// spot is where a value of a type is read: the source of a feature, with a tag or an option, and what came of it.
type spot struct {
	name   string
	says   []string
	source func(n int, typ, says string) string
	result func(p *ir.GoPackage, n int) any
}

func argLine(name, says string) string {
	if says == "" {
		return ""
	}
	return "//mcp:" + name + " v " + says + "\n"
}

var spots = []spot{
	{"field", crossedTags, func(n int, typ, says string) string {
		return fmt.Sprintf("type In%d struct{ V %s `%s` }\n\n", n, typ, says) +
			fmt.Sprintf("//mcp:tool\nfunc F%d(ctx context.Context, in In%d) error { return nil }\n", n, n)
	}, toolCame},
	{"form", crossedTags, func(n int, typ, says string) string {
		return fmt.Sprintf("//mcp:form\ntype F%d struct{ V %s `%s` }\n", n, typ, says)
	}, func(p *ir.GoPackage, n int) any {
		for _, f := range p.Forms {
			if f.Args.Type.Name == fmt.Sprintf("F%d", n) {
				return []any{f.Schema, f.Args.Fields}
			}
		}
		return nil
	}},
	{"argument", crossedOptions, func(n int, typ, says string) string {
		return fmt.Sprintf("//mcp:tool\n%sfunc F%d(ctx context.Context, v %s, w int) error { return nil }\n",
			argLine("arg", says), n, typ)
	}, toolCame},
	{"prompt", crossedOptions, func(n int, typ, says string) string {
		return fmt.Sprintf("//mcp:prompt\n%sfunc F%d(ctx context.Context, v %s, w string) (string, error) { panic(0) }\n",
			argLine("arg", says), n, typ)
	}, func(p *ir.GoPackage, n int) any {
		for _, f := range p.Servers[0].Prompts {
			if f.Callee.Name == fmt.Sprintf("F%d", n) {
				return []any{f.Args, f.Completers}
			}
		}
		return nil
	}},
	{"path", crossedOptions, func(n int, typ, says string) string {
		return resourceSource(fmt.Sprintf("a%d:///{v}", n), n, typ, says)
	}, varCame},
	{"query", crossedOptions, func(n int, typ, says string) string {
		v := "v"
		if strings.HasPrefix(typ, "[]") || strings.HasPrefix(typ, "Of") {
			v = "v*"
		}
		return resourceSource(fmt.Sprintf("a%d:///x{?%s}", n, v), n, typ, says)
	}, varCame},
}

func resourceSource(uri string, n int, typ, says string) string {
	return fmt.Sprintf("//mcp:resource uri=%s list=none\n%sfunc F%d(ctx context.Context, v %s) (string, error) { panic(0) }\n",
		uri, argLine("var", says), n, typ)
}

func toolCame(p *ir.GoPackage, n int) any {
	for _, t := range p.Servers[0].Tools {
		if t.Callee.Name == fmt.Sprintf("F%d", n) && t.Args != nil {
			return []any{t.InputSchema, t.Args.Fields}
		}
	}
	return nil
}

func varCame(p *ir.GoPackage, n int) any {
	for _, r := range p.Servers[0].Resources {
		if r.Callee.Name == fmt.Sprintf("F%d", n) {
			schema := ""
			for _, t := range p.Servers[0].Tools {
				if t.Reads == r {
					schema = t.InputSchema
				}
			}
			return []any{r.Vars, r.Completers, schema}
		}
	}
	return nil
}

// without are the cells that change nothing, and need not: what they say holds anyway.
func without(spot, typ, says string) bool {
	pointer := strings.HasPrefix(typ, "*")
	switch says {
	case `jsonschema:"required"`:
		return !pointer
	case "required":
		return spot == "path" || !pointer
	case "complete=enum": // the default for types with few values
		return spot != "argument"
	}
	return false
}

// cell is one feature that reads a value of a type, and says something of it.
type cell struct{ typ, says string }

// crossed builds a server with a feature for each cell, and returns what came of each as JSON, and which were reported.
func crossed(t *testing.T, where *spot, decls string, cells []cell) (came []string, reported []bool) {
	t.Helper()
	var src strings.Builder
	src.WriteString("//mcp:server name=m astools=typed\n" + toolHead + decls + "\n")
	var starts []int
	for i, c := range cells {
		starts = append(starts, strings.Count(src.String(), "\n")+1)
		src.WriteString(where.source(i, c.typ, c.says) + "\n")
	}
	p, out := toolsOf(t, src.String(), "")
	reported = make([]bool, len(cells))
	for _, d := range out.Sorted() {
		if i := lastAtMost(starts, d.Pos.Line); i >= 0 && d.Severity != diag.Note {
			reported[i] = true
		}
	}
	for i := range cells {
		text, err := json.Marshal(where.result(p, i))
		if err != nil {
			t.Fatal(err)
		}
		came = append(came, string(text))
	}
	return came, reported
}

// TestNothingIsIgnored crosses types of every kind with all that tags and options say of values, wherever
// values are read: each combination changes the schema, the check or the completion, or is reported.
func TestNothingIsIgnored(t *testing.T) {
	for _, where := range spots {
		var cells []cell
		for _, typ := range crossedTypes {
			for _, says := range append([]string{""}, where.says...) {
				cells = append(cells, cell{typ, says})
			}
		}
		came, reported := crossed(t, &where, crossedDecls, cells)
		base := ""
		for i, c := range cells {
			if c.says == "" {
				base = came[i]
			} else if came[i] == base && !reported[i] && !without(where.name, c.typ, c.says) {
				t.Errorf("%s of type %s: %s is ignored in silence", where.name, c.typ, c.says)
			}
		}
	}
}

// TestEnumIsNowhereIgnored crosses enum directives with kinds of types and forms that hold them, wherever
// they are read: what
// came of a type differs from what comes of the same type without the directive.
func TestEnumIsNowhereIgnored(t *testing.T) {
	open := strings.ReplaceAll(crossedDecls, "//mcp:enum\n", "")
	closed := []string{"Level", "Rank", "Tone", "Shade", "Grade", "Mark"}
	forms := []string{"%s", "*%s", "**%s", "[]%s", "[]*%s", "[2]%s", "Of[%s]", "Page[%s]", "map[string]%s", "map[%s]int"}
	for _, where := range spots {
		var cells []cell
		for _, typ := range closed {
			for _, form := range forms {
				cells = append(cells, cell{fmt.Sprintf(form, typ), ""})
			}
		}
		with, reported := crossed(t, &where, crossedDecls, cells)
		without, _ := crossed(t, &where, open, cells)
		counted := 0
		for i, c := range cells {
			if !reported[i] {
				counted++
			}
			if with[i] == without[i] && !reported[i] {
				t.Errorf("%s of type %s: the enum directive is ignored in silence", where.name, c.typ)
			}
		}
		if counted < len(closed)-1 {
			t.Errorf("%s: only %d of %d types are possible", where.name, counted, len(cells))
		}
	}
}

// lastAtMost is the index of the last of some lines that is not behind another one.
func lastAtMost(lines []int, line int) int {
	i, _ := slices.BinarySearch(lines, line+1)
	return i - 1
}
