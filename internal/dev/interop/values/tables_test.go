package values

import (
	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// message is a generated struct.
type message interface {
	AppendJSON(b []byte, rev protocol.Revision) []byte
	DecodeJSON(d *wire.Decoder, rev protocol.Revision)
}

// structs has one value of every generated struct; TestTablesAreComplete says which are missing.
var structs = []message{
	new(protocol.Annotations), new(protocol.AudioContent), new(protocol.BlobResourceContents),
	new(protocol.BooleanSchema), new(protocol.CallToolRequestParams), new(protocol.CallToolResult),
	new(protocol.CancelTaskRequestParams), new(protocol.CancelTaskResult), new(protocol.CancelledNotificationParams),
	new(protocol.ClientCapabilities), new(protocol.ClientCapabilitiesElicitation),
	new(protocol.ClientCapabilitiesElicitationForm), new(protocol.ClientCapabilitiesElicitationURL),
	new(protocol.ClientCapabilitiesRoots), new(protocol.ClientCapabilitiesSampling),
	new(protocol.ClientCapabilitiesSamplingContext), new(protocol.ClientCapabilitiesSamplingTools),
	new(protocol.ClientCapabilitiesTasks), new(protocol.ClientCapabilitiesTasksCancel),
	new(protocol.ClientCapabilitiesTasksList), new(protocol.ClientCapabilitiesTasksRequests),
	new(protocol.ClientCapabilitiesTasksRequestsElicitation),
	new(protocol.ClientCapabilitiesTasksRequestsElicitationCreate),
	new(protocol.ClientCapabilitiesTasksRequestsSampling),
	new(protocol.ClientCapabilitiesTasksRequestsSamplingCreateMessage), new(protocol.CompleteRequestParams),
	new(protocol.CompleteRequestParamsArgument), new(protocol.CompleteRequestParamsContext),
	new(protocol.CompleteResult), new(protocol.CompleteResultCompletion), new(protocol.CreateMessageRequest),
	new(protocol.CreateMessageRequestParams), new(protocol.CreateMessageResult), new(protocol.CreateTaskResult),
	new(protocol.DiscoverResult), new(protocol.ElicitRequest), new(protocol.ElicitRequestFormParams),
	new(protocol.ElicitRequestFormParamsRequestedSchema), new(protocol.ElicitRequestURLParams),
	new(protocol.ElicitResult), new(protocol.ElicitationCompleteNotificationParams), new(protocol.EmbeddedResource),
	new(protocol.GetPromptRequestParams), new(protocol.GetPromptResult), new(protocol.GetTaskPayloadRequestParams),
	new(protocol.GetTaskPayloadResult), new(protocol.GetTaskRequestParams), new(protocol.GetTaskResult),
	new(protocol.Icon), new(protocol.ImageContent), new(protocol.Implementation), new(protocol.InitializeRequestParams),
	new(protocol.InitializeResult), new(protocol.InputRequiredResult), new(protocol.LegacyTitledEnumSchema),
	new(protocol.ListPromptsResult), new(protocol.ListResourceTemplatesResult), new(protocol.ListResourcesResult),
	new(protocol.ListRootsRequest), new(protocol.ListRootsRequestParams), new(protocol.ListRootsResult),
	new(protocol.ListTasksResult), new(protocol.ListToolsResult), new(protocol.LoggingMessageNotificationParams),
	new(protocol.MetaObject), new(protocol.MissingRequiredClientCapabilityData), new(protocol.ModelHint),
	new(protocol.ModelPreferences), new(protocol.NotificationMetaObject), new(protocol.NotificationParams),
	new(protocol.NumberSchema), new(protocol.PaginatedRequestParams), new(protocol.ProgressNotificationParams),
	new(protocol.Prompt), new(protocol.PromptArgument), new(protocol.PromptMessage), new(protocol.PromptReference),
	new(protocol.ReadResourceRequestParams), new(protocol.ReadResourceResult), new(protocol.RelatedTaskMetadata),
	new(protocol.RequestMetaObject), new(protocol.RequestParams), new(protocol.Resource), new(protocol.ResourceLink),
	new(protocol.ResourceTemplate), new(protocol.ResourceTemplateReference),
	new(protocol.ResourceUpdatedNotificationParams), new(protocol.Result), new(protocol.ResultMetaObject),
	new(protocol.Root), new(protocol.SamplingMessage), new(protocol.ServerCapabilities),
	new(protocol.ServerCapabilitiesCompletions), new(protocol.ServerCapabilitiesLogging),
	new(protocol.ServerCapabilitiesPrompts), new(protocol.ServerCapabilitiesResources),
	new(protocol.ServerCapabilitiesTasks), new(protocol.ServerCapabilitiesTasksCancel),
	new(protocol.ServerCapabilitiesTasksList), new(protocol.ServerCapabilitiesTasksRequests),
	new(protocol.ServerCapabilitiesTasksRequestsTools), new(protocol.ServerCapabilitiesTasksRequestsToolsCall),
	new(protocol.ServerCapabilitiesTools), new(protocol.SetLevelRequestParams), new(protocol.StringSchema),
	new(protocol.SubscribeRequestParams), new(protocol.SubscriptionFilter),
	new(protocol.SubscriptionsAcknowledgedNotificationParams), new(protocol.SubscriptionsListenRequestParams),
	new(protocol.SubscriptionsListenResult), new(protocol.SubscriptionsListenResultMetaObject), new(protocol.Task),
	new(protocol.TaskMetadata), new(protocol.TaskStatusNotificationParams), new(protocol.TextContent),
	new(protocol.TextResourceContents), new(protocol.TitledMultiSelectEnumSchema),
	new(protocol.TitledMultiSelectEnumSchemaItems), new(protocol.TitledMultiSelectEnumSchemaItemsAnyOf),
	new(protocol.TitledSingleSelectEnumSchema), new(protocol.TitledSingleSelectEnumSchemaOneOf), new(protocol.Tool),
	new(protocol.ToolAnnotations), new(protocol.ToolChoice), new(protocol.ToolExecution),
	new(protocol.ToolResultContent), new(protocol.ToolUseContent), new(protocol.URLElicitationRequiredData),
	new(protocol.UnsubscribeRequestParams), new(protocol.UnsupportedProtocolVersionData),
	new(protocol.UntitledMultiSelectEnumSchema), new(protocol.UntitledMultiSelectEnumSchemaItems),
	new(protocol.UntitledSingleSelectEnumSchema),
}

// unionCodec is the pair of functions of a generated union.
type unionCodec struct {
	encode func(b []byte, rev protocol.Revision, v any) []byte
	decode func(d *wire.Decoder, rev protocol.Revision) any
}

func codec[U any](encode func([]byte, protocol.Revision, U) []byte,
	decode func(*wire.Decoder, protocol.Revision) U) unionCodec {
	return unionCodec{
		func(b []byte, rev protocol.Revision, v any) []byte { return encode(b, rev, v.(U)) },
		func(d *wire.Decoder, rev protocol.Revision) any { return decode(d, rev) },
	}
}

// unions has every generated union by its Go name.
var unions = map[string]unionCodec{
	"CompleteReference":     codec(protocol.AppendCompleteReference, protocol.DecodeCompleteReference),
	"ContentBlock":          codec(protocol.AppendContentBlock, protocol.DecodeContentBlock),
	"ElicitRequestParams":   codec(protocol.AppendElicitRequestParams, protocol.DecodeElicitRequestParams),
	"EnumSchema":            codec(protocol.AppendEnumSchema, protocol.DecodeEnumSchema),
	"InputRequest":          codec(protocol.AppendInputRequest, protocol.DecodeInputRequest),
	"InputResponse":         codec(protocol.AppendInputResponse, protocol.DecodeInputResponse),
	"MultiSelectEnumSchema": codec(protocol.AppendMultiSelectEnumSchema, protocol.DecodeMultiSelectEnumSchema),
	"PrimitiveSchemaDefinition": codec(protocol.AppendPrimitiveSchemaDefinition,
		protocol.DecodePrimitiveSchemaDefinition),
	"ResourceContents": codec(protocol.AppendResourceContents, protocol.DecodeResourceContents),
	"SamplingMessageContentBlock": codec(protocol.AppendSamplingMessageContentBlock,
		protocol.DecodeSamplingMessageContentBlock),
	"SingleSelectEnumSchema": codec(protocol.AppendSingleSelectEnumSchema, protocol.DecodeSingleSelectEnumSchema),
}
