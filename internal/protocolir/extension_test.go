package protocolir

import (
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/protocolir/record"
	"github.com/mcpgen/mcpgen/schema"
)

// oddCore is a core of two revisions.
const oddCore = `{"$defs": {
	"JSONRPCRequest": {"type": "object", "properties": {"jsonrpc": {"const": "2.0", "type": "string"}, "method": {"type": "string"}}},
	"Result": {"type": "object", "properties": {"kind": {"type": "string"}}, "required": ["kind"]},
	"Icon": {"type": "object", "properties": {"src": {"type": "string", "format": "uri"}, "size": {"type": "integer"}}, "required": ["src"]},
	"Holder": {"type": "object", "properties": {"icon": {"$ref": "#/$defs/Icon"}}},
	"PingRequest": {"type": "object", "properties": {"method": {"const": "ping", "type": "string"}}, "required": ["method"]},
	"ClientRequest": {"anyOf": [{"$ref": "#/$defs/PingRequest"}]}}}`

// oddExtension merges an extension of oddCore. It returns the fields of its structs and what was said.
func oddExtension(t *testing.T, exceptions string, versions map[string]string) (fields, messages string) {
	t.Helper()
	ex, err := schema.ParseExceptions([]byte(laterRoles))
	if err != nil {
		t.Fatal(err)
	}
	tables := Tables{Exceptions: ex, API: &schema.API{}}
	tables.Docs, _ = schema.ParseDocs(nil)
	core := &Core{Exceptions: ex, Docs: tables.Docs, Path: "example.com/x/protocol", Package: "protocol"}
	for _, date := range []string{"2030-01-01", "2031-01-01"} {
		s, err := schema.Parse("core.json", date, []byte(oddCore))
		if err != nil {
			t.Fatal(err)
		}
		core.Schemas = append(core.Schemas, s)
	}
	merged, err := Protocol(core.Schemas, tables)
	if err != nil {
		t.Fatal(err)
	}
	core.Protocol = merged.Protocol
	ext := &schema.Extension{ID: "com.example/odd"}
	if ext.Exceptions, err = schema.ParseExceptions([]byte(exceptions)); err != nil {
		t.Fatal(err)
	}
	ext.Docs, _ = schema.ParseDocs(nil)
	for date, text := range versions {
		s, err := schema.ParseExtension("odd.json", ext.ID, date, []byte(text))
		if err != nil {
			return "", err.Error()
		}
		ext.Versions = append(ext.Versions, s)
	}
	r, err := Extension(ext, core)
	if err != nil {
		return "", err.Error()
	}
	for _, s := range r.Protocol.Structs {
		fields += s.Go + "{"
		for _, f := range s.Fields {
			if f.Const != "" {
				fields += f.JSON + "=" + f.Const + ";"
			} else {
				fields += f.Go + " " + record.GoText(f.Type) + ";"
			}
		}
		fields += "}"
	}
	for _, w := range r.Warnings {
		if _, undocumented := w.(*UndocumentedError); !undocumented {
			messages += w.Error()
		}
	}
	return fields, messages
}

// What several cases of TestOddExtensions declare.
const (
	oddGet = `"GetRequest": {"allOf": [{"$ref": "#/$defs/JSONRPCRequest"}, {"type": "object", "properties": {"method": {"const": "odd/get",
		"type": "string"}, "params": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}}, "required": ["method"]}]},
		"JSONRPCRequest": {"type": "object", "properties": {"jsonrpc": {"const": "2.0", "type": "string"}, "method": {"type": "string"}}}`
	oddClient = `{"from": {"odd/get": "client"}}`
)

// oddExtensions are the cases of TestOddExtensions.
var oddExtensions = map[string]struct{ defs, exceptions, fields, message string }{
	"a request in an allOf": {oddGet, oddClient, "GetRequestParams{ID string;}", ""},
	"nobody sends it": {
		oddGet,
		`{}`,
		"GetRequestParams{ID string;}",
		`warning: no table says who sends the request "odd/get"`,
	},
	"a table without it": {
		oddGet,
		`{"from": {"odd/x": "client"}}`,
		"",
		`odd.json:1:26: error: nothing says who sends the request "odd/get"`,
	},
	"a sender that is none": {
		oddGet,
		`{"from": {"odd/get": "host"}}`,
		"",
		`"odd/get" in "from" of schema/ext/odd/exceptions.json is "host"`,
	},
	"an anonymous object of the core": {
		`"A": {"type": "object", "properties": {"icon": {"type": "object", "properties": {"src": {"type":
		"string"}, "size": {"type": "number"}}, "required": ["src"]}}}`,
		`{}`,
		"A{Icon *protocol.Icon;}",
		"",
	},
	"not quite an object of the core": {
		`"A": {"type": "object", "properties": {"icon": {"type": "object", "properties": {"src": {"type":
		"string"}, "size": {"type": "number"}}}}}`,
		`{}`,
		"A{Icon *AIcon;}AIcon{Size *float64;Src string;}",
		"",
	},
	"a definition of the core": {
		`"A": {"type": "object", "properties": {"r": {"$ref": "#/$defs/Result"}}}, "Result": {"type": "object",
		"properties": {"kind": {"type": "string"}}, "required": ["kind"]}`,
		`{}`,
		"A{R *protocol.Result;}",
		"",
	},
	"another form of a definition": {
		`"A": {"type": "object"}, "Result": {"type": "object", "properties": {"kind": {"type": "integer"}}}`,
		`{}`,
		"",
		"odd.json:1:47: error: Result has another form than in revision 2031-01-01 of the core (core.json:3:12)",
	},
	"nothing of its own": {
		`"Result": {"type": "object", "properties": {"kind": {"type": "string"}}, "required": ["kind"]}`,
		`{}`,
		"",
		"odd.json:1:1: error: every definition is one of revision 2031-01-01 of the core",
	},
	"a method of the core": {
		`"PongRequest": {"type": "object", "properties": {"method": {"const": "ping"}}, "required": ["method"]}`,
		oddClient,
		"",
		`odd.json:1:27: error: PongRequest has the method "ping", and so has PingRequest`,
	},
	"a dangling reference": {
		`"A": {"type": "object", "properties": {"r": {"$ref": "#/$defs/Gone"}}}`,
		`{}`,
		"",
		`odd.json:1:65: error: $ref names "Gone", which is not defined`,
	},
	"a constant beside a text": {
		`"A": {"allOf": [{"$ref": "#/$defs/B"}, {"type": "object", "properties": {"b": {"const": "x", "type":
		"string"}}, "required": ["b"]}]}, "B": {"type": "object", "properties": {"b": {"type": "string"}}}`,
		`{}`,
		"A{b=x;}B{B string;}",
		"",
	},
	"a union with other members": {
		`"U": {"allOf": [{"$ref": "#/$defs/Result"}, {"anyOf": [{"type": "object", "properties": {"is":
		{"const": "on"}}, "required": ["is"]}, {"type": "object", "properties": {"is": {"const": "off"}},
		"required": ["is"]}]}]}, "Result": {"type": "object", "properties": {"kind": {"type": "string"}},
		"required": ["kind"]}`,
		`{}`,
		"UOff{is=off;Kind string;}UOn{is=on;Kind string;}",
		"",
	},
	"two unions at once": {
		`"U": {"allOf": [{"anyOf": [{"properties": {"a": {"const": "1"}}}, {"properties": {"a": {"const":
		"2"}}}]}, {"anyOf": [{"properties": {"b": {"const": "1"}}}, {"properties": {"b": {"const": "2"}}}]}]}`,
		`{}`,
		"",
		"error: an allOf of two unions is not supported",
	},
	"a property of two forms": {
		`"U": {"allOf": [{"properties": {"a": {"type": "string"}}}, {"properties": {"a": {"type":
		"integer"}}}]}`,
		`{}`,
		"",
		`odd.json:1:87: error: "a" has another form at odd.json:1:44, in the same allOf`,
	},
	"no value for a member": {
		`"A": {"type": "object", "properties": {"a": {"not": {}}, "b": {"type": "string"}}}`,
		`{}`,
		"A{B string;}",
		"",
	},
	"a required member without value": {
		`"A": {"type": "object", "properties": {"a": {"not": {}}}, "required": ["a"]}`,
		`{}`,
		"",
		"error: A.a is required, and no value is valid for it",
	},
	"any value or none": {
		`"A": {"type": "object", "properties": {"a": {"anyOf": [{}, {"not": {}}]}}}`,
		`{}`,
		"A{A json.RawMessage;}",
		"",
	},
	"a text or nothing said": {
		`"A": {"type": "object", "properties": {"a": {"anyOf": [{"type": "string"}, {"not": {}}, {}]}}}`,
		`{}`,
		"A{A string;}",
		"",
	},
	"a constant that an included object refuses": {
		`"A": {"allOf": [{"$ref": "#/$defs/B"}, {"type": "object", "properties": {"b": {"const": "x", "type":
		"string"}}, "required": ["b"]}]}, "B": {"type": "object", "properties": {"b": {"type": "integer"}}}`,
		`{}`,
		"",
		`odd.json:1:186: error: A.b is always "x", and no such value is valid here`,
	},
	"an object of the core written out beside a reference to it": {
		`"A": {"allOf": [{"properties": {"n": {"type": "string"}}}, {"anyOf": [{"$ref": "#/$defs/Holder"},
		{"type": "object", "properties": {"icon": {"type": "object", "properties": {"src": {"type": "string"},
		"size": {"type": "integer"}}, "required": ["src"]}, "more": {"type": "string"}}}]}]},
		"Holder": {"type": "object", "properties": {"icon": {"$ref": "#/$defs/Icon"}}},
		"Icon": {"type": "object", "properties": {"src": {"type": "string"}, "size": {"type": "integer"}},
		"required": ["src"]}`,
		`{}`,
		"A{Icon *protocol.Icon;More string;N string;}",
		"",
	},
	"constants to choose from": {
		`"A": {"type": "object", "properties": {"a": {"anyOf": [{"const": "x"}, {"const": "y"}]}}}`,
		`{}`,
		"A{A AA;}",
		"",
	},
}

// Schemas of extensions that none has: each becomes what it says, or an error or a warning that names the place.
func TestOddExtensions(t *testing.T) {
	for name, tt := range oddExtensions {
		fields, messages := oddExtension(t, tt.exceptions, map[string]string{"2032-02-02": `{"$defs": {` +
			strings.ReplaceAll(tt.defs, "\n\t\t", " ") + `}}`})
		if fields != tt.fields {
			t.Errorf("%s: fields %q, want %q", name, fields, tt.fields)
		}
		if (tt.message == "") != (messages == "") || !strings.Contains(messages, tt.message) {
			t.Errorf("%s: says %q, want %q", name, messages, tt.message)
		}
	}
}

// Versions of an extension merge by the rules for revisions, whether they extend one revision of the core or several.
func TestExtensionVersions(t *testing.T) {
	const first = `{"$defs": {"A": {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}}}`
	const second = "\xef\xbb\xbf" +
		`{"$defs": {"A": {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}, "required": ["a"]}}}`
	for _, dates := range [][2]string{{"2030-05-05", "2031-05-05"}, {"2031-05-05", "2031-06-06"}} {
		fields, messages := oddExtension(t, `{}`, map[string]string{dates[0]: first, dates[1]: second})
		if fields != "A{A string;B *int64;}" || messages != "" {
			t.Errorf("%s: %q %q", dates, fields, messages)
		}
	}
	for name, tt := range map[string]struct {
		exceptions string
		versions   map[string]string
		message    string
	}{
		"older than the core": {
			`{}`,
			map[string]string{"2029-05-05": first},
			"odd.json:1:1: error: version 2029-05-05 of com.example/odd is older than every revision of the core",
		},
		"since no revision": {
			`{"since": "2030-02-02"}`,
			map[string]string{"2031-05-05": first},
			`"since" is "2030-02-02", which is no revision of the core`,
		},
		"facts of another one": {
			`{}`,
			map[string]string{"2031-05-05": `{"extension": "com.example/other", "$defs": {"A": {}}}`},
			`odd.json:1:15: error: these are facts of the extension "com.example/other", not of "com.example/odd"`,
		},
		"no schema at all": {
			`{}`,
			map[string]string{"2031-05-05": `[]`},
			"odd.json:1:1: error: a schema file must be an object",
		},
		"no definitions in there": {
			`{}`,
			map[string]string{"2031-05-05": `{"title": "x"}`},
			"neither $defs nor definitions is present",
		},
	} {
		if _, messages := oddExtension(t, tt.exceptions, tt.versions); !strings.Contains(messages, tt.message) {
			t.Errorf("%s: says %q, want %q", name, messages, tt.message)
		}
	}
}
