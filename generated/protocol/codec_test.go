package protocol

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp/wire"
)

type message interface {
	AppendJSON(b []byte, rev Revision) []byte
	DecodeJSON(d *wire.Decoder, rev Revision)
}

func decode(m message, text string, rev Revision) error {
	if err := wire.Check([]byte(text), wire.Limits{}); err != nil {
		return err
	}
	d := wire.NewDecoder([]byte(text))
	m.DecodeJSON(&d, rev)
	return d.Err()
}

func encode(m message, rev Revision) string { return string(m.AppendJSON(nil, rev)) }

var (
	audio = &CallToolResult{Content: []ContentBlock{&AudioContent{Data: []byte("hi"), MIMEType: "audio/wav"}}}
	link  = &CallToolResult{Content: []ContentBlock{&ResourceLink{URI: "a:b", Name: "n"}}, IsError: new(false)}
)

// encodings are messages and what they become in some revisions.
var encodings = []struct {
	name string
	m    message
	want map[Revision]string
}{
	{"fields come with their revision", &Resource{URI: "a:b", Name: "n", Title: "T", Icons: []Icon{{Src: "data:,"}}},
		map[Revision]string{
			Revision20250326: `{"uri":"a:b","name":"n"}`,
			Revision20250618: `{"uri":"a:b","name":"n","title":"T"}`,
			Revision20251125: `{"uri":"a:b","name":"n","title":"T","icons":[{"src":"data:,"}]}`,
		}},
	{"fields go with their revision", &Tool{Name: "t", Execution: &ToolExecution{TaskSupport: TaskSupportOptional}},
		map[Revision]string{
			Revision20250618: `{"name":"t","inputSchema":{}}`,
			Revision20251125: `{"name":"t","inputSchema":{},"execution":{"taskSupport":"optional"}}`,
			Revision20260728: `{"name":"t","inputSchema":{}}`,
		}},
	{"result members of the newest revision", &ListResourcesResult{}, map[Revision]string{
		Revision20251125: `{"resources":[]}`,
		Revision20260728: `{"resources":[],"cacheScope":"private","resultType":"complete","ttlMs":0}`,
	}},
	{"input required", &InputRequiredResult{RequestState: new("")}, map[Revision]string{
		Revision20260728: `{"resultType":"input_required","requestState":""}`,
	}},
	{"server info only in new metadata", &Result{Meta: &ResultMetaObject{ServerInfo: &Implementation{Name: "n",
		Version: "1"}}}, map[Revision]string{
		Revision20251125: `{"_meta":{}}`,
		Revision20260728: `{"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"n","version":"1"}}}`,
	}},
	{"audio is text for the first revision", audio, map[Revision]string{
		Revision20241105: `{"content":[{"type":"text","text":"[audio: audio/wav]"}]}`,
		Revision20250326: `{"content":[{"type":"audio","mimeType":"audio/wav","data":"aGk="}]}`,
	}},
	{"links are text before 2025-06-18", link, map[Revision]string{
		Revision20250326: `{"content":[{"type":"text","text":"n: a:b"}],"isError":false}`,
		Revision20250618: `{"content":[{"type":"resource_link","uri":"a:b","name":"n"}],"isError":false}`,
	}},
	{"structured content that is no object", &CallToolResult{Content: []ContentBlock{},
		StructuredContent: json.RawMessage(`[1]`)}, map[Revision]string{
		Revision20250326: `{"content":[]}`,
		Revision20251125: `{"content":[]}`,
		Revision20260728: `{"content":[],"structuredContent":[1],"resultType":"complete"}`,
	}},
	{"output schema without an object root", &Tool{Name: "t", OutputSchema: json.RawMessage(`{"type":"array"}`)},
		map[Revision]string{
			Revision20251125: `{"name":"t","inputSchema":{}}`,
			Revision20260728: `{"name":"t","inputSchema":{},"outputSchema":{"type":"array"}}`,
		}},
	{"one block has no brackets", &SamplingMessage{Role: RoleUser,
		Content: []SamplingMessageContentBlock{&TextContent{Text: "x"}}}, map[Revision]string{
		Revision20241105: `{"role":"user","content":{"type":"text","text":"x"}}`,
		Revision20260728: `{"role":"user","content":{"type":"text","text":"x"}}`,
	}},
	{"old revisions get the first of many blocks", &SamplingMessage{Role: RoleUser, Content: []SamplingMessageContentBlock{
		&TextContent{Text: "x"}, &ToolUseContent{ID: "1", Name: "f"}}}, map[Revision]string{
		Revision20250618: `{"role":"user","content":{"type":"text","text":"x"}}`,
		Revision20251125: `{"role":"user","content":[{"type":"text","text":"x"},{"type":"tool_use","name":"f","id":"1","input":{}}]}`,
	}},
	{"nullable and required", &Task{TaskID: "1", Status: TaskStatusWorking}, map[Revision]string{
		Revision20251125: `{"createdAt":"","lastUpdatedAt":"","status":"working","taskId":"1","ttl":null}`,
	}},
	{"a missing union member is null", &PromptMessage{Role: RoleUser}, map[Revision]string{
		Latest: `{"role":"user","content":null}`,
	}},
}

func TestEncodeByRevision(t *testing.T) {
	t.Attr("requirements", "init-negotiated")
	for _, test := range encodings {
		for rev, want := range test.want {
			if got := encode(test.m, rev); got != want {
				t.Errorf("%s, %s:\n got %s\nwant %s", test.name, rev, got, want)
			}
		}
	}
}

func TestDecodeIsStrict(t *testing.T) {
	t.Attr("requirements", "sampling-validate")
	tests := []struct {
		m    message
		rev  Revision
		text string
		want string // part of the error, "" for none
	}{
		{&Resource{}, Latest, `{"name":"n"}`, "/uri"},
		{&Resource{}, Latest, `{"uri":"a:b","Name":"n"}`, "/name"},
		{&Resource{}, Latest, `{"uri":1,"name":"n"}`, "/uri"},
		{&Resource{}, Latest, `{"uri":"a:b","name":"n","title":null}`, "/title"},
		{&Resource{}, Latest, `[]`, "object"},
		{&TextContent{}, Latest, `{"type":"image","text":"x"}`, `"text"`},
		{&ListResourcesResult{}, Revision20251125, `{"resources":[]}`, ""},
		{&ListResourcesResult{}, Latest, `{"resources":[],"resultType":"complete","cacheScope":"private"}`, "/ttlMs"},
		{&PaginatedRequestParams{}, Revision20251125, `{}`, ""},
		{&PaginatedRequestParams{}, Latest, `{}`, "/_meta"},
		{&RequestMetaObject{}, Latest, `{"io.modelcontextprotocol/clientCapabilities":{}}`, "protocolVersion"},
		{&CancelledNotificationParams{}, Revision20251125, `{}`, ""},
		{&CancelledNotificationParams{}, Latest, `{}`, "/requestId"},
		{&CancelledNotificationParams{}, Latest, `{"requestId":1.5}`, "/requestId"},
		{&CallToolResult{}, Revision20251125, `{"content":[{"type":1}]}`, "/content/0"},
		{&CallToolResult{}, Revision20251125, `{"content":["video"]}`, "/content/0"},
		{&CallToolResult{}, Revision20251125, `{"content":[{"type":"image","data":"?","mimeType":"i"}]}`, "/content/0/data"},
		{&ReadResourceResult{}, Revision20251125, `{"contents":[[]]}`, "/contents/0"},
		{&CallToolRequestParams{}, Revision20251125, `{"name":"t","arguments":[]}`, "/arguments"},
		{&CreateMessageResult{}, Latest, `{"content":{"type":"text","text":"x"},"model":"m"}`, "/role"},
		{&CreateMessageResult{}, Latest, `{"role":"user","model":"m"}`, "/content"},
		{&CreateMessageResult{}, Latest, `{"role":"user","content":{"type":"text"},"model":"m"}`, "/content/text"},
		{&CreateMessageResult{}, Latest, `{"role":"user","content":{"type":"text","text":"x"}}`, "/model"},
		{&Task{}, Revision20251125, `{"taskId":"1","status":"new","createdAt":"","lastUpdatedAt":"","ttl":null}`, ""},
		{&Task{}, Revision20251125, `{"taskId":"1","status":"new","createdAt":"","lastUpdatedAt":""}`, "/ttl"},
	}
	for _, test := range tests {
		err := decode(test.m, test.text, test.rev)
		switch {
		case test.want == "" && err != nil:
			t.Errorf("%T %s: %v", test.m, test.text, err)
		case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
			t.Errorf("%T %s: error %v, want %q", test.m, test.text, err, test.want)
		}
	}
}

func TestUnknownMembersSurvive(t *testing.T) {
	const text = `{"uri":"a:b","name":"n","annotations":{"x":[1, 2]},"_meta":{"k/v":null},"Title":"T","ext":{"a":1e400}}`
	const want = `{"uri":"a:b","name":"n","annotations":{"x":[1,2]},"_meta":{"k/v":null},"Title":"T","ext":{"a":1e400}}`
	var v Resource
	if err := decode(&v, text, Latest); err != nil {
		t.Fatal(err)
	}
	if got := encode(&v, Latest); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// What a revision does not know, be it of a later one or of nobody, is kept and written again.
func TestOthersKindsAndMembersSurvive(t *testing.T) {
	for _, tt := range []struct {
		m    message
		rev  Revision
		text string
	}{
		{&CallToolResult{}, Revision20251125, `{"content":[{"type": "video", "at": [1e2]},{"type":"text","text":"x"}]}`},
		{&CallToolResult{}, Revision20241105, `{"content":[{"type":"audio","data":7}],"structuredContent":[1]}`},
		{&ReadResourceResult{}, Revision20251125, `{"contents":[{"uri":"a:b","stream":true}]}`},
		{&CallToolRequestParams{}, Revision20251125, `{"name":"t","requestState":5}`},
		{&CallToolRequestParams{}, Revision20241105, `{"name":"t","task":{"ttl":"long"}}`},
		{&Tool{}, Revision20241105, `{"name":"t","inputSchema":{},"title":7,"icons":{}}`},
	} {
		if err := decode(tt.m, tt.text, tt.rev); err != nil {
			t.Errorf("%s %s: %v", tt.rev, tt.text, err)
		} else if got := encode(tt.m, tt.rev); got != tt.text {
			t.Errorf("%s: got  %s\nwant %s", tt.rev, got, tt.text)
		}
	}
}

// What encoding/json makes of a message is right, or an error.
func TestMarshal(t *testing.T) {
	text := &TextContent{Text: "x"}
	for _, v := range []any{text, *text, CallToolResult{}, []ContentBlock{text}, wire.Map[Tool]{{Name: "t"}}} {
		if b, err := json.Marshal(v); err == nil {
			t.Errorf("%T becomes %s", v, b)
		}
	}
	for want, v := range map[string]any{
		`{"type":"video"}`: &Unknown{Raw: json.RawMessage(`{"type":"video"}`)}, `{"a":[1]}`: Prepared(`{"a":[1]}`),
		`[{"type":"video"}]`: []ContentBlock{&Unknown{Raw: json.RawMessage(`{"type":"video"}`)}}, `"user"`: RoleUser,
	} {
		if b, err := json.Marshal(v); err != nil || string(b) != want {
			t.Errorf("%T becomes %s, %v", v, b, err)
		}
	}
	if b, err := wire.Marshal(text, Latest); err != nil || string(b) != `{"type":"text","text":"x"}` {
		t.Errorf("%s, %v", b, err)
	}
	for _, err := range []error{
		second(wire.Marshal(&PromptMessage{Role: RoleUser}, Latest)), second(wire.Marshal((*Tool)(nil), Latest)),
		second(wire.Marshal(&CancelledNotificationParams{}, Latest)),
		second(wire.Marshal(&ReadResourceRequestParams{}, Latest)),
		second(wire.Marshal(&PromptMessage{Content: &Unknown{}}, Latest)),
	} {
		if err == nil {
			t.Error("no error")
		}
	}
}

func second(_ []byte, err error) error { return err }

func TestZeroValuesSurvive(t *testing.T) {
	for _, text := range []string{
		`{"values":[],"hasMore":false,"total":0}`,
		`{"values":["a"]}`,
	} {
		var v CompleteResultCompletion
		if err := decode(&v, text, Latest); err != nil {
			t.Fatal(err)
		}
		if got := encode(&v, Latest); len(got) != len(text) {
			t.Errorf("got %s, want %s", got, text)
		}
	}
	for _, text := range []string{`{"type":"string","default":""}`, `{"type":"string"}`} {
		var v StringSchema
		if err := decode(&v, text, Latest); err != nil {
			t.Fatal(err)
		}
		if got := encode(&v, Latest); got != text {
			t.Errorf("got %s, want %s", got, text)
		}
	}
}

func TestUnionMembersAreToldApart(t *testing.T) {
	for text, want := range map[string]PrimitiveSchemaDefinition{
		`{"type":"string"}`:                                    &StringSchema{},
		`{"type":"string","enum":["a"]}`:                       &UntitledSingleSelectEnumSchema{},
		`{"type":"string","enum":["a"],"enumNames":["A"]}`:     &LegacyTitledEnumSchema{},
		`{"type":"string","oneOf":[]}`:                         &TitledSingleSelectEnumSchema{},
		`{"type":"array","items":{"type":"string","enum":[]}}`: &UntitledMultiSelectEnumSchema{},
		`{"type":"array","items":{"anyOf":[]}}`:                &TitledMultiSelectEnumSchema{},
		`{"type":"integer"}`:                                   &NumberSchema{},
		`{"type":"b\u006folean"}`:                              &BooleanSchema{},
	} {
		d := wire.NewDecoder([]byte(text))
		got := DecodePrimitiveSchemaDefinition(&d, Latest)
		if d.Err() != nil || typeName(got) != typeName(want) {
			t.Errorf("%s is a %s (%v), want %s", text, typeName(got), d.Err(), typeName(want))
		}
	}
	for text, want := range map[string]string{
		`{"message":"m","requestedSchema":{"type":"object","properties":{}}}`:               "*protocol.ElicitRequestFormParams",
		`{"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{}}}`: "*protocol.ElicitRequestFormParams",
		`{"mode":"url","message":"m","url":"https://x"}`:                                    "*protocol.ElicitRequestURLParams",
	} {
		d := wire.NewDecoder([]byte(text))
		if got := DecodeElicitRequestParams(&d, Latest); d.Err() != nil || typeName(got) != want {
			t.Errorf("%s is a %s (%v), want %s", text, typeName(got), d.Err(), want)
		}
	}
}

// TestRaised writes messages in a later revision than the one that they were read in: what that did not know is a
// member now, and is there once.
func TestRaised(t *testing.T) {
	for _, c := range []struct {
		m          message
		text, want string
	}{
		{
			new(ListToolsResult), `{"tools":[],"resultType":"x","ttlMs":7,"own":1}`,
			`{"tools":[],"cacheScope":"private","resultType":"complete","ttlMs":0,"own":1}`,
		},
		{
			new(CallToolRequestParams), `{"name":"n","requestState":"s","task":{}}`,
			`{"name":"n","requestState":"s","task":{}}`,
		},
	} {
		if err := decode(c.m, c.text, Revision20250326); err != nil {
			t.Fatal(err)
		}
		if got := encode(c.m, Revision20260728); got != c.want {
			t.Errorf("%s becomes %s, want %s", c.text, got, c.want)
		}
		if got := encode(c.m, Revision20250326); got != c.text {
			t.Errorf("%s becomes %s in its own revision", c.text, got)
		}
	}
}
