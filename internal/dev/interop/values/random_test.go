package values

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// maker makes random values of the generated types that a revision can express.
type maker struct {
	*rand.Rand
	*tables
	rev   int  // index of the revision
	extra bool // add members that no revision knows
	plain bool // leave out what has no form in older revisions, see newOnly
}

const maxDepth = 4

// structOf fills v, a struct, with what s has in the revision: required members always, others at random.
func (m *maker) structOf(s *ir.Struct, v reflect.Value, depth int) {
	for _, f := range s.Fields {
		if f.Const != "" || !f.Revs.Has(m.rev) || m.without[s.Schema+"."+f.JSON] != "" {
			continue
		}
		needed := f.Required.Has(m.rev) || alwaysThere[s.Schema+"."+f.JSON]
		if needed || depth < maxDepth && m.Intn(2) == 0 {
			m.fill(v.FieldByName(f.Go), s, f, depth)
		}
	}
	if m.extra && m.Intn(2) == 0 {
		x := wire.Extra{{Name: "x-unknown", Value: m.raw(1)}, {Name: "x/" + m.text(), Value: m.object(1)}}
		v.FieldByName("Extra").Set(reflect.ValueOf(x))
	}
}

// newOnly are values that an older revision cannot express, with the reason why the encoder cannot help. A program that
// speaks an older revision never has to send them: capabilities and the types of requests say so.
var newOnly = map[string]string{
	"ElicitRequestURLParams": "asking by a web page needs the capability elicitation.url, which began with 2025-11-25",
	"ElicitResult.content":   "lists answer questions with several choices, which began with 2025-11-25; clients send them",
	"content":                "of several blocks only the first has a place before 2025-11-25, and none has no form at all",
}

// alwaysThere are optional members without which a value reads as another member of its union.
var alwaysThere = map[string]bool{"LegacyTitledEnumSchema.enumNames": true}

func (m *maker) fill(v reflect.Value, s *ir.Struct, f *ir.Field, depth int) {
	if raw, ok := m.special(s, f); ok {
		v.Set(reflect.ValueOf(raw))
		return
	}
	m.value(v, f.Type, f.JSON, depth)
}

// value sets v, of type t, for a member of this JSON name.
func (m *maker) value(v reflect.Value, t *ir.Type, name string, depth int) {
	if t.Ptr {
		if t.Null && m.Intn(3) == 0 {
			return
		}
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	switch t.Kind {
	case ir.KindString:
		v.SetString(m.stringFor(name))
	case ir.KindBool:
		v.SetBool(m.Intn(2) == 0)
	case ir.KindInt:
		v.SetInt(m.Int63n(1 << 40))
	case ir.KindFloat:
		v.SetFloat(m.float(name))
	case ir.KindEnum:
		o, name := m.owner(t.Name)
		v.SetString(o.enumValue(o.enums[name]))
	case ir.KindStruct:
		o, name := m.owner(t.Name)
		o.structOf(o.structs[name], v, depth+1)
	case ir.KindUnion:
		o, name := m.owner(t.Name)
		v.Set(o.member(o.unions[name], depth+1))
	default:
		m.composed(v, t, name, depth)
	}
}

// owner returns the maker of values of the package that declares a type, and the name there.
func (m *maker) owner(name string) (*maker, string) {
	i := strings.LastIndexByte(name, '.')
	if i < 0 {
		return m, name
	}
	own := m.schemas[m.rev].Revision
	core := *m
	core.tables, core.rev = m.core, 0
	for rev, s := range m.core.schemas { // the revision that the version extends
		if s.Revision <= own {
			core.rev = rev
		}
	}
	return &core, name[i+1:]
}

func (m *maker) composed(v reflect.Value, t *ir.Type, name string, depth int) {
	switch t.Kind {
	case ir.KindBytes:
		data := make([]byte, m.Intn(40))
		_, _ = m.Read(data)
		v.SetBytes(data)
	case ir.KindID:
		v.Set(reflect.ValueOf(m.id()))
	case ir.KindError:
		v.Set(reflect.ValueOf(wire.Error{Code: m.Intn(1000) - 33000, Message: m.text(), Data: m.raw(1)}))
	case ir.KindAny:
		v.SetBytes(m.raw(0))
	case ir.KindObject:
		v.SetBytes(m.object(0))
	case ir.KindList, ir.KindOneOrMany:
		n := m.Intn(4)
		if t.Kind == ir.KindOneOrMany && (m.plain && newOnly[name] != "" || !t.Many.Has(m.rev)) {
			n = 1
		}
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			m.value(v.Index(i), t.Elem, name, depth)
		}
	case ir.KindMap:
		n := m.Intn(3)
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			v.Index(i).Field(0).SetString(strconv.Itoa(i) + m.text())
			m.value(v.Index(i).Field(1), t.Elem, name, depth)
		}
	default:
		panic(fmt.Sprintf("no value of kind %d for %s", t.Kind, name))
	}
}

// special makes the values whose form the types alone do not say.
func (m *maker) special(s *ir.Struct, f *ir.Field) (any, bool) {
	date := m.p.Revisions[m.rev].Date
	switch s.Schema + "." + f.JSON {
	case "Tool.inputSchema", "Tool.outputSchema":
		return m.toolSchema(f.JSON == "outputSchema" && date >= "2026-07-28"), true
	case "CallToolResult.structuredContent", "ToolResultContent.structuredContent":
		if date < "2026-07-28" {
			return m.object(0), true
		}
	case "ElicitResult.content":
		answers := wire.Map[json.RawMessage]{{Name: "a", Value: m.scalar()}, {Name: "b", Value: m.scalar()}}
		if date >= "2025-11-25" && (!m.plain || newOnly["ElicitResult.content"] == "") {
			answers.Set("c", json.RawMessage(`["x","y"]`))
		}
		return answers, true
	case "CallToolRequestParams.inputResponses", "GetPromptRequestParams.inputResponses",
		"ReadResourceRequestParams.inputResponses": // JSON until the server reads it
		kinds := []string{`{"action":"decline"}`, `{"action":"accept","content":{"a":1}}`, `{"roots":[{"uri":"file:///a"}]}`,
			`{"role":"assistant","model":"m","content":{"type":"text","text":"x"}}`}
		return json.RawMessage(`{"a":` + kinds[m.Intn(len(kinds))] + `,"b":` + kinds[m.Intn(len(kinds))] + `}`), true
	case "ResourceTemplateReference.uri":
		return m.template(), true
	case "McpUiHostStyles.variables":
		var out wire.Map[string] // the schema requires all of them
		for _, v := range m.enums["StyleVariableKey"].Values {
			out.Set(v.Value, m.text())
		}
		return out, true
	case "ElicitRequestFormParams.mode":
		return "form", true
	}
	return nil, false
}

func (m *maker) toolSchema(anyType bool) json.RawMessage {
	if anyType && m.Intn(3) == 0 {
		return json.RawMessage(`{"type":"array","items":{"type":"string"}}`)
	}
	text := `{"type":"object"`
	if m.Intn(2) == 0 {
		text += `,"properties":{"a":{"type":"string"},"b":{}},"required":["a"]`
	}
	return json.RawMessage(text + "}")
}

// member makes a pointer to a struct that belongs to the union in the revision.
func (m *maker) member(u *ir.Union, depth int) reflect.Value {
	var some []*ir.Variant
	for _, x := range u.Variants {
		if x.Revs.Has(m.rev) && (!m.plain || newOnly[x.Struct] == "") {
			some = append(some, x)
		}
	}
	o, name := m.owner(some[m.Intn(len(some))].Struct)
	v := o.pointer(o.structs[name], depth)
	if o == m {
		return v
	}
	held := reflect.New(m.coreMember).Elem()
	held.Field(0).Set(v)
	return held
}

// pointer makes a new struct.
func (m *maker) pointer(s *ir.Struct, depth int) reflect.Value {
	v := reflect.New(m.types[s.Go])
	m.structOf(s, v.Elem(), depth)
	return v
}

func (m *maker) enumValue(e *ir.Enum) string {
	var some []string
	for _, x := range e.Values {
		if x.Revs.Has(m.rev) {
			some = append(some, x.Value)
		}
	}
	return some[m.Intn(len(some))]
}

var letters = []rune("abc xyz_-/\"\\<&\n\u00e9\u2028\u4e16\U0001f600")

// text makes a string that is not empty: an empty one often stands for absence.
func (m *maker) text() string {
	out := []rune{letters[m.Intn(3)]}
	for range m.Intn(8) {
		out = append(out, letters[m.Intn(len(letters))])
	}
	return string(out)
}

func (m *maker) stringFor(name string) string {
	switch name {
	case "uri", "url", "src", "websiteUrl":
		return "notes:///" + strings.Repeat("a", m.Intn(9)) + "?q=%20#f"
	case "uriTemplate":
		return m.template()
	case "lastModified":
		return "2026-01-02T03:04:05Z"
	default:
		return m.text()
	}
}

func (m *maker) template() string {
	return []string{"notes:///{name}", "logs:///{+path}{?level,tail}", "plain:///x"}[m.Intn(3)]
}

func (m *maker) float(name string) float64 {
	if strings.HasSuffix(strings.ToLower(name), "priority") {
		return float64(m.Intn(5)) / 4
	}
	return []float64{0, -1, 2.5, 1e21, float64(m.Intn(1000)) / 8}[m.Intn(5)]
}

func (m *maker) id() wire.ID {
	if m.Intn(2) == 0 {
		if m.core != nil { // schemas of extensions bound integers to those that JavaScript has
			return wire.NumberID(m.Int63n(1 << 53))
		}
		return wire.NumberID(m.Int63())
	}
	return wire.StringID(m.text())
}

// scalar makes a string, an integer or a boolean.
func (m *maker) scalar() json.RawMessage {
	switch m.Intn(3) {
	case 0:
		return wire.AppendString(nil, m.text())
	case 1:
		return wire.AppendInt(nil, m.Int63n(1e6))
	default:
		return wire.AppendBool(nil, m.Intn(2) == 0)
	}
}

// raw makes a JSON value. There are no fractions and no null in it: the schema of 2026-07-28 lacks them in JSONValue.
func (m *maker) raw(depth int) json.RawMessage {
	switch kind := m.Intn(5); {
	case depth > 2 || kind < 3:
		return m.scalar()
	case kind == 3:
		return slices.Concat([]byte("["), m.scalar(), []byte(","), m.raw(depth+1), []byte("]"))
	default:
		return m.object(depth + 1)
	}
}

func (m *maker) object(depth int) json.RawMessage {
	if m.Intn(3) == 0 {
		return json.RawMessage("{}")
	}
	return slices.Concat([]byte(`{"a":`), m.raw(depth+1), []byte(`,"b/c":`), m.raw(depth+1), []byte("}"))
}
