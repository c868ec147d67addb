package cells

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
)

var (
	seed   = flag.Int64("seed", 1, "seed of the random values; 0 takes the time")
	rounds = flag.Int("rounds", 200, "values of each shape in each position")
)

// cell is the tool of one shape.
type cell struct {
	*testing.T
	*filler
	client *mcptest.Client
	name   string
	tool   string
	box    reflect.Type
	in     *jsonschema.Schema
	out    *jsonschema.Schema
}

// TestCells takes every shape in every position through its tool: what encoding/json writes is valid under the input
// schema, passes the check and comes back as the same value; what the tool returns is valid under its output schema;
// what the schema refuses, the check refuses with a pointer.
func TestCells(t *testing.T) {
	if *seed == 0 {
		*seed = time.Now().UnixNano()
	}
	t.Logf("seed %d", *seed)
	srv, err := NewCellsServer(CellsImpl{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := mcptest.New(t, srv, mcptest.WithRevision(protocol.Revision20260728))
	byName := map[string]protocol.Tool{}
	for _, tool := range c.Tools() {
		byName[tool.Name] = tool
	}
	for i, name := range slices.Sorted(maps.Keys(boxes)) {
		tool := byName[toolOf(name)]
		t.Run(name, func(t *testing.T) {
			cell := &cell{
				T: t, filler: &filler{Rand: rand.New(rand.NewSource(*seed + int64(i)))}, client: c, name: name, tool: tool.Name,
				box: reflect.TypeOf(boxes[name]), in: compiled(t, tool.InputSchema), out: compiled(t, tool.OutputSchema),
			}
			for p := range cell.box.NumField() {
				cell.run(p)
			}
		})
	}
	for _, d := range differences {
		if !used[d.name] {
			t.Errorf("the table of differences has %q, which never occurs", d.name)
		}
	}
}

// run validates a shape in one position.
func (c *cell) run(position int) {
	for range *rounds {
		c.inputs(position)
		c.mutations(position)
		c.outputs(position)
		if c.Failed() {
			c.Fatalf("seed %d", *seed)
		}
	}
}

// toolOf is the name of the tool of a shape: take_int8.
func toolOf(shape string) string {
	var b strings.Builder
	for _, r := range "Take" + shape {
		if r < 'a' && r >= 'A' && b.Len() > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(r)
	}
	return strings.ToLower(b.String())
}

func compiled(t *testing.T, text json.RawMessage) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("mem:///schema.json", parsed(t, text)); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("mem:///schema.json")
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return s
}

func parsed(t *testing.T, text []byte) any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return v
}

// value makes a box with something in one position.
func (c *cell) value(position int, empties bool) reflect.Value {
	c.empties = empties
	v := reflect.New(c.box)
	c.fill(v.Elem().Field(position), 0)
	return v
}

// call runs the tool. wrong is the text of a refusal.
func (c *cell) call(args []byte) (structured json.RawMessage, wrong string) {
	text, e := c.client.Do(protocol.MethodToolsCall, []byte(`{"name":"`+c.tool+`","arguments":`+string(args)+`}`))
	if e != nil {
		c.Fatalf("%s: %s: %v", c.name, args, e)
	}
	var r struct {
		IsError           bool
		Content           []struct{ Text string }
		StructuredContent json.RawMessage
	}
	if err := json.Unmarshal(text, &r); err != nil {
		c.Fatal(err)
	}
	if r.IsError {
		return nil, r.Content[0].Text
	}
	return r.StructuredContent, ""
}

// written is what encoding/json writes without escapes for HTML pages.
func written(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

// inputs validates what encoding/json writes of a random value.
func (c *cell) inputs(position int) {
	v := c.value(position, c.Intn(4) == 0)
	text, err := written(v.Interface())
	if err != nil {
		c.Fatal(err)
	}
	next = nil
	back, wrong := c.call(text)
	invalid := c.in.Validate(parsed(c.T, text))
	switch {
	case invalid == nil && wrong == "":
		c.same(back, text)
	case (invalid == nil) != (wrong == "") && !c.stricter(invalid, wrong), !c.differs(text, wrong):
		c.Errorf("%s: %s\nschema: %v\ncheck: %s", c.name, text, invalid, wrong)
	}
}

// same validates what the tool returned of its arguments.
func (c *cell) same(back, text []byte) {
	if err := c.out.Validate(parsed(c.T, back)); err != nil {
		c.Errorf("%s: the result %s\nis not as its schema says: %v", c.name, back, err)
	}
	v := reflect.New(c.box)
	if err := json.Unmarshal(text, v.Interface()); err != nil {
		c.Fatal(err)
	}
	again, err := written(v.Interface())
	if err != nil {
		c.Fatal(err)
	}
	if !c.alike(parsed(c.T, back), parsed(c.T, again)) {
		c.Errorf("%s: %s\ncomes back as %s", c.name, again, back)
	}
}

// outputs validates what the tool writes of a random value of the program.
func (c *cell) outputs(position int) {
	v := c.value(position, c.Intn(2) == 0)
	next = v.Elem().Interface()
	text, err := written(v.Interface())
	if err != nil {
		c.Fatal(err)
	}
	back, wrong := c.call([]byte(`{}`))
	if wrong != "" {
		c.Fatalf("%s: %s: %s", c.name, text, wrong)
	}
	if err := c.out.Validate(parsed(c.T, back)); err != nil {
		c.Errorf("%s: the result %s\nof %s\nis not as its schema says: %v", c.name, back, text, err)
	}
	if !c.alike(parsed(c.T, back), parsed(c.T, text)) {
		c.Errorf("%s: %s\nis written as %s", c.name, text, back)
	}
}

// alike compares what the tool wrote with what encoding/json wrote.
func (c *cell) alike(got, want any) bool {
	switch want := want.(type) {
	case nil:
		list, isList := got.([]any)
		object, isMap := got.(map[string]any)
		if isList && len(list) == 0 || isMap && len(object) == 0 || got == "" {
			return use("nil lists and maps")
		}
		return got == nil
	case map[string]any:
		got, ok := got.(map[string]any)
		if !ok {
			return c.name == "Far" && len(want) == 0 && use("methods of pointers in maps")
		}
		if c.name == "Limits" {
			delete(c.defaults(got, want), "d")
		}
		if len(got) != len(want) {
			return false
		}
		for k := range want {
			_, has := got[k]
			if far := c.name == "Far"; !has || !c.alike(got[k], want[k]) && !far {
				return false
			}
		}
		return true
	case []any:
		got, ok := got.([]any)
		return ok && slices.EqualFunc(got, want, c.alike)
	}
	return reflect.DeepEqual(got, want)
}

// defaults returns got if its member d is there by a default alone.
func (c *cell) defaults(got, want map[string]any) map[string]any {
	if _, given := want["d"]; !given && fmt.Sprint(got["d"]) == "3" && use("defaults") {
		return got
	}
	return nil
}

// mutations validates a text that is valid but for one change.
func (c *cell) mutations(position int) {
	text, err := written(c.value(position, false).Interface())
	if err != nil {
		c.Fatal(err)
	}
	var root any
	if err := json.Unmarshal(text, &root); err != nil {
		c.Fatal(err)
	}
	changed, err := json.Marshal(c.mutate(root))
	if err != nil || changed[0] != '{' {
		return
	}
	next = nil
	_, wrong := c.call(changed)
	invalid := c.in.Validate(parsed(c.T, changed))
	switch {
	case invalid == nil && wrong == "":
	case invalid != nil && wrong == "", invalid == nil && !c.stricter(invalid, wrong):
		c.Errorf("%s: %s\nschema: %v\ncheck: %s", c.name, changed, invalid, wrong)
	case !strings.Contains(wrong, "/"):
		c.Errorf("%s: %s is refused without a pointer: %s", c.name, changed, wrong)
	}
}

// strangers replace values of all kinds.
var strangers = []string{
	`null`, `true`, `0`, `-1`, `1.0`, `1.5`, `1e2`, `1e-400`, `0.99999999999999999`, `300`, `1e400`,
	`18446744073709551616`, `""`, `"x"`, `"LOW"`, `"1"`, `"01"`, `"1.0"`, `"true"`,
	`[]`, `[1]`, `[{}]`, `[[]]`, `[null]`, `{}`, `{"x":1}`, `{"1":null}`, `{"01":"a"}`, `{"A":{}}`, `0.10000000000000001`,
	`[1,1.00000000000000000001]`, `3`, `"2026-07-28T12:00:00Z"`,
}

// mutate changes one place in v.
func (c *cell) mutate(v any) any {
	if c.Intn(4) == 0 {
		return json.RawMessage(strangers[c.Intn(len(strangers))])
	}
	switch v := v.(type) {
	case map[string]any:
		names := slices.Sorted(maps.Keys(v))
		switch n := c.Intn(10); {
		case n == 0:
			v[texts[c.Intn(len(texts))]] = json.RawMessage(strangers[c.Intn(len(strangers))])
		case n == 1 && len(names) > 0:
			delete(v, names[c.Intn(len(names))])
		case len(names) > 0:
			k := names[c.Intn(len(names))]
			v[k] = c.mutate(v[k])
			if k == "m" { // of Limits
				v[k] = json.RawMessage(`[0.1,0.10000000000000000001]`)
			}
		}
		return v
	case []any:
		switch n := c.Intn(8); {
		case n == 0:
			return append(v, json.RawMessage(strangers[c.Intn(len(strangers))]))
		case n == 1 && len(v) > 0:
			return v[1:]
		case len(v) > 0:
			i := c.Intn(len(v))
			v[i] = c.mutate(v[i])
		}
		return v
	}
	return json.RawMessage(strangers[c.Intn(len(strangers))])
}

var used = map[string]bool{}

func use(name string) bool {
	if !slices.ContainsFunc(differences, func(d difference) bool { return d.name == name }) {
		panic(fmt.Sprintf("no difference %q", name))
	}
	used[name] = true
	return true
}
