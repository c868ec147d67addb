package mcprt

import (
	"iter"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/access"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/files"
	"github.com/mcpgen/mcpgen/mcp/internal/live"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Features declares the features of a server.
type Features = feature.Features

// Resource is a resource or a template, with the functions that serve it.
type Resource = feature.Resource

// Tool is a tool, with the function that runs it.
type Tool = feature.Tool

// TaskMode says whether calls of a tool may go on as tasks.
type TaskMode = feature.TaskMode

// The values of TaskMode. Its zero value means that calls never become tasks.
const (
	TaskOnce    = feature.TaskOnce
	TaskRestart = feature.TaskRestart
)

// Apps is the value of [Features].Apps for a server with a tool that names an app.
func Apps(f *Features) { feature.LeaveOutApps(f) }

// ResourceTools is the value of [Features].ResourceTools for a server that offers its resources by tools.
func ResourceTools(s *server.Server) error { return server.ResourceTools(s) }

// Prompt is a prompt, with the function that returns its messages.
type Prompt = feature.Prompt

// Completer completes one variable of a template or one argument of a prompt.
type Completer = feature.Completer

// CompletionContext has the variables that were chosen before the one that is completed.
type CompletionContext = feature.CompletionContext

// Cache is how long clients may cache a response.
type Cache = feature.Cache

// Guard has the access rules, the limits and the middleware of a feature.
type Guard = access.Guard

// Access limits a feature to some callers; see [mcp.Access].
type Access = access.Access

// Limit limits the cost of calls of a feature; see [mcp.Limit].
type Limit = access.Limit

// RateLimitKey selects which calls count together for a rate; see [mcp.RateLimitKey].
type RateLimitKey = access.RateLimitKey

// The values of RateLimitKey.
const (
	ByUser   = access.ByUser
	ByClient = access.ByClient
	Global   = access.Global
)

// RevisionRange is a range of revisions of the protocol.
type RevisionRange = feature.RevisionRange

// Revisions returns the range from the revision first to the revision last. Both are dates; "" means no bound.
func Revisions(first, last string) RevisionRange { return feature.Revisions(first, last) }

// Ref is the entry of one instance of a template in a list.
type Ref = feature.Ref

// RefInfo is the description of an instance; see [mcp.RefInfo].
type RefInfo = feature.RefInfo

// Instances are the listed instances of a template.
type Instances = feature.Instances

// Files are the files below a directory, served as instances of one template.
type Files = files.Files

// TemplateTool builds the URI of an instance of a template from the arguments of a tool.
type TemplateTool = feature.TemplateTool

// StoreConfig has the functions that a store needs for its values: key, order, entry and contents.
type StoreConfig[K, V any] = live.StoreConfig[K, V]

// FormSchema is the schema of a form and the decoder of its answer, a T.
type FormSchema[T any] = wire.FormSchema[T]

// Call is a request, as the handlers in mcp_gen.go get it; see [mcp.Call].
type Call = call.Call

// Contents is the content of a resource; see [mcp.Contents].
type Contents = content.Contents

// ToolResult is the result of a tool; see [mcp.ToolResult].
type ToolResult = content.ToolResult

// PromptResult is the result of a prompt; see [mcp.PromptResult].
type PromptResult = content.PromptResult

// MissingImpl returns the error of a generated constructor for a field of its argument that is nil.
func MissingImpl(field string) error { return server.MissingImpl(field) }

// NotFound returns an error that wraps [mcp.ErrNotFound] and names uri.
func NotFound(uri string) error { return content.NotFound(uri) }

// Poll returns a watch function for a [Resource]. The function calls read at each interval, and reports a change if the
// content differs from the content before.
func Poll(every time.Duration, read func(*Call) (Contents, error)) func(*Call) (iter.Seq2[time.Time, error], error) {
	return server.Poll(every, read)
}

// CompleteFrom returns the function of a [Completer] for a variable with the given values.
func CompleteFrom(values ...string) func(c *Call, prefix string, given CompletionContext) ([]string, error) {
	return feature.CompleteFrom(values...)
}

// CheckVars returns the value of [Resource].CheckVars for a function that reads the variables of a URI.
func CheckVars[T any](read func(v *Vars) (T, error)) func(v *Vars) error {
	return feature.CheckVars(read)
}

// ReadsTemplate returns the value of [Tool].Reads: a template of the same server, and the function that builds a URI
// from its variables. kinds has for each variable whether it is a string, a number or a boolean; for a list, its
// elements.
func ReadsTemplate(template string, uri func(v *Vars) (string, error), kinds ...wire.Kind) *TemplateTool {
	return feature.ReadsTemplate(server.ReadsInstance, template, uri, kinds...)
}

// Roles returns the roles of an audience.
func Roles[S ~string](names ...S) []protocol.Role { return content.Roles[S](names...) }

// WalkFiles returns [Instances] that list all files below the root of the [Files] that held returns.
func WalkFiles(held func() Files) Instances { return files.Walk(held) }
