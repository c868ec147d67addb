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
	t.Attr("requirements", "schema-ref-network")
	const head, tail = `{"type":"object",`, `,"additionalProperties":false`
	kids := head + `"properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/Node"}}}` + tail
	tree := &Type{Kind: Map, Name: "Tree"}
	tree.Elem = tree
	tests := []struct {
		name string
		root *Type
		want string
	}{
		{"no arguments", object(), head + `"properties":{}` + tail + `}`},
		{"order and required", object(Field{Name: "b", Required: true, Type: &Type{Kind: String}},
			Field{Name: "a", Type: &Type{Kind: Bool}}),
			head + `"properties":{"b":{"type":"string"},"a":{"type":"boolean"}}` + tail + `,"required":["b"]}`},
		{"anything is an object", object(Field{Name: "x", Type: &Type{}}), head + `"properties":{"x":{}}` + tail + `}`},
		{"anything described", object(Field{Name: "x", Description: "X.", Type: &Type{}}),
			head + `"properties":{"x":{"description":"X."}}` + tail + `}`},
		{"list of anything", object(Field{Name: "x", Type: &Type{Kind: Array, Elem: &Type{}}}),
			head + `"properties":{"x":{"type":"array","items":{}}}` + tail + `}`},
		{"text that looks like a mark", object(Field{Name: "x", Description: anything, Type: &Type{}}),
			head + `"properties":{"x":{"description":"{\"$comment\":\"any\"}"}}` + tail + `}`},
		{"no escapes for HTML", object(Field{Name: "x", Description: `a<b> & \u003c "q"`, Type: &Type{}}),
			head + `"properties":{"x":{"description":"a<b> & \\u003c \"q\""}}` + tail + `}`},
		{"bounds of length", object(Field{Name: "x", Type: &Type{Kind: Array, Fixed: true,
			Elem: &Type{Kind: Integer, Unsigned: true}}}),
			head + `"properties":{"x":{"type":"array","items":{"type":"integer","minimum":0},"maxItems":0,"minItems":0}}` + tail +
				`}`},
		{"numbers in an enum", object(Field{Name: "x", Type: &Type{Kind: Integer, Unsigned: true,
			Enum: []any{json.Number("1"), json.Number("2")}}}),
			head + `"properties":{"x":{"type":"integer","enum":[1,2]}}` + tail + `}`},
		{"recursive root", node("Node", "m"), head + `"$defs":{"Node":` + kids + `}},` + kids[len(head):] + `}`},
		{"members called type", object(Field{Name: "b", Type: &Type{Kind: String, Enum: []any{"type"}}},
			Field{Name: "type", Type: &Type{Kind: Nullable, Elem: &Type{Kind: Array, Elem: &Type{Kind: Bool}}}}),
			head + `"properties":{"b":{"type":"string","enum":["type"]},` +
				`"type":{"oneOf":[{"type":"array","items":{"type":"boolean"}},{"type":"null"}]}}` + tail + `}`},
		{"recursive map", object(Field{Name: "x", Description: "X.", Type: tree}),
			head + `"$defs":{"Tree":{"type":"object","additionalProperties":{"$ref":"#/$defs/Tree"}}},"properties":{"x":{"$ref":"#/$defs/Tree","description":"X."}}` + tail + `}`},
	}
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
	t.Attr("requirements", "schema-ref-network")
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
	want := `{"type":"object","properties":{"a":{"type":"string","description":"A."},"b":{"type":"string"}},"additionalProperties":false}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
