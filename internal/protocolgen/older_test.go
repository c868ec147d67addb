package protocolgen

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/output"
)

// hostile is a revision that changes what older ones must not notice.
var hostile = edit{"hostile", func(d definitions) {
	for _, name := range []string{"TextContent", "ImageContent", "AudioContent", "ResourceLink", "EmbeddedResource"} {
		d.properties(name)["kind"] = d.properties(name)["type"] // the tag has another name
		delete(d.properties(name), "type")
		d.require(name, "type", true)
		d.require(name, "kind", false)
	}
	d.properties("BooleanSchema").set("type", `{"const": "bool", "type": "string"}`) // another constant
	d.require("NumberSchema", "type", true)                                          // a tag that is optional
	d.properties("ToolUseContent").set("type", `{"enum": ["tool_use"], "type": "string"}`)
	d.properties("CallToolRequestParams").set("priority", `{"type": "integer"}`)
	d.properties("ListToolsResult").set("ttlMs", `{"type": "number", "minimum": 0}`)
	d.properties("Prompt").set("title", `{"type": ["string", "null"]}`)
	d.properties("Root").set("name", `false`)
	d.properties("CallToolRequest").set("method", `{"const": "tools/run", "type": "string"}`)
	d.set("CallToolReply", `{"type": "object", "properties": {"text": {"type": "string"}}}`)
	d.set("AppendContentBlock", `{"type": "object", "properties": {"next": {"$ref": "#/$defs/CallToolReply"}}}`)
	d.set("PlainPromptResult", `{"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}`)
	d.set("GetPromptResult", `{"anyOf": [{"$ref": "#/$defs/PlainPromptResult"},
		{"type": "object", "properties": {"messages": {"type": "array", "items": {"$ref": "#/$defs/PromptMessage"}}}, "required": ["messages"]}]}`)
	d.set("GetTaskRequest", request("tasks/get", "RequestParams"))
	d.join("ClientRequest", "GetTaskRequest")
	step := func(name, members, required string) {
		d.set(name, `{"type": "object", "properties": {`+members+`}, "required": [`+required+`]}`)
		d.join("Step", name)
	}
	d.set("Step", `{"anyOf": []}`)
	step("StepOne", `"step": {"type": "integer", "const": 1}, "token": {"type": "string"}`, `"step", "token"`)
	step("StepTwo", `"step": {"type": "number", "enum": [2.0, 2.5]}, "token": {"type": "integer"}`, `"step", "token"`)
	step("StepDone", `"done": {"type": "boolean", "const": true}, "at": {"type": "string"}`, `"done"`)
	step("StepLost", `"done": {"type": "boolean", "const": false}, "at": {"type": "string"}`, `"done"`)
	d.properties("CallToolResult").set("step", `{"$ref": "#/$defs/Step"}`)
}, nil, ""}

// TestOlderRevisionsStay generates a package with a revision that renames a tag, changes constants and adds members,
// and lets the codecs of the others show that they are what they were.
func TestOlderRevisionsStay(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	program, err := os.ReadFile(filepath.Join("testdata", "older.go.txt"))
	if err != nil {
		t.Fatal(err)
	}
	m := newModule(t)
	m.add("protocol", append(committed(t), hostile.write(t))...)
	if err := os.WriteFile(filepath.Join(m.dir, "older_test.go"), program, 0o600); err != nil {
		t.Fatal(err)
	}
	m.run("vet", "./protocol")
	m.run("test", "-gcflags=-N -l", ".") // which halves the time of the build
}

// module is a module outside of the checkout, which it uses by a replace directive.
type module struct {
	*testing.T
	dir string
}

func newModule(t *testing.T) *module {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	m := &module{t, t.TempDir()}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	const path = "github.com/mcpgen/mcpgen"
	mod := "module example.com/schemas\n\ngo 1.26.0\n\nrequire " + path + " v0.0.0\n\nreplace " + path + " => " + root +
		"\n"
	for name, text := range map[string]string{"go.mod": mod, "go.sum": string(sums)} {
		if err := os.WriteFile(filepath.Join(m.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// add writes a package of the module.
func (m *module) add(name string, schemas ...SchemaFile) {
	m.Helper()
	r, err := Generate(Options{Schemas: schemas, Package: "protocol", Dir: filepath.Join(m.dir, name)})
	if err != nil {
		m.Fatalf("%s: %v", name, err)
	}
	if _, err := output.Write(output.Disk{}, r.Files, ""); err != nil {
		m.Fatal(err)
	}
}

// run runs the go command in the module. Paths are trimmed, so that the build cache serves the next run too.
func (m *module) run(args ...string) {
	m.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = m.dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod -ldflags=-w", "GOPROXY=off", "GOWORK=off", "GOTOOLCHAIN=local")
	if out, err := cmd.CombinedOutput(); err != nil {
		m.Errorf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}
