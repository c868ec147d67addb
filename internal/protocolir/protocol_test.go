package protocolir

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/goname"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/schema"
)

// buildFrom builds the protocol of a few definitions, oldest revision first.
func buildFrom(t *testing.T, exceptions string, revisions ...string) (*ir.Protocol, []error) {
	t.Helper()
	var list []*schema.Schema
	for i, defs := range revisions {
		s, err := schema.Parse(fmt.Sprintf("r%d.json", i), fmt.Sprintf("2030-01-%02d", i+1), []byte(`{"$defs": {`+defs+`}}`))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, s)
	}
	ex, err := schema.ParseExceptions([]byte(exceptions))
	if err != nil {
		t.Fatal(err)
	}
	docs, err := schema.ParseDocs(nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Protocol(list, Tables{ex, docs, &schema.API{}})
	if err != nil {
		t.Fatal(err)
	}
	var out []error
	for _, w := range r.Warnings {
		if _, undocumented := w.(*UndocumentedError); !undocumented {
			out = append(out, w)
		}
	}
	return r.Protocol, out
}

// describe prints the fields of a struct: name, kind and the revisions, as bits, that have
// and that require it.
func describe(p *ir.Protocol, name string) string {
	var out []string
	for _, s := range p.Structs {
		if s.Schema != name {
			continue
		}
		for _, f := range s.Fields {
			text := fmt.Sprintf("%s %03b/%03b", f.JSON, f.Revs, f.Required)
			if f.Type != nil {
				text += " " + typeText(f.Type)
			} else {
				text += " =" + f.Const
			}
			out = append(out, text)
		}
	}
	return strings.Join(out, "; ")
}

func typeText(t *ir.Type) string {
	kinds := map[ir.Kind]string{
		ir.KindString: "string", ir.KindBytes: "bytes", ir.KindBool: "bool", ir.KindInt: "int", ir.KindFloat: "float",
		ir.KindID:    "id",
		ir.KindError: "error", ir.KindAny: "any", ir.KindObject: "object", ir.KindList: "[]", ir.KindMap: "map ",
		ir.KindOneOrMany: "1..n ",
	}
	s := kinds[t.Kind] + t.Name
	if t.Elem != nil {
		s += typeText(t.Elem)
	}
	if t.Ptr {
		s = "*" + s
	}
	if t.Null {
		s += "?"
	}
	return s
}

// TestMergeFields widens one field of A over two revisions.
func TestMergeFields(t *testing.T) {
	ref := `{"$ref": "#/$defs/B"}`
	others := `, "B": {"type": "object", "properties": {"x": {"type": "string"}}}, "C": {"type": "object", "required": ["c"], "properties": {"c": {"type": "string"}}},
		"E": {"enum": ["a"]}`
	for _, c := range []struct{ older, newer, want string }{
		{`{"type": "string"}`, `{"type": "string"}`, "f 011/000 string"},
		{`{"type": "integer"}`, `{"type": "number"}`, "f 011/000 *float"},
		{`{"type": "number"}`, `{"type": "integer"}`, "f 011/000 *float"},
		{`{"type": "string"}`, `{"$ref": "#/$defs/E"}`, "f 011/000 E"},
		{`{"type": "string"}`, `{"type": ["string", "integer"]}`, "f 011/000 id"},
		{`{"type": "string"}`, `{"type": "string", "format": "byte"}`, "f 011/000 string"},
		{`{"type": "string"}`, `{}`, "f 011/000 any"},
		{`{"type": "string"}`, `{"type": "boolean"}`, "f 011/000 any"},
		{`{"type": "string"}`, `{"type": ["string", "null"]}`, "f 011/000 *string?"},
		{`{"type": "object", "additionalProperties": {}}`, ref, "f 011/000 *B"},
		{ref, `{"type": "object"}`, "f 011/000 *B"},
		{`{"type": "object", "properties": {"y": {"type": "boolean"}}}`, ref, "f 011/000 *B"},
		{`{"type": "array", "items": {"type": "integer"}}`, `{"type": "array", "items": {"type": "number"}}`,
			"f 011/000 []float"},
		{`{"type": "array", "items": {"type": "array", "items": {"type": "string"}}}`, `{"type": "array"}`,
			"f 011/000 []any"},
		{`{"type": "object", "additionalProperties": {"type": "string"}}`,
			`{"type": "object", "additionalProperties": {"type": "string"}}`, "f 011/000 map string"},
		{ref, `{"anyOf": [` + ref + `, {"$ref": "#/$defs/C"}]}`, "f 011/000 any"},
		{`{"anyOf": [` + ref + `, {"$ref": "#/$defs/C"}]}`, `{"anyOf": [` + ref +
			`, {"$ref": "#/$defs/C"}, {"type": "array", "items": ` + ref + `}]}`, "f 011/000 1..n AF"},
		{`{"const": "k", "type": "string"}`, `{"const": "k", "type": "string"}`, "f 011/000 string"},
		{`{"$ref": "#/$defs/C"}`, ref, "f 011/000 any"},
	} {
		def := func(f string) string { return `"A": {"type": "object", "properties": {"f": ` + f + `}}` + others }
		p, _ := buildFrom(t, `{}`, def(c.older), def(c.newer))
		if got := describe(p, "A"); got != c.want {
			t.Errorf("%s then %s: %s, want %s", c.older, c.newer, got, c.want)
		}
	}
}

func TestMergePresence(t *testing.T) {
	p, warnings := buildFrom(t, `{"keepEmpty": ["A.keep"]}`,
		`"A": {"type": "object", "required": ["n", "k"], "properties": {"n": {"type": "integer"}, "k": {"const": "v"}, "gone": {"type": "string"}}}`,
		`"A": {"type": "object", "required": ["k", "new"], "properties": {"n": {"type": "integer"}, "k": {"const": "v"}, "new": {"type": "boolean"}, "keep": {"type": "string"}}}`)
	want := "k 011/011 =v; n 011/001 *int; gone 001/000 string; keep 010/000 *string; new 010/010 bool"
	if got := describe(p, "A"); got != want || len(warnings) > 0 {
		t.Errorf("%s\nwant %s (%v)", got, want, warnings)
	}
}

func TestHoistedTypes(t *testing.T) {
	inline := `{"type": "object", "properties": {"level": {"enum": ["a", "b"]}, "deep": {"type": "object", "required": ["x"], "properties": {"x": {"type": "string"}}}}}`
	p, _ := buildFrom(t, `{"names": {"A.in.deep": "Never", "AIn.deep": "Chosen"}}`,
		`"A": {"type": "object", "properties": {"in": `+inline+`}}, "B": {"type": "object", "properties": {"level": {"enum": ["b", "a"]}}}`)
	if got := describe(p, "AIn"); got != "deep 001/000 *Chosen; level 001/000 Level" {
		t.Errorf("AIn has %s", got)
	}
	if got := describe(p, "B"); got != "level 001/000 Level" {
		t.Errorf("B has %s", got)
	}
}

func TestKindConflict(t *testing.T) {
	p, warnings := buildFrom(t, `{}`,
		`"X": {"type": "object", "properties": {"a": {"type": "string"}}}, "Y": {"type": "object", "properties": {"x": {"$ref": "#/$defs/X"}}}`,
		`"X": {"enum": ["a"], "type": "string"}, "Y": {"type": "object", "properties": {"x": {"$ref": "#/$defs/X"}}}`)
	if got := describe(p, "XStruct20300101"); got != "a 001/000 string" {
		t.Errorf("the older X has %q", got)
	}
	if len(warnings) == 0 || !strings.Contains(warnings[0].Error(),
		"r0.json:1:17: warning: X is a struct here and an enum in a newer revision (r1.json:1:17)") {
		t.Errorf("warnings %v", warnings)
	}
}

func TestRecursiveStructs(t *testing.T) {
	p, _ := buildFrom(t, `{}`, `"T": {"type": "object", "required": ["u"], "properties": {"u": {"$ref": "#/$defs/U"}}},
		"U": {"type": "object", "required": ["t", "v"], "properties": {"t": {"$ref": "#/$defs/T"}, "v": {"$ref": "#/$defs/V"}}}, "V": {"type": "object"}`)
	if got := describe(p, "T") + "; " + describe(p, "U"); got != "u 001/001 *U; t 001/001 *T; v 001/001 V" {
		t.Error(got)
	}
}

func TestMethods(t *testing.T) {
	frame := `"Request": {"type": "object", "required": ["method"], "properties": {"method": {"type": "string"}, "params": {"type": "object", "properties": {"_meta": {"type": "object"}}}}}`
	const roles = `{"roles": [{"name": "ClientRequest", "from": "client", "kind": "request"}, {"name": "ServerRequest", "from": "server", "kind": "request"}],
		"meta": {"request": "RM", "notification": "NM", "result": "SM", "value": "VM"}, "skipMethods": [{"method": "do", "revisions": ["2030-01-01"]}]}`
	p, warnings := buildFrom(t, roles,
		frame+`, "ClientRequest": {"$ref": "#/$defs/DoRequest"}, "DoRequest": {"type": "object", "required": ["method"], "properties": {
			"method": {"const": "do", "type": "string"}, "params": {"type": "object", "properties": {"a": {"type": "string"}}}}},
			"ServerRequest": {"anyOf": [{"$ref": "#/$defs/OldRequest"}]}, "OldRequest": {"type": "object", "properties": {"method": {"const": "old", "type": "string"}}}`,
		`"ClientRequest": {"anyOf": [{"$ref": "#/$defs/DoRequest"}]}, "DoRequest": {"type": "object", "properties": {
			"method": {"const": "do", "type": "string"}, "params": {"$ref": "#/$defs/Pages"}}}, "Pages": {"type": "object", "properties": {"b": {"type": "string"}}},
			"DoResult": {"type": "object"}, "MoreResult": {"type": "object", "properties": {"m": {"type": "string"}}, "required": ["m"]}, "DoResultResponse": {"type": "object", "properties": {"jsonrpc": {"const": "2.0"},
			"result": {"anyOf": [{"$ref": "#/$defs/DoResult"}, {"$ref": "#/$defs/MoreResult"}]}}}`)
	if len(warnings) > 0 {
		t.Error(warnings)
	}
	var got []string
	for _, m := range p.Methods {
		got = append(got, fmt.Sprintf("%s %s %02b/%02b %s %s %v", m.Const, m.Go, m.Revs, m.ClientRevs, m.Params, m.Reply,
			m.Results))
	}
	want := "MethodDo Do 11/10 Pages DoReply [DoResult MoreResult]; MethodOld Old 01/00 OldRequestParams OldReply [Result]"
	if strings.Join(got, "; ") != want {
		t.Errorf("methods\n%s\nwant\n%s", strings.Join(got, "; "), want)
	}
	if got := describe(p, "Pages"); got != "a 001/000 string; b 010/000 string; _meta 001/000 *RM" {
		t.Errorf("params have %s", got)
	}
	if got := describe(p, "RM"); got != "progressToken 001/000 id" {
		t.Errorf("metadata has %s", got)
	}
}

func TestGoNames(t *testing.T) {
	for name, want := range map[string]string{
		"mimeType": "MIMEType", "_meta": "Meta", "$schema": "Schema", "uri": "URI", "websiteUrl": "WebsiteURL",
		"ttlMs":     "TTLMs",
		"RequestId": "RequestID", "JSONRPCError": "JSONRPCError", "ElicitRequestURLParams": "ElicitRequestURLParams",
		"io.modelcontextprotocol/serverInfo": "ServerInfo", "resources/templates/list": "ResourcesTemplatesList",
		"logging/setLevel": "LoggingSetLevel", "date-time": "DateTime", "input_required": "InputRequired", "ids": "IDs",
		"": "X", "0day": "X0day", "é": "X",
	} {
		if got := goname.Of(name); got != want {
			t.Errorf("goname.Of(%q) = %s, want %s", name, got, want)
		}
	}
	if got := goname.LowerFirst("URIList") + goname.LowerFirst("ReadResourceReply"); got != "uriListreadResourceReply" {
		t.Error(got)
	}
}
