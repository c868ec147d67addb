package protocolir

import (
	"fmt"
	"strings"
	"testing"
)

// A later revision names its lists of messages, definitions and results otherwise: nothing is lost in silence.
func TestLaterRevisionLists(t *testing.T) {
	request := func(def, method string) string {
		return `"` + def + `": {"type": "object", "properties": {"method": {"const": "` + method +
			`", "type": "string"}}, "required": ["method"]}`
	}
	const list = `, "ClientRequest": {"anyOf": [{"$ref": "#/$defs/DoRequest"}, {"$ref": "#/$defs/GoRequest"}]}`
	const object = `, "DoResult": {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}`
	two := request("DoRequest", "do") + ", " + request("GoRequest", "go")
	before := two + list + object
	const same = "do Do DoReply [DoResult] 11; go Go GoReply [Result] 11"
	for name, tt := range map[string]struct{ after, methods, message string }{
		"nothing new":              {before, same, ""},
		"a list with another name": {two + strings.ReplaceAll(list, "ClientRequest", "RequestsOfClients") + object, same, ""},
		"a list beside the one": {two + list + strings.ReplaceAll(list, "ClientRequest", "RequestsOfServers") + object, "",
			`error: RequestsOfServers lists DoRequest and other messages, and no table says who sends them; write the name into ` +
				`"roles" of schema/exceptions.json, or into "mixins"`},
		"a list of lists": {two + strings.ReplaceAll(list, "ClientRequest", "Some") +
			`, "ClientRequest": {"anyOf": [{"$ref": "#/$defs/Some"}]}` + object, same, ""},
		"no list":            {two + object, same, ""},
		"a list without one": {two + `, "ClientRequest": {"anyOf": [{"$ref": "#/$defs/DoRequest"}]}` + object, same, ""},
		"a list without a new one": {before + ", " + request("NewRequest", "new"), "",
			`error: no list says who sends NewRequest, and nothing else refers to it`},
		"two methods of a definition": {strings.ReplaceAll(before, `"const": "do"`, `"enum": ["do", "redo"]`),
			"do Do DoReply [DoResult] 11; go Go GoReply [Result] 11; redo Redo RedoReply [DoResult] 10", ""},
		"a method that is a number": {strings.ReplaceAll(before, `"const": "do"`, `"const": 7`), "",
			`error: DoRequest is in ClientRequest, and its method is neither a constant text nor one of several`},
		"a method that an enumeration names": {
			strings.ReplaceAll(before, `"const": "do"`, `"enum": ["do"]`), same, ""},
		"another method for a definition": {strings.ReplaceAll(before, `"const": "do"`, `"const": "a/do"`),
			"a/do ADo ADoReply [DoResult] 10; do Do DoReply [DoResult] 01; go Go GoReply [Result] 11", ""},
		"a definition named as an interface of replies": {before + strings.ReplaceAll(object, "DoResult", "DoReply"),
			same, ""},
		"a result that is one of two": {two + list + `, "DoResult": {"anyOf": [{"$ref": "#/$defs/A"}, {"type": "object",
			"properties": {"b": {"type": "string"}}, "required": ["b"]}]}` + strings.ReplaceAll(object, "DoResult", "A"),
			"do Do DoReply [A DoResult DoResultUnion20300102Option2] 11; go Go GoReply [Result] 11", ""},
		"a result that may be a text": {two + list + `, "DoResult": {"anyOf": [{"$ref": "#/$defs/A"}, {"type": "string"}]}` +
			strings.ReplaceAll(object, "DoResult", "A"), "", `error: DoResult answers "do", and not all that it allows are objects`},
	} {
		r, err := mergeLater(t, laterRoles, before, tt.after)
		if tt.message != "" {
			if err == nil || !strings.HasPrefix(err.Error(), "r1.json:1:") || !strings.Contains(err.Error(), tt.message) {
				t.Errorf("%s: says %v, want %q", name, err, tt.message)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got []string
		for _, x := range r.Protocol.Methods {
			got = append(got, fmt.Sprintf("%s %s %s %v %02b", x.Name, x.Go, x.Reply, x.Results, x.ClientRevs))
		}
		if text := strings.Join(got, "; "); text != tt.methods {
			t.Errorf("%s: got  %s\nwant %s", name, text, tt.methods)
		}
	}
}

// A method that the dispatcher leaves out in one revision is dispatched when a later one has it.
func TestSkippedMethodOfOneRevision(t *testing.T) {
	const exceptions = `{"roles": [{"name": "ClientRequest", "from": "client", "kind": "request"}],
		"skipMethods": [{"method": "do", "revisions": ["2030-01-01"]}]}`
	const defs = `"DoRequest": {"type": "object", "properties": {"method": {"const": "do", "type": "string"}}, "required": ["method"]},
		"ClientRequest": {"anyOf": [{"$ref": "#/$defs/DoRequest"}]}`
	r, err := mergeLater(t, exceptions, defs, defs)
	if err != nil {
		t.Fatal(err)
	}
	if x := r.Protocol.Methods[0]; x.Revs != 3 || x.ClientRevs != 2 {
		t.Errorf("%+v", x)
	}
}

// A boolean is a schema: no value fits false, so that nothing is declared by it.
func TestBooleanSchemas(t *testing.T) {
	x := func(properties string) string {
		return `"X": {"type": "object", "properties": {` + properties + `}}`
	}
	r, err := mergeLater(t, `{}`, x(`"a": {"type": "string"}, "b": true`),
		x(`"a": false, "b": {"anyOf": [false, {"type": "string"}]}, "c": {"items": false, "type": "array"}`))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fieldsOfX(r.Protocol), "A string 01, B json.RawMessage 11, C []json.RawMessage 10"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
