package mcprt

import (
	"iter"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
)

// Features declares what a server offers.
type Features = server.Features

// Resource is one literal resource or one template, with the functions that serve it.
type Resource = server.Resource

// Tool is one function that a model may call.
type Tool = server.Tool

// Prompt is one prepared conversation.
type Prompt = server.Prompt

// Completer proposes values for one variable of a template, or one argument of a prompt.
type Completer = server.Completer

// CompletionContext holds the variables that were filled in before the one being completed.
type CompletionContext = server.Given

// Cache says how long clients may keep an answer.
type Cache = server.Cache

// Guard is what a feature asks of its callers: access, limits and middleware.
type Guard = server.Guard

// Access says who may use a feature.
type Access = server.Access

// Limit bounds what calls of a feature may cost.
type Limit = server.Limit

// RateLimitKey says whose calls count together for a rate.
type RateLimitKey = server.Share

// The values of RateLimitKey.
const (
	ByUser   = server.ByUser
	ByClient = server.ByClient
	Global   = server.Global
)

// RevisionRange is a range of revisions of the protocol.
type RevisionRange = server.Proto

// Ref is what a list says about one instance of a template.
type Ref = server.Ref

// RefInfo is what the program says of an instance; see [mcp.RefInfo].
type RefInfo = server.RefInfo

// Lister yields the instances of a template.
type Lister = server.Lister

// Files are the files below a directory, served as instances of one template.
type Files = server.Files

// TemplateTool says how the arguments of a tool become the URI of an instance of a template.
type TemplateTool = server.TemplateTool

// StoreConfig tells a store what its values are.
type StoreConfig[K, V any] = server.Keyed[K, V]

// FormSchema is a form whose answer is a T.
type FormSchema[T any] = server.FormOf[T]

// Call is one request, as handlers in mcp_gen.go get it; [mcp.Call] shows it to users.
type Call = server.Call

// Contents is the answer to reading a resource; see [mcp.Contents].
type Contents = server.Contents

// ToolResult is what a tool answers; see [mcp.ToolResult].
type ToolResult = server.ToolResult

// PromptResult is a prompt with its arguments filled in; see [mcp.PromptResult].
type PromptResult = server.PromptResult

// MissingImpl returns the error of a generated constructor whose argument lacks a value for field.
func MissingImpl(field string) error { return server.MissingImpl(field) }

// NotFound returns an error that wraps [mcp.ErrNotFound] and names uri.
func NotFound(uri string) error { return server.NotFound(uri) }

// Poll returns the Watch of a [Resource] that reports no changes by itself: it reads the content every so often, and
// reports when it differs from what was read before.
func Poll(every time.Duration, read func(*Call) (Contents, error)) func(*Call) (iter.Seq2[time.Time, error], error) {
	return server.Poll(every, read)
}

// CompleteFrom returns the Values of a [Completer] whose variable is one of values.
func CompleteFrom(values ...string) func(c *Call, prefix string, given CompletionContext) ([]string, error) {
	return server.Propose(values...)
}

// ReadsTemplate returns what [Tool].Reads needs: the text of a template of the same server, and the function that
// builds a URI from its variables.
func ReadsTemplate(template string, uri func(v *Vars) (string, error)) *TemplateTool {
	return server.ReadsTemplate(template, uri)
}

// Roles returns the roles of an audience.
func Roles[S ~string](names ...S) []protocol.Role { return server.Roles[S](names...) }

// WalkFiles lists all files below a root.
func WalkFiles(files func() Files) Lister { return server.WalkFiles(files) }
