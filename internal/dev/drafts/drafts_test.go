package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/output"
)

// madeUp is the newest revision with a request and a notification of clients more, a member that is a text beside a
// struct, a list whose params are a definition of their own, and a definition of another name.
func madeUp(t *testing.T) draft {
	t.Helper()
	files, err := filepath.Glob("../../../schema/????-??-??.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no facts", err)
	}
	data, err := os.ReadFile(files[len(files)-1])
	if err != nil {
		t.Fatal(err)
	}
	data = []byte(strings.ReplaceAll(string(data), `ModelHint"`, `ModelWish"`))
	var doc map[string]any
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	defs := doc["$defs"].(map[string]any)
	var more map[string]any
	if err := json.Unmarshal([]byte(`{
		"ApplaudRequest": {"type": "object", "properties": {"jsonrpc": {"const": "2.0", "type": "string"}, "id": {"$ref": "#/$defs/RequestId"},
			"method": {"const": "hands/applaud", "type": "string"}, "params": {"$ref": "#/$defs/RequestParams"}}, "required": ["id", "jsonrpc", "method", "params"]},
		"ApplaudedNotification": {"type": "object", "properties": {"jsonrpc": {"const": "2.0", "type": "string"},
			"method": {"const": "notifications/applauded", "type": "string"}}, "required": ["jsonrpc", "method"]},
		"ClientNotification": {"anyOf": [{"$ref": "#/$defs/CancelledNotification"}, {"$ref": "#/$defs/ApplaudedNotification"}]},
		"ListPromptsRequestParams": {"allOf": [{"$ref": "#/$defs/PaginatedRequestParams"}], "properties": {"filter": {"type": "string"}}, "type": "object"}
	}`), &more); err != nil {
		t.Fatal(err)
	}
	for name, def := range more {
		defs[name] = def
	}
	requests := defs["ClientRequest"].(map[string]any)
	requests["anyOf"] = append(requests["anyOf"].([]any), map[string]any{"$ref": "#/$defs/ApplaudRequest"})
	property := func(def, name string) map[string]any {
		return defs[def].(map[string]any)["properties"].(map[string]any)[name].(map[string]any)
	}
	property("ListPromptsRequest", "params")["$ref"] = "#/$defs/ListPromptsRequestParams"
	annotations := property("Tool", "annotations")
	annotations["anyOf"] = []any{map[string]any{"$ref": annotations["$ref"]}, map[string]any{"type": "string"}}
	delete(annotations, "$ref")
	if data, err = json.Marshal(doc); err != nil {
		t.Fatal(err)
	}
	return draft{name: "made up", blob: blobOf(data), data: data}
}

// TestMadeUpRevisionBreaksNothing judges a revision that does all that drafts have done.
func TestMadeUpRevisionBreaksNothing(t *testing.T) {
	tree, err := checkout()
	if err != nil {
		t.Fatal(err)
	}
	v, err := tree.judge(madeUp(t))
	if err != nil {
		t.Fatal(err)
	}
	if len(v.refused) > 0 || len(v.problems) > 0 {
		t.Errorf("refused: %q, problems: %q", v.refused, v.problems)
	}
	if len(v.notes) == 0 || v.changed == 0 || v.changed == v.files {
		t.Errorf("%d of %d files change, notes %q", v.changed, v.files, v.notes)
	}
	if problems := tree.servers(t.Context(), v.generated); len(problems) > 0 {
		t.Errorf("the servers: %q", problems)
	}
	broken := slices.DeleteFunc(slices.Clone(v.generated), func(f output.File) bool { return f.Path == "revision_gen.go" })
	if problems := tree.servers(t.Context(), broken); len(problems) == 0 || len(broken) == len(v.generated) {
		t.Errorf("the servers do not need revisions")
	}
	wrong := madeUp(t)
	wrong.data = []byte(strings.Replace(string(wrong.data), `"#/$defs/ApplaudRequest"`, `"#/$defs/Nothing"`, 1))
	if v, err = tree.judge(wrong); err != nil || len(v.refused) != 1 || !strings.Contains(v.refused[0], ":1:") {
		t.Errorf("a dangling reference: %v %q", err, v.refused)
	}
}

// TestTakeHasTheLast keeps the newest draft whatever the distance.
func TestTakeHasTheLast(t *testing.T) {
	all := []draft{{name: "a"}, {name: "b"}, {name: "c"}, {name: "d"}}
	var names []string
	for _, d := range take(all, 2) {
		names = append(names, d.name)
	}
	if got := strings.Join(names, ""); got != "acd" {
		t.Errorf("got %s, want acd", got)
	}
}
