package counters

import (
	"github.com/mcpgen/mcpgen/generated/protocol"
	ext "github.com/mcpgen/mcpgen/generated/protocol/ext/tasks"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Method numbers the methods that are counted: the requests of clients in the protocol and in the extension for tasks,
// two for invalid and unknown methods, and those of [ownCounts]. Clients cannot add to them.
type Method uint16

// The methods, apart from those of extensions.
const (
	MethodInvalid Method = iota // of a message that is not valid
	MethodOther                 // one that the server does not have
	methodCompletionComplete
	methodInitialize
	methodLoggingSetLevel
	methodPing
	methodPromptsGet
	methodPromptsList
	methodResourcesList
	methodResourcesRead
	methodResourcesSubscribe
	methodResourcesTemplatesList
	methodResourcesUnsubscribe
	methodServerDiscover
	methodSubscriptionsListen
	methodTasksCancel
	methodTasksGet
	methodTasksList
	methodTasksResult
	methodTasksUpdate
	MethodToolsCall
	methodToolsList
	numMethods
)

var methodNames = [numMethods]string{
	MethodInvalid:                "invalid",
	MethodOther:                  "other",
	methodCompletionComplete:     protocol.MethodCompletionComplete,
	methodInitialize:             protocol.MethodInitialize,
	methodLoggingSetLevel:        protocol.MethodLoggingSetLevel,
	methodPing:                   protocol.MethodPing,
	methodPromptsGet:             protocol.MethodPromptsGet,
	methodPromptsList:            protocol.MethodPromptsList,
	methodResourcesList:          protocol.MethodResourcesList,
	methodResourcesRead:          protocol.MethodResourcesRead,
	methodResourcesSubscribe:     protocol.MethodResourcesSubscribe,
	methodResourcesTemplatesList: protocol.MethodResourcesTemplatesList,
	methodResourcesUnsubscribe:   protocol.MethodResourcesUnsubscribe,
	methodServerDiscover:         protocol.MethodServerDiscover,
	methodSubscriptionsListen:    protocol.MethodSubscriptionsListen,
	methodTasksCancel:            protocol.MethodTasksCancel,
	methodTasksGet:               protocol.MethodTasksGet,
	methodTasksList:              protocol.MethodTasksList,
	methodTasksResult:            protocol.MethodTasksResult,
	methodTasksUpdate:            ext.MethodTasksUpdate,
	MethodToolsCall:              protocol.MethodToolsCall,
	methodToolsList:              protocol.MethodToolsList,
}

// MethodOf returns the number of a method.
func MethodOf(method []byte) Method { //nolint:cyclop // a table
	switch string(method) {
	case protocol.MethodCompletionComplete:
		return methodCompletionComplete
	case protocol.MethodInitialize:
		return methodInitialize
	case protocol.MethodLoggingSetLevel:
		return methodLoggingSetLevel
	case protocol.MethodPing:
		return methodPing
	case protocol.MethodPromptsGet:
		return methodPromptsGet
	case protocol.MethodPromptsList:
		return methodPromptsList
	case protocol.MethodResourcesList:
		return methodResourcesList
	case protocol.MethodResourcesRead:
		return methodResourcesRead
	case protocol.MethodResourcesSubscribe:
		return methodResourcesSubscribe
	case protocol.MethodResourcesTemplatesList:
		return methodResourcesTemplatesList
	case protocol.MethodResourcesUnsubscribe:
		return methodResourcesUnsubscribe
	case protocol.MethodServerDiscover:
		return methodServerDiscover
	case protocol.MethodSubscriptionsListen:
		return methodSubscriptionsListen
	case protocol.MethodTasksCancel:
		return methodTasksCancel
	case protocol.MethodTasksGet:
		return methodTasksGet
	case protocol.MethodTasksList:
		return methodTasksList
	case protocol.MethodTasksResult:
		return methodTasksResult
	case ext.MethodTasksUpdate:
		return methodTasksUpdate
	case protocol.MethodToolsCall:
		return MethodToolsCall
	case protocol.MethodToolsList:
		return methodToolsList
	}
	return MethodOther
}

// Code is the outcome of a request as it is counted.
type Code uint8

// The outcomes. From firstCode on they are the error codes of the list codes, in its order.
const (
	CodeOK Code = iota
	CodeToolError
	CodeCancelled
	codeUnknown // an error code that is not in codes, such as one of the program
	firstCode   // codes[0]
)

// codes are the codes of errors that are counted apart.
var codes = [...]int{
	wire.CodeParse, wire.CodeInvalidRequest, wire.CodeMethodNotFound, wire.CodeInvalidParams, wire.CodeInternal,
	content.CodeResourceMissing, protocol.CodeURLElicitationRequired, protocol.CodeHeaderMismatch,
	protocol.CodeMissingRequiredClientCapability, protocol.CodeUnsupportedProtocolVersion,
}

const numCodes = int(firstCode) + len(codes)

var codeNames = [numCodes]string{
	"ok", "tool_error", "cancelled", "other",
	"-32700", "-32600", "-32601", "-32602", "-32603", "-32002", "-32042", "-32020", "-32021", "-32022",
}

// CodeOf returns the number of the code of an error; 0 is that of a result.
func CodeOf(code int) Code {
	if code == 0 {
		return CodeOK
	}
	for i, c := range codes {
		if c == code {
			return firstCode + Code(i)
		}
	}
	return codeUnknown
}
