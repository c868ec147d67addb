package values

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/golden/forms"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
)

// compiledSchema compiles a schema that the server lists.
func compiledSchema(t *testing.T, text json.RawMessage) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("mem:///schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("mem:///schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// orderMembers are values of the members of an order, right and wrong.
var orderMembers = map[string][]string{
	"customer": {`"Ann"`, `"Ann"`, `"A"`, `"\u00e4\u00f6"`, `1`, `null`, `"` + strings.Repeat("\\u00e4", 40) + `"`, `"` +
		strings.Repeat("x", 41) + `"`},
	"ref": {`"123e4567-e89b-12d3-a456-426614174000"`, `"123e4567-e89b-12d3-a456-426614174000"`, `"123e4567"`, `null`},
	"lines": {`[{"article":"AB-1"}]`, `[{"article":"AB-1"}]`, `[]`, `{}`, `[{"article":"ab"}]`,
		`[{"article":"AB-1","count":201}]`, `[{"article":"AB-1","count":0}]`, `[{"article":"AB-1","count":3.0,"note":null}]`,
		`[{}]`, `[{"article":"AB-1","no":1}]`, `[null]`},
	"mail":     {`"a@b.example"`, `"a"`, `"@"`},
	"day":      {`"2026-07-28"`, `"2026-02-30"`, `20260728`},
	"at":       {`"2026-07-28T12:00:00Z"`, `"2026-07-28"`},
	"site":     {`"https://example.com/a"`, `"a b"`},
	"host":     {`"a-1.example"`, `"-a"`},
	"v4":       {`"192.0.2.1"`, `"192.0.2.256"`, `"::1"`},
	"v6":       {`"::1"`, `"192.0.2.1"`},
	"colour":   {`"red"`, `"blue"`, `""`},
	"stage":    {`"sent"`, `"lost"`, `3`},
	"rank":     {`1`, `4`, `"1"`, `2.0`},
	"urgent":   {`true`, `"true"`, `0`},
	"discount": {`0.15`, `0.5`, `0`, `1`, `0.17`, `"0.5"`},
	"weight":   {`0.5`, `1000`, `0.25`, `1001`, `null`},
	"boxes":    {`2`, `8`, `6`, `3`, `4.0`, `2.5`},
	"limit":    {`1`, `0`, `null`, `1e2`, `1.5`},
	"tags":     {`["a"]`, `["a","b","c"]`, `[]`, `["a","a"]`, `["a","b","c","d"]`, `["abcdef"]`, `[1]`, `null`},
	"days":     {`null`, `[]`, `[1,7]`, `[0]`, `[8]`, `"1"`},
	"due":      {`"2026-07-28T12:00:00Z"`, `"soon"`},
	"wait":     {`0`, `-1`, `1.5`},
	"parts":    {`{}`, `{"a/b":{"article":"AB-1"}}`, `{"a":{}}`, `[]`, `{"a":null}`},
	"next":     {`{"customer":"Ann","ref":"123e4567-e89b-12d3-a456-426614174000","lines":[{"article":"AB-1"}]}`, `{}`, `null`},
	"extra":    {`null`, `[{"a":1}]`, `1`},
	"secret":   {`"s"`, `null`},
	"<odd>&~/": {`"o"`, `""`},
	"other":    {`1`},
}

// randomOrder has the members that are needed nearly always, and others now and then.
func randomOrder(r *rand.Rand) string {
	var names []string
	for name := range orderMembers {
		names = append(names, name)
	}
	slices.Sort(names)
	var members []string
	for _, name := range names {
		needed := name == "customer" || name == "ref" || name == "lines"
		if needed && r.Intn(30) == 0 || !needed && r.Intn(10) > 0 || name == "other" && r.Intn(3) > 0 {
			continue
		}
		values := orderMembers[name]
		value := values[0]
		if r.Intn(4) == 0 {
			value = values[r.Intn(len(values))]
		}
		members = append(members, fmt.Sprintf("%q:%s", name, value))
	}
	return "{" + strings.Join(members, ",") + "}"
}

// The generated validator accepts what the schema accepts, and what the tool then returns is as its
// output schema says.
func TestSchemasAndValidatorsAgree(t *testing.T) {
	srv, err := forms.NewFormsServer(forms.FormsImpl{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := mcptest.New(t, srv, mcptest.WithRevision(protocol.Revision20260728))
	tools := c.Tools()
	in, out := compiledSchema(t, tools[0].InputSchema), compiledSchema(t, tools[0].OutputSchema)
	r := rand.New(rand.NewSource(1))
	accepted := 0
	for range 2000 {
		args := randomOrder(r)
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(args))
		if err != nil {
			t.Fatal(err)
		}
		wrong := in.Validate(value)
		text, e := c.Do(protocol.MethodToolsCall, []byte(`{"name":"check","arguments":`+args+`}`))
		if e != nil {
			t.Fatalf("%s: %v", args, e)
		}
		var result struct {
			IsError           bool
			Content           []struct{ Text string }
			StructuredContent json.RawMessage
		}
		if err := json.Unmarshal(text, &result); err != nil {
			t.Fatal(err)
		}
		if result.IsError != (wrong != nil) {
			t.Fatalf("%s\nschema: %v\nvalidator: %s", args, wrong, result.Content[0].Text)
		}
		if result.IsError {
			continue
		}
		accepted++
		value, err = jsonschema.UnmarshalJSON(strings.NewReader(string(result.StructuredContent)))
		if err != nil {
			t.Fatal(err)
		}
		if err := out.Validate(value); err != nil {
			t.Fatalf("%s\nis not as its schema says: %v", result.StructuredContent, err)
		}
	}
	if accepted < 200 || accepted > 1800 {
		t.Errorf("%d of 2000 accepted", accepted)
	}
}

// Every tool of the forms returns what its output schema says, zero values included.
func TestOutputsAreAsTheirSchemasSay(t *testing.T) {
	srv, err := forms.NewFormsServer(forms.FormsImpl{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := mcptest.New(t, srv, mcptest.WithRevision(protocol.Revision20260728))
	for _, tool := range c.Tools() {
		args := map[string]string{
			"describe": `{"article":"AB-1"}`, "check_line": `{"article":"AB-1"}`, "list": `{}`, "count": `{}`,
		}[tool.Name]
		if args == "" {
			continue
		}
		result := c.Call(tool.Name, args)
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(string(result.StructuredContent)))
		if err != nil {
			t.Fatal(err)
		}
		if err := compiledSchema(t, tool.OutputSchema).Validate(value); err != nil {
			t.Errorf("%s: %s: %v", tool.Name, result.StructuredContent, err)
		}
	}
}
