package protocolgen

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// definitions are the definitions of the newest committed schema, to be edited.
type definitions map[string]any

// set defines name, or redefines it.
func (d definitions) set(name, text string) {
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		panic(err) // a mistake in the table of edits
	}
	d[name] = v
}

func (d definitions) object(name string) map[string]any { return d[name].(map[string]any) }

// properties returns the properties of a definition.
func (d definitions) properties(name string) definitions {
	return d.object(name)["properties"].(map[string]any)
}

// require makes a property required, or with off optional.
func (d definitions) require(name, property string, off bool) {
	list := []any{}
	old, _ := d.object(name)["required"].([]any)
	for _, r := range old {
		if r != property {
			list = append(list, r)
		}
	}
	if !off {
		list = append(list, property)
	}
	d.object(name)["required"] = list
}

// join adds a member to a union.
func (d definitions) join(union, member string) {
	list, _ := d.object(union)["anyOf"].([]any)
	d.object(union)["anyOf"] = append(list, map[string]any{"$ref": "#/$defs/" + member})
}

// edit is a change that the next revision may bring.
type edit struct {
	name   string
	change func(d definitions)
	want   []string // in the generated source
	warn   string   // in a warning, "" for none but missing docs
}

// request returns the definition of a request or notification.
func request(method, params string) string {
	return `{"type": "object", "properties": {"jsonrpc": {"const": "2.0", "type": "string"}, "id": {"$ref": "#/$defs/RequestId"},
		"method": {"const": "` + method + `", "type": "string"}, "params": {"$ref": "#/$defs/` + params + `"}},
		"required": ["jsonrpc", "method", "params"]}`
}

var edits = []edit{
	{"request", func(d definitions) {
		d.set("ArchiveRequest", request("resources/archive", "ArchiveRequestParams"))
		d.set("ArchiveRequestParams",
			`{"type": "object", "properties": {"uri": {"type": "string"}, "_meta": {"$ref": "#/$defs/RequestMetaObject"}}, "required": ["uri", "_meta"]}`)
		d.set("ArchiveResult",
			`{"type": "object", "properties": {"at": {"type": "string"}, "resultType": {"type": "string"}}, "required": ["at", "resultType"]}`)
		d.join("ClientRequest", "ArchiveRequest")
	}, []string{"Archive(ctx context.Context, p *ArchiveRequestParams) (ArchiveReply, error)",
		"func (*ArchiveResult) archiveReply()", "case MethodResourcesArchive:"}, ""},
	{"request_without_result", func(d definitions) {
		d.set("TouchRequest", request("resources/touch", "RequestParams"))
		d.join("ClientRequest", "TouchRequest")
	}, []string{"func (*Result) touchReply()"}, ""},
	{"server_notification", func(d definitions) {
		d.set("MoodNotification", request("notifications/mood", "MoodNotificationParams"))
		d.set("MoodNotificationParams",
			`{"type": "object", "properties": {"mood": {"enum": ["good", "bad"], "type": "string"}}}`)
		d.join("ServerNotification", "MoodNotification")
	}, []string{"MethodNotificationsMood", "type MoodNotificationParams struct"}, ""},
	{"client_notification", func(d definitions) {
		d.set("AwayNotification", request("notifications/away", "NotificationParams"))
		d.set("ClientNotification",
			`{"anyOf": [{"$ref": "#/$defs/CancelledNotification"}, {"$ref": "#/$defs/AwayNotification"}]}`)
	}, []string{"Away(ctx context.Context, p *NotificationParams)"}, ""},
	{"content_block", func(d definitions) {
		d.set("VideoContent",
			`{"type": "object", "properties": {"type": {"const": "video", "type": "string"}, "uri": {"type": "string"}}, "required": ["type", "uri"]}`)
		d.join("ContentBlock", "VideoContent")
	}, []string{`case "video":`, "func (*VideoContent) contentBlock()"}, ""},
	{"enum_value", func(d definitions) {
		list := d.object("LoggingLevel")["enum"].([]any)
		d.object("LoggingLevel")["enum"] = append(list, "trace")
	}, []string{`LoggingLevelTrace LoggingLevel = "trace"`}, ""},
	{"required_field", func(d definitions) {
		d.properties("Tool").set("category", `{"type": "string"}`)
		d.require("Tool", "category", false)
	}, []string{`d.Missing("category")`}, ""},
	{"removed_field", func(d definitions) { delete(d.properties("Root"), "name") }, nil, ""},
	{"removed_definition", func(d definitions) {
		delete(d, "Icon")
		delete(d, "Icons")
		for name := range d {
			if p, ok := d.object(name)["properties"].(map[string]any); ok {
				delete(p, "icons")
			}
		}
	}, nil, ""},
	{"renamed_field", func(d definitions) {
		p := d.properties("Prompt")
		p["parameters"] = p["arguments"]
		delete(p, "arguments")
	}, []string{"Parameters []PromptArgument"}, ""},
	{"renamed_definition", func(d definitions) {
		d["Reader"] = d["Role"]
		delete(d, "Role")
		for _, name := range []string{"PromptMessage", "SamplingMessage", "CreateMessageResult"} {
			d.properties(name).set("role", `{"$ref": "#/$defs/Reader"}`)
		}
		d.properties("Annotations").set("audience", `{"type": "array", "items": {"$ref": "#/$defs/Reader"}}`)
	}, []string{"Audience []Role"}, ""},
	{"loosened_field", func(d definitions) { d.require("Tool", "inputSchema", true) }, nil, ""},
	{"retyped_field", func(d definitions) { d.properties("Resource").set("size", `{"type": "string"}`) },
		[]string{"Size *int64", "SizeString string", "v.SizeString != \"\" && rev >= Revision20990101"}, ""},
	{"retyped_to_object", func(d definitions) {
		d.properties("TextContent").set("text",
			`{"type": "object", "properties": {"plain": {"type": "string"}}, "required": ["plain"]}`)
	}, []string{"Text string", "if v.TextStruct != nil && rev >= Revision20990101"}, ""},
	{"nullable_field", func(d definitions) {
		d.properties("Resource").set("size", `{"type": ["integer", "null"]}`)
		d.require("Resource", "size", false)
	}, []string{"if v.Size != nil || rev >= Revision20990101 {", "if v.Size == nil {"}, ""},
	{"union_by_members", func(d definitions) {
		d.set("Inline", `{"type": "object", "properties": {"body": {"type": "string"}}, "required": ["body"]}`)
		d.set("Remote", `{"type": "object", "properties": {"address": {"type": "string"}}, "required": ["address"]}`)
		d.set("Attachment", `{"anyOf": [{"$ref": "#/$defs/Inline"}, {"$ref": "#/$defs/Remote"}]}`)
		d.properties("Resource").set("attachment", `{"$ref": "#/$defs/Attachment"}`)
	}, []string{`d.PeekMember("address")`, "Attachment Attachment"}, ""},
	{"union_of_twins", func(d definitions) {
		d.set("Heads", `{"type": "object", "properties": {"side": {"type": "string"}}}`)
		d.set("Tails", `{"type": "object", "properties": {"side": {"type": "string"}}}`)
		d.set("Coin", `{"anyOf": [{"$ref": "#/$defs/Heads"}, {"$ref": "#/$defs/Tails"}]}`)
		d.properties("Tool").set("coin", `{"$ref": "#/$defs/Coin"}`)
	}, []string{"Coin Coin"}, "cannot be told apart"},
	{"kind", func(d definitions) {
		d.set("Role", `{"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}`)
	}, []string{"type Role string", "Audience []Role", "type RoleStruct20990101 struct"}, ""},
	{"names_of_ours", func(d definitions) {
		d.set("Revision", `{"type": "object", "properties": {"extra": {"type": "string"}, "append_json": {"type": "integer"}, "type": {"type": "string"}, "Type": {"type": "string"}}}`)
		d.properties("Tool").set("revision", `{"$ref": "#/$defs/Revision"}`)
	}, []string{"type RevisionType struct", "ExtraMember"}, ""},
	{"itself", func(d definitions) {
		d.set("Node", `{"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}, "list": {"type": "array", "items": {"$ref": "#/$defs/Node"}}}, "required": ["next"]}`)
		d.properties("Tool").set("node", `{"$ref": "#/$defs/Node"}`)
	}, []string{"Next *Node"}, ""},
}

// write applies the edit to the newest committed schema and returns the file.
func (e edit) write(t *testing.T) SchemaFile {
	t.Helper()
	all := committed(t)
	data, err := os.ReadFile(all[len(all)-1].Path)
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	e.change(doc["$defs"].(map[string]any))
	if data, err = json.Marshal(doc); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), e.name+".json")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return SchemaFile{Path: path, Revision: "2099-01-01"}
}
