package protocolir

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/protocolir/record"
	"github.com/mcpgen/mcpgen/schema"
)

// mergeLater merges a founding revision and later ones, the record of which is that of the founding one.
func mergeLater(t *testing.T, exceptions string, revisions ...string) (*Result, error) {
	t.Helper()
	ex, err := schema.ParseExceptions([]byte(exceptions))
	if err != nil {
		t.Fatal(err)
	}
	docs, err := schema.ParseDocs(nil)
	if err != nil {
		t.Fatal(err)
	}
	var list []*schema.Schema
	for i, defs := range revisions {
		s, err := schema.Parse(fmt.Sprintf("r%d.json", i), fmt.Sprintf("2030-01-%02d", i+1), []byte(`{"$defs": {`+defs+`}}`))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, s)
	}
	founding, err := Protocol(list[:1], Tables{ex, docs, &schema.API{}})
	if err != nil {
		t.Fatal(err)
	}
	return Protocol(list, Tables{ex, docs, founding.API})
}

const laterRoles = `{"roles": [{"name": "ClientRequest", "from": "client", "kind": "request"}]}`

// A later revision takes nothing back: each row has a property of X as the founding revision has it, as the later one
// has it, and the fields of X that come out.
func TestLaterRevisionOnlyAdds(t *testing.T) {
	const text = `{"type": "string"}`
	const more = `, "A": {"type": "object", "properties": {"p": ` + text + `, "q": ` + text + `}, "required": ["p"]},
		"B": {"type": "object", "properties": {"p": ` + text + `, "q": ` + text + `, "r": ` + text + `}, "required": ["p"]},
		"T": {"type": "object", "properties": {"type": {"const": "t", "type": "string"}, "p": ` + text + `}, "required": ["type"]},
		"V": {"type": "object", "properties": {"type": {"const": "v", "type": "string"}, "p": ` + text + `}, "required": ["type"]},
		"U": {"anyOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/T"}]},
		"E": {"enum": ["a"], "type": "string"}`
	const refA, refT = `{"$ref": "#/$defs/A"}`, `{"$ref": "#/$defs/T"}`
	for name, tt := range map[string]struct{ before, after, want string }{
		"same":                  {text, text, "P string 11"},
		"text becomes a number": {text, `{"type": "number"}`, "P string 01, PFloat *float64 10"},
		"fraction":              {`{"type": "integer"}`, `{"type": "number"}`, "P *int64 01, PFloat *float64 10"},
		"integer":               {`{"type": "number"}`, `{"type": "integer"}`, "P *float64 11"},
		"enumeration":           {text, `{"$ref": "#/$defs/E"}`, "P string 11"},
		"any text":              {`{"$ref": "#/$defs/E"}`, text, "P E 11"},
		"renamed":               {refA, `{"$ref": "#/$defs/B"}`, "P *A 11"},
		"another struct":        {refT, `{"$ref": "#/$defs/V"}`, "P *T 01, PStruct *V 10"},
		"struct to union":       {refA, `{"anyOf": [` + refA + `, ` + refT + `]}`, "P *A 01, PUnion U 10"},
		"union to struct":       {`{"$ref": "#/$defs/U"}`, refA, "P U 11"},
		"union to new struct":   {`{"$ref": "#/$defs/U"}`, `{"$ref": "#/$defs/V"}`, "P U 11"},
		"struct or text": {refA, `{"anyOf": [` + refA + `, {"type": "string"}]}`,
			"P *A 01, PValue json.RawMessage 10"},
		"list":               {refA, `{"type": "array", "items": ` + refA + `}`, "P *A 01, PList []A 10"},
		"nullable":           {text, `{"type": ["string", "null"]}`, "P string 11"},
		"anything":           {refA, `{}`, "P *A 01, PValue json.RawMessage 10"},
		"from anything":      {`{}`, refA, "P json.RawMessage 11"},
		"object to anything": {`{"type": "object"}`, `{}`, "P json.RawMessage 11"},
		"free object":        {refA, `{"type": "object"}`, "P *A 11"},
		"anonymous": {`{"type": "object", "properties": {"n": {"type": "string"}}}`, refA,
			"P *XP 01, PStruct *A 10"},
		"named":            {`{"type": "object", "properties": {"p": {"type": "string"}}}`, refA, "P *XP 11"},
		"constant to text": {`{"const": "a", "type": "string"}`, text, "P = a 01, PString string 10"},
		"constant to an enumeration of it": {`{"const": "a", "type": "string"}`, `{"enum": ["a"], "type": "string"}`,
			"P = a 11"},
		"constant to an enumeration": {`{"const": "a", "type": "string"}`, `{"enum": ["a", "b"], "type": "string"}`,
			"P = a 01, PString XP2 10"},
		"gone": {text, "", "P string 01"},
	} {
		x := func(p string) string {
			if p == "" {
				return `"X": {"type": "object", "properties": {}}` + more
			}
			return `"X": {"type": "object", "properties": {"p": ` + p + `}` + required(p) + `}` + more
		}
		r, err := mergeLater(t, `{}`, x(tt.before), x(tt.after))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := fieldsOfX(r.Protocol); got != tt.want {
			t.Errorf("%s: got  %s\nwant %s", name, got, tt.want)
		}
		if strings.Contains(tt.want, ", ") && len(r.Notes) == 0 {
			t.Errorf("%s: no note tells of the second field", name)
		}
	}
}

func required(p string) string {
	if strings.Contains(p, "const") {
		return `, "required": ["p"]`
	}
	return ""
}

func fieldsOfX(p *ir.Protocol) string {
	var out []string
	for _, s := range p.Structs {
		if s.Schema != "X" {
			continue
		}
		for _, f := range s.Fields {
			if f.Const != "" {
				out = append(out, fmt.Sprintf("%s = %s %02b", f.Go, f.Const, f.Revs))
			} else {
				out = append(out, fmt.Sprintf("%s %s %02b", f.Go, record.GoText(f.Type), f.Revs))
			}
		}
	}
	return strings.Join(out, ", ")
}

// A request keeps its handler when its definition or its params have another name.
func TestLaterRevisionRenamesRequest(t *testing.T) {
	request := func(def, params, more string) string {
		return `"` + def + `": {"type": "object", "properties": {"method": {"const": "a/b", "type": "string"}, "params": {"$ref": "#/$defs/` +
			params + `"}}, "required": ["method", "params"]}, "` + params +
			`": {"type": "object", "properties": {"n": {"type": "string"}` + more +
			`}}, "ClientRequest": {"anyOf": [{"$ref": "#/$defs/` + def + `"}]}`
	}
	r, err := mergeLater(t, laterRoles, request("DoRequest", "DoRequestParams", ""),
		request("MakeRequest", "MakeParams", `, "m": {"type": "string"}`))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Protocol.Methods) != 1 {
		t.Fatalf("%d methods", len(r.Protocol.Methods))
	}
	if x := r.Protocol.Methods[0]; x.Go != "Do" || x.Params != "DoRequestParams" || x.Revs != 3 {
		t.Errorf("%+v", x)
	}
	if got := r.API.Types["DoRequestParams"].Fields; len(got) != 2 {
		t.Errorf("fields %v", got)
	}
}

// The handler of a request takes one type: params that it cannot hold are an error with a place.
func TestLaterRevisionChangesParams(t *testing.T) {
	request := func(params string) string {
		return `"DoRequest": {"type": "object", "properties": {"method": {"const": "a/b", "type": "string"}, "params": ` +
			params +
			`}, "required": ["method", "params"]}, "ClientRequest": {"anyOf": [{"$ref": "#/$defs/DoRequest"}]}`
	}
	_, err := mergeLater(t, laterRoles, request(`{"type": "object", "properties": {"n": {"type": "string"}}}`),
		request(`{"type": "string"}`))
	if err == nil || !strings.HasPrefix(err.Error(), "r1.json:1:") ||
		!strings.Contains(err.Error(), `the params of "a/b"`) {
		t.Errorf("%v", err)
	}
}

// A later revision puts N into a union in the place of T, which has the same constant: N becomes the struct T. If T is
// something else in that revision and one field cannot hold both, that is an error with a place. Definitions are merged
// by name, so a union that comes before T has given T the constant of N already.
func TestLaterRevisionMergesTwoObjects(t *testing.T) {
	object := func(name, typ string) string {
		return `"` + name + `": {"type": "object", "properties": {"type": ` + typ +
			`, "p": {"type": "string"}}, "required": ["type"]}`
	}
	const constant = `{"const": "t", "type": "string"}`
	for name, tt := range map[string]struct {
		typ         string
		first, last bool // with the union first, with the union last
	}{
		"same":             {constant, true, true},
		"any text":         {`{"type": "string"}`, false, true},
		"another constant": {`{"const": "u", "type": "string"}`, false, true},
		"list":             {`{"type": "array", "items": ` + constant + `}`, false, false},
	} {
		for union, ok := range map[string]bool{"A": tt.first, "Z": tt.last} {
			defs := func(member string) string {
				return `"` + union + `": {"anyOf": [{"$ref": "#/$defs/S"}, {"$ref": "#/$defs/` + member + `"}]}, ` +
					object("S", `{"const": "s", "type": "string"}`) + `, `
			}
			_, err := mergeLater(t, `{}`, defs("T")+object("T", constant),
				defs("N")+object("N", constant)+`, `+object("T", tt.typ))
			if (err == nil) != ok || err != nil && !strings.Contains(err.Error(), "T.type has two types in this revision") {
				t.Errorf("%s, union %s: %v", name, union, err)
			}
		}
	}
}

// What cannot be kept is an error that says where and what to write, and an entry of the exceptions allows it.
func TestTakenBackIsAnError(t *testing.T) {
	ex, _ := schema.ParseExceptions([]byte(`{}`))
	docs, _ := schema.ParseDocs(nil)
	s, err := schema.Parse("r.json", "2030-01-01",
		[]byte("{\"$defs\": {\n \"X\": {\"type\": \"object\", \"properties\": {\"p\": {\"type\": \"string\"}}}}}"))
	if err != nil {
		t.Fatal(err)
	}
	api := &schema.API{Founding: []string{"2030-01-01"}, Types: map[string]schema.APIType{
		"X": {Go: "X", Kind: "struct", Fields: map[string]string{"p": "P string", "gone": "Gone string"}},
	}}
	_, err = Protocol([]*schema.Schema{s}, Tables{ex, docs, api})
	if err == nil || !strings.Contains(err.Error(),
		"r.json:2:7: error: X.gone was Gone string and is gone. What a revision gave stays") {
		t.Errorf("%v", err)
	}
	allowed, _ := schema.ParseExceptions([]byte(`{"breaks": {"X.gone was Gone string and is gone": "a test"}}`))
	if _, err = Protocol([]*schema.Schema{s}, Tables{allowed, docs, api}); err != nil {
		t.Error(err)
	}
}
