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

// The methods with numbers that other code knows. The others have those behind them, see methodNames.
const (
	MethodInvalid Method = iota // of a message that is not valid
	MethodOther                 // one that the server does not have
	MethodToolsCall
)

// methodNames has the methods, apart from those of extensions, by their numbers.
var methodNames = [...]string{
	MethodInvalid:   "invalid",
	MethodOther:     "other",
	MethodToolsCall: protocol.MethodToolsCall,
	protocol.MethodCompletionComplete,
	protocol.MethodInitialize,
	protocol.MethodLoggingSetLevel,
	protocol.MethodPing,
	protocol.MethodPromptsGet,
	protocol.MethodPromptsList,
	protocol.MethodResourcesList,
	protocol.MethodResourcesRead,
	protocol.MethodResourcesSubscribe,
	protocol.MethodResourcesTemplatesList,
	protocol.MethodResourcesUnsubscribe,
	protocol.MethodServerDiscover,
	protocol.MethodSubscriptionsListen,
	protocol.MethodTasksCancel,
	protocol.MethodTasksGet,
	protocol.MethodTasksList,
	protocol.MethodTasksResult,
	ext.MethodTasksUpdate,
	protocol.MethodToolsList,
}

const numMethods = Method(len(methodNames))

// methodNumbers has the numbers of the methods of clients.
var methodNumbers = func() map[string]Method {
	numbers := make(map[string]Method, numMethods)
	for n := MethodToolsCall; n < numMethods; n++ {
		numbers[methodNames[n]] = n
	}
	return numbers
}()

// MethodOf returns the number of a method.
func MethodOf(method []byte) Method {
	if n, known := methodNumbers[string(method)]; known {
		return n
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
