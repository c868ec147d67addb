package jsonschema

import (
	"encoding/json"
	"testing"
)

func object(fields ...Field) *Type { return &Type{Kind: Object, Fields: fields} }

// node is a recursive type called name.
func node(name, pkg string) *Type {
	n := &Type{Kind: Object, Name: name, Pkg: pkg}
	n.Fields = []Field{{Name: "kids", Type: &Type{Kind: Array, Elem: n}}}
	return n
}

func TestText(t *testing.T) {
	const tail = `,"additionalProperties":false,"type":"object"`
	kids := `{"properties":{"kids":{"items":{"$ref":"#/$defs/Node"},"type":"array"}}` + tail
	tree := &Type{Kind: Map, Name: "Tree"}
	tree.Elem = tree
	tests := []struct {
		name string
		root *Type
		want string
	}{
		{"no arguments", object(), `{"properties":{}` + tail + `}`},
		{"order and required", object(Field{Name: "b", Required: true, Type: &Type{Kind: String}},
			Field{Name: "a", Type: &Type{Kind: Bool}}),
			`{"properties":{"b":{"type":"string"},"a":{"type":"boolean"}}` + tail + `,"required":["b"]}`},
		{"anything is an object", object(Field{Name: "x", Type: &Type{}}), `{"properties":{"x":{}}` + tail + `}`},
		{"anything described", object(Field{Name: "x", Description: "X.", Type: &Type{}}),
			`{"properties":{"x":{"description":"X."}}` + tail + `}`},
		{"list of anything", object(Field{Name: "x", Type: &Type{Kind: Array, Elem: &Type{}}}),
			`{"properties":{"x":{"items":{},"type":"array"}}` + tail + `}`},
		{"text that looks like a mark", object(Field{Name: "x", Description: anything, Type: &Type{}}),
			`{"properties":{"x":{"description":"{\"$comment\":\"any\"}"}}` + tail + `}`},
		{"no escapes for HTML", object(Field{Name: "x", Description: `a<b> & \u003c "q"`, Type: &Type{}}),
			`{"properties":{"x":{"description":"a<b> & \\u003c \"q\""}}` + tail + `}`},
		{"bounds of length", object(Field{Name: "x", Type: &Type{Kind: Array, Fixed: true,
			Elem: &Type{Kind: Integer, Unsigned: true}}}),
			`{"properties":{"x":{"items":{"type":"integer","minimum":0},"type":"array","maxItems":0,"minItems":0}}` + tail +
				`}`},
		{"numbers in an enum", object(Field{Name: "x", Type: &Type{Kind: Integer, Unsigned: true,
			Enum: []any{json.Number("1"), json.Number("2")}}}),
			`{"properties":{"x":{"type":"integer","enum":[1,2]}}` + tail + `}`},
		{"recursive root", node("Node", "m"), kids[:len(kids)-len(tail)-1] + `}` + tail + `}`},
		{"recursive map", object(Field{Name: "x", Description: "X.", Type: tree}),
			`{"$defs":{"Tree":{"additionalProperties":{"$ref":"#/$defs/Tree"},"type":"object"}},"properties":{"x":{"$ref":"#/$defs/Tree","description":"X."}}` + tail + `}`},
	}
	// A recursive root stands in the definitions too.
	tests[len(tests)-2].want = `{"$defs":{"Node":` + kids + `}},` + kids[1:] + `}`
	for _, tt := range tests {
		got, err := Text(tt.root)
		if err != nil || got != tt.want {
			t.Errorf("%s:\n got %s, %v\nwant %s", tt.name, got, err, tt.want)
		}
		if !json.Valid([]byte(got)) {
			t.Errorf("%s: not JSON", tt.name)
		}
	}
}

func TestDefinitionsOfOneName(t *testing.T) {
	root := object(Field{Name: "a", Type: node("Node", "m")}, Field{Name: "b", Type: node("Node", "store")},
		Field{Name: "c", Type: node("Node", "store")})
	text, err := Text(root)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Defs       map[string]any `json:"$defs"`
		Properties map[string]struct {
			Ref string `json:"$ref"`
		}
	}
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	for member, name := range map[string]string{"a": "Node", "b": "storeNode", "c": "Node2"} {
		if got.Defs[name] == nil || got.Properties[member].Ref != "#/$defs/"+name {
			t.Errorf("%s refers to %q, want %s, which is defined", member, got.Properties[member].Ref, name)
		}
	}
}

// Two uses of one description must not share a schema value.
func TestDescriptionsStayApart(t *testing.T) {
	shared := &Type{Kind: String}
	got, err := Text(object(Field{Name: "a", Description: "A.", Type: shared}, Field{Name: "b", Type: shared}))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"properties":{"a":{"type":"string","description":"A."},"b":{"type":"string"}},"additionalProperties":false,"type":"object"}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
