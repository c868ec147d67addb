package examples

import (
	"reflect"
	"strings"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// message is a generated type under test.
type message interface {
	AppendJSON(b []byte, rev protocol.Revision) []byte
	DecodeJSON(d *wire.Decoder, rev protocol.Revision)
}

// types has one value of every type that an example is for.
var types = []message{
	&protocol.AudioContent{}, &protocol.BlobResourceContents{}, &protocol.BooleanSchema{},
	&protocol.CallToolRequestParams{},
	&protocol.CallToolResult{}, &protocol.CancelledNotificationParams{}, &protocol.ClientCapabilities{},
	&protocol.CompleteRequestParams{}, &protocol.CompleteResult{}, &protocol.CreateMessageRequest{},
	&protocol.CreateMessageRequestParams{}, &protocol.CreateMessageResult{}, &protocol.DiscoverResult{},
	&protocol.ElicitRequest{},
	&protocol.ElicitRequestFormParams{}, &protocol.ElicitRequestURLParams{}, &protocol.ElicitResult{},
	&protocol.EmbeddedResource{}, &protocol.GetPromptRequestParams{}, &protocol.GetPromptResult{},
	&protocol.ImageContent{},
	&protocol.InputRequiredResult{}, &protocol.ListPromptsResult{}, &protocol.ListResourceTemplatesResult{},
	&protocol.ListResourcesResult{}, &protocol.ListRootsRequest{}, &protocol.ListRootsResult{},
	&protocol.ListToolsResult{},
	&protocol.LoggingMessageNotificationParams{}, &protocol.ModelPreferences{}, &protocol.NotificationParams{},
	&protocol.NumberSchema{}, &protocol.PaginatedRequestParams{}, &protocol.ProgressNotificationParams{},
	&protocol.ReadResourceRequestParams{}, &protocol.ReadResourceResult{}, &protocol.RequestParams{}, &protocol.Resource{},
	&protocol.ResourceLink{}, &protocol.ResourceUpdatedNotificationParams{}, &protocol.Root{}, &protocol.SamplingMessage{},
	&protocol.ServerCapabilities{}, &protocol.StringSchema{}, &protocol.SubscriptionsAcknowledgedNotificationParams{},
	&protocol.SubscriptionsListenRequestParams{}, &protocol.SubscriptionsListenResult{}, &protocol.TextContent{},
	&protocol.TextResourceContents{}, &protocol.TitledMultiSelectEnumSchema{}, &protocol.TitledSingleSelectEnumSchema{},
	&protocol.Tool{}, &protocol.ToolResultContent{}, &protocol.ToolUseContent{}, &protocol.UntitledMultiSelectEnumSchema{},
	&protocol.UntitledSingleSelectEnumSchema{}, &inputRequests{}, &inputResponses{},
}

// newMessage returns a new value of the type for a definition, or nil.
func newMessage(definition string) message {
	for _, m := range types {
		t := reflect.TypeOf(m).Elem()
		if strings.EqualFold(t.Name(), definition) {
			return reflect.New(t).Interface().(message)
		}
	}
	return nil
}

// inputRequests and inputResponses make messages of the two definitions that are maps.
type inputRequests struct{ m protocol.InputRequests }

func (i *inputRequests) AppendJSON(b []byte, rev protocol.Revision) []byte {
	return wire.AppendUnionMap(b, rev, i.m, protocol.AppendInputRequest)
}

func (i *inputRequests) DecodeJSON(d *wire.Decoder, rev protocol.Revision) {
	i.m = wire.DecodeUnionMap(d, rev, protocol.DecodeInputRequest)
}

type inputResponses struct{ m protocol.InputResponses }

func (i *inputResponses) AppendJSON(b []byte, rev protocol.Revision) []byte {
	return wire.AppendUnionMap(b, rev, i.m, protocol.AppendInputResponse)
}

func (i *inputResponses) DecodeJSON(d *wire.Decoder, rev protocol.Revision) {
	i.m = wire.DecodeUnionMap(d, rev, protocol.DecodeInputResponse)
}

// rpcError is an error object, which package wire has a type for.
type rpcError struct{ e wire.Error }

func (r *rpcError) AppendJSON(b []byte, _ protocol.Revision) []byte { return r.e.AppendJSON(b) }
func (r *rpcError) DecodeJSON(d *wire.Decoder, _ protocol.Revision) { r.e.DecodeJSON(d) }
