package protocol

import (
	"encoding/json"
	"testing"

	"github.com/mcpgen/mcpgen/mcp/wire"
)

// sample uses every shape that a server encodes often.
func sample() []message {
	return []message{
		&ListResourcesResult{
			NextCursor: new("c"),
			Resources: []Resource{{
				URI: "a:b", Name: "n", Title: "T", Size: new(int64(7)), Icons: []Icon{{Src: "data:,", Sizes: []string{"any"}}},
				Annotations: &Annotations{Audience: []Role{RoleUser}, Priority: new(0.5)},
				Meta:        &MetaObject{Extra: wire.Extra{{Name: "k", Value: json.RawMessage(`{"a":[1]}`)}}},
			}},
		},
		&CallToolResult{
			Content: []ContentBlock{&TextContent{Text: "x"},
				&ImageContent{Data: []byte("png"), MIMEType: "image/png"}},
			StructuredContent: json.RawMessage(`{"a":1}`),
		},
		&ReadResourceResult{Contents: []ResourceContents{&TextResourceContents{URI: "a:b", Text: "x"},
			&BlobResourceContents{URI: "a:c", Blob: []byte{1}}}},
		&DiscoverResult{SupportedVersions: []string{Latest.String()}, Capabilities: ServerCapabilities{
			Resources:  &ServerCapabilitiesResources{Subscribe: new(true)},
			Extensions: wire.Map[json.RawMessage]{{Name: "x/y", Value: json.RawMessage(`{}`)}},
		}},
		&ProgressNotificationParams{ProgressToken: wire.NumberID(1), Progress: 0.5, Total: new(1.0)},
		&InputRequiredResult{InputRequests: InputRequests{{Name: "q",
			Value: &ElicitRequest{Params: &ElicitRequestFormParams{Message: "m"}}}}},
	}
}

func TestEncodersDoNotAllocate(t *testing.T) {
	if raceDetector {
		t.Skip("pools allocate under the race detector")
	}
	buf := make([]byte, 0, 4096)
	for _, m := range sample() {
		for _, rev := range Revisions() {
			if n := testing.AllocsPerRun(20, func() { m.AppendJSON(buf, rev) }); n != 0 {
				t.Errorf("%T, %s: %v allocations", m, rev, n)
			}
		}
	}
}

// FuzzCodec decodes text and expects that what was understood survives a second round.
func FuzzCodec(f *testing.F) {
	for _, m := range sample() {
		for _, rev := range Revisions() {
			f.Add(uint8(rev), m.AppendJSON(nil, rev))
		}
	}
	f.Add(uint8(Latest), []byte(`{"role":"user","content":[{"type":"tool_result","toolUseId":"1","content":[]}]}`))
	f.Add(uint8(Latest), []byte(`{"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"array","items":{"anyOf":[]}}}}}`))
	f.Fuzz(func(t *testing.T, r uint8, text []byte) {
		if wire.Check(text, wire.Limits{}) != nil {
			return
		}
		rev := Revision(r%uint8(Latest)) + 1
		for _, fresh := range []func() message{
			func() message { return new(ListResourcesResult) }, func() message { return new(CallToolResult) },
			func() message { return new(ReadResourceResult) }, func() message { return new(DiscoverResult) },
			func() message { return new(ProgressNotificationParams) }, func() message { return new(InputRequiredResult) },
			func() message { return new(SamplingMessage) }, func() message { return new(ElicitRequestFormParams) },
			func() message { return new(CompleteRequestParams) }, func() message { return new(InitializeRequestParams) },
		} {
			first, second := fresh(), fresh()
			if decode(first, string(text), rev) != nil {
				continue
			}
			once := encode(first, rev)
			if err := decode(second, once, rev); err != nil {
				t.Fatalf("%T: %v\n%s\n%s", first, err, text, once)
			}
			if twice := encode(second, rev); twice != once {
				t.Fatalf("%T: encoded to\n%s\nthen to\n%s", first, once, twice)
			}
		}
	})
}
