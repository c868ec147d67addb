package mcpotel

import "go.opentelemetry.io/otel/attribute"

// The names of the conventions for MCP: open-telemetry/semantic-conventions-genai v0.1.0, which are in development. All
// names of this module are here, so that another release is a change of this file.
const (
	scope        = "github.com/mcpgen/mcpgen/otel"
	scopeVersion = "0.1.0" // of the conventions

	serverDuration = "mcp.server.operation.duration"
	clientDuration = "mcp.client.operation.duration"

	keyMethod     = attribute.Key("mcp.method.name")
	keyRevision   = attribute.Key("mcp.protocol.version")
	keySession    = attribute.Key("mcp.session.id")
	keyURI        = attribute.Key("mcp.resource.uri")
	keyRequestID  = attribute.Key("jsonrpc.request.id")
	keyTool       = attribute.Key("gen_ai.tool.name")
	keyPrompt     = attribute.Key("gen_ai.prompt.name")
	keyOperation  = attribute.Key("gen_ai.operation.name")
	keyErrorType  = attribute.Key("error.type")
	keyStatusCode = attribute.Key("rpc.response.status_code")
	keyTransport  = attribute.Key("network.transport")
	keyProtocol   = attribute.Key("network.protocol.name")

	executeTool = "execute_tool"
	toolError   = "tool_error"
)

// boundaries are those of both histograms, in seconds.
var boundaries = []float64{0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300}

// The methods whose operations have a target.
const (
	methodTool        = "tools/call"
	methodPrompt      = "prompts/get"
	methodRead        = "resources/read"
	methodSubscribe   = "resources/subscribe"
	methodUnsubscribe = "resources/unsubscribe"
)

// Codes of errors that are in the range of errors of the server, and are not.
const (
	codeInternal           = -32603
	codeFirst, codeLast    = -32099, -32000 // of errors of the server
	codeNotFound           = -32002         // until 2025-11-25
	codeHeaderMismatch     = -32020
	codeMissingCapability  = -32021
	codeUnsupportedVersion = -32022
	codeURLRequired        = -32042 // a question
)

// isFailure reports whether a response with this code is an error of the server. All others are mistakes of the client,
// or questions to it.
func isFailure(code int) bool {
	switch code {
	case codeInternal:
		return true
	case codeNotFound, codeHeaderMismatch, codeMissingCapability, codeUnsupportedVersion, codeURLRequired:
		return false
	}
	return codeFirst <= code && code <= codeLast
}

// targetKey returns the attribute that has the target of a method; "" for none.
func targetKey(method string) attribute.Key {
	switch method {
	case methodTool:
		return keyTool
	case methodPrompt:
		return keyPrompt
	case methodRead, methodSubscribe, methodUnsubscribe:
		return keyURI
	}
	return ""
}
