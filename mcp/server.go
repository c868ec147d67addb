package mcp

import (
	"context"
	"encoding/json"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/access"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/stats"
	"github.com/mcpgen/mcpgen/mcp/transport"
)

// Server is an MCP server. It serves any number of connections from one declaration of features. The constructor in
// mcp_gen.go returns one. It is safe for concurrent use.
type Server server.Server

func (s *Server) impl() *server.Server { return (*server.Server)(s) }

// Revisions returns the revisions of the protocol that servers offer, oldest first.
func Revisions() []protocol.Revision { return era.Revisions() }

// Serve serves the client of t until the input of t ends, the process is asked to stop (see [transport.Stopper]), ctx
// ends or the server is closed. Requests that were read before then have [Options.Grace] to finish; then Serve closes
// t. The error is nil unless reading or writing has failed, or the server was closed before. Contexts of handlers have
// the values of ctx, but do not end with it.
//
// With MCP_TRACE=1 in the environment, Serve prints every message on stderr.
func (s *Server) Serve(ctx context.Context, t transport.Conn) error { return s.impl().Serve(ctx, t) }

// Close ends all connections as if their input had ended. It returns after all calls of Serve have returned and all
// watch functions have ended. For watch functions that do not end it waits [Options.Grace]. The error is always nil. A
// handler must not call Close.
func (s *Server) Close() error { return s.impl().Close() }

// Stats returns what s counts: requests, sessions, streams, updates, refusals. It may be called often, because its cost
// does not depend on the number of clients.
func (s *Server) Stats() stats.Snapshot { return server.Stats(s.impl()) }

// Base returns s. Generated servers have the method by embedding, so transports accept both.
func (s *Server) Base() *Server { return s }

// ResourceUpdated publishes an update to the subscribers of uri: the resource may have changed. It never blocks.
func (s *Server) ResourceUpdated(uri string) { s.impl().ResourceUpdated(uri, "") }

// ResourceListChanged announces to clients that the list of resources may have changed. It never blocks.
func (s *Server) ResourceListChanged() { s.impl().ResourceListChanged() }

// EnableResource switches the resource or template with this declared URI on or off. While it is off, it is in no list,
// and clients can neither read it nor subscribe to it. Tools that read the template are switched with it. Clients and
// subscribers are told. EnableResource does nothing for an unknown URI and never blocks.
func (s *Server) EnableResource(uri string, on bool) { s.impl().EnableResource(uri, on) }

// EnableTool switches a tool on or off. While it is off, clients can neither list nor call it. Clients are told.
// EnableTool does nothing for an unknown name and never blocks.
func (s *Server) EnableTool(name string, on bool) { s.impl().EnableTool(name, on) }

// EnablePrompt switches a prompt on or off. While it is off, clients can neither list, get nor complete it. Clients are
// told. EnablePrompt does nothing for an unknown name and never blocks.
func (s *Server) EnablePrompt(name string, on bool) { s.impl().EnablePrompt(name, on) }

// AddTool adds a tool, or replaces a tool of the same name that AddTool has added to s. Clients can call it at once,
// and are told that the list of tools has changed. So are the clients of servers that s is joined into. Before the
// first call of [Server.Serve] tools can be added to every server; later the server needs [Options.DynamicTools]. It is
// an error if a declared tool has the same name, or if the name, the schema or the limits are not valid; then nothing
// changes. AddTool does not wait for clients.
func (s *Server) AddTool(t DynamicTool) error { return s.impl().AddTool(t.impl()) }

// RemoveTool removes a tool that AddTool has added to s, and reports whether there was one. Running calls go on. It is
// an error if the server is running and has no [Options.DynamicTools].
func (s *Server) RemoveTool(name string) (removed bool, err error) { return s.impl().RemoveTool(name) }

// DynamicTool is a tool that is not known before the program runs, such as one of a plugin. For other tools the
// directive //mcp:tool is better, because it generates the validation of arguments. What its fields point to must not
// change after [Server.AddTool].
type DynamicTool struct {
	// Name is the name of the tool: 1 to 128 ASCII letters, digits, underscores, dots and hyphens.
	Name string
	// Title is the name that users see. Description tells the model what the tool does and when to call it.
	Title, Description string
	// InputSchema is the JSON schema of the arguments, of type object; nil accepts any object.
	InputSchema json.RawMessage
	// OutputSchema is the JSON schema of ToolResult.Structured; nil means none.
	OutputSchema json.RawMessage
	// Hints are the annotations of the tool; nil means none.
	Hints *protocol.ToolAnnotations
	Icons []protocol.Icon
	Meta  *protocol.MetaObject
	// Call runs the tool. args is a JSON object, {} if the client sent none. It is not checked against InputSchema, and
	// may be kept. Errors become results as for other tools.
	Call func(ctx *Call, args json.RawMessage) (ToolResult, error)
	// Asks declares that Call may send requests to the client and wait for the answers.
	Asks bool

	// Access, Limit and Use are the access rules, the limits and the middleware of the tool, as for declared tools.
	Access Access
	Limit  Limit
	Use    []Middleware
}

func (t DynamicTool) impl() feature.DynamicTool {
	out := feature.DynamicTool{
		Name: t.Name, Title: t.Title, Description: t.Description,
		InputSchema: t.InputSchema, OutputSchema: t.OutputSchema,
		Hints: t.Hints, Icons: t.Icons, Meta: t.Meta, Asks: t.Asks,
		Access: access.Access{
			Scopes: t.Access.Scopes, AnyScope: t.Access.AnyScope, AnyRole: t.Access.AnyRole, Shown: t.Access.Shown,
		},
		Limit: access.Limit{
			Timeout: t.Limit.Timeout, Rate: t.Limit.Rate, Per: t.Limit.Per, Burst: t.Limit.Burst,
			By: access.RateLimitKey(t.Limit.By), Concurrency: t.Limit.Concurrency, Bytes: t.Limit.Bytes,
		},
	}
	if run := t.Call; run != nil {
		out.Call = func(c *call.Call, args json.RawMessage) (content.ToolResult, error) {
			r, err := run((*Call)(c), args)
			return content.CheckStructured(content.ToolResult(r), err)
		}
	}
	for _, p := range t.Access.Policies {
		out.Access.Policies = append(out.Access.Policies, func(c *call.Call) error { return p((*Call)(c)) })
	}
	out.Use = call.UseOf(func(c *call.Call) *Call { return (*Call)(c) }, t.Use...)
	return out
}
