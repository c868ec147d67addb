package mcp

import (
	"context"
	"encoding/json"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/transport"
)

// Server answers the clients of any number of connections from one declaration of features. The constructor in
// mcp_gen.go returns one. It is safe for concurrent use.
type Server server.Server

func (s *Server) impl() *server.Server { return (*server.Server)(s) }

// ErrServerClosed is returned by [Server.Serve] after [Server.Close].
var ErrServerClosed = server.ErrServerClosed

// ErrToolsFixed is returned when a tool is added or removed and clients could not be told: see [Options.DynamicTools].
var ErrToolsFixed = server.ErrToolsFixed

// Revisions returns the revisions of the protocol that servers offer, oldest first.
func Revisions() []protocol.Revision { return server.Revisions() }

// Serve answers the client at the other end of t until its input ends, the process is asked to
// stop (see [transport.Stopper]), ctx ends or the server is closed. Requests that were read by
// then are still answered, for as long as [Options.Grace] allows; then t is closed. The error is
// nil unless reading or writing failed. Handlers see the values of ctx, but not its end.
//
// With MCP_TRACE=1 in the environment all messages are printed on stderr.
func (s *Server) Serve(ctx context.Context, t transport.Conn) error { return s.impl().Serve(ctx, t) }

// Close ends all connections as if their input had ended, and returns when all calls of Serve have
// returned and all watchers have ended. A handler must not call it.
func (s *Server) Close() error { return s.impl().Close() }

// Base returns s itself. Generated servers have the method by embedding, so that what serves a server takes either.
func (s *Server) Base() *Server { return s }

// ResourceUpdated tells the subscribers of uri that the resource may have changed. It never blocks.
func (s *Server) ResourceUpdated(uri string) { s.impl().ResourceUpdated(uri) }

// ResourceListChanged tells clients that resources/list may give another answer now. It never blocks.
func (s *Server) ResourceListChanged() { s.impl().ResourceListChanged() }

// EnableResource switches the resource, or the template, with that declared URI on or off. While it is
// off, clients find it in no list and can neither read it nor subscribe. Tools that read the template are
// switched with it. Clients are told of the change, subscribers too. It does nothing for a URI that was not
// declared, and never blocks.
func (s *Server) EnableResource(uri string, on bool) { s.impl().EnableResource(uri, on) }

// EnableTool switches a tool on or off. While it is off, clients cannot list or call it. They are told of
// the change. It does nothing for a name that was not declared, and never blocks.
func (s *Server) EnableTool(name string, on bool) { s.impl().EnableTool(name, on) }

// EnablePrompt switches a prompt on or off. While it is off, clients cannot list, get or complete it. They
// are told of the change. It does nothing for a name that was not declared, and never blocks.
func (s *Server) EnablePrompt(name string, on bool) { s.impl().EnablePrompt(name, on) }

// AddTool adds a tool, or replaces one that was added to s under the same name. Clients can call it at once,
// and are told that the list of tools has changed; so are those of servers that are joined from s. Before the first
// call of [Server.Serve] tools can be added to every server, later only with [Options.DynamicTools]; else the error
// is [ErrToolsFixed]. It is an error to add a tool under a name that another one has, or one whose name, schema or
// limits are not valid. After an error nothing has changed. AddTool never blocks on a client.
func (s *Server) AddTool(t DynamicTool) error { return s.impl().AddTool(t.impl()) }

// RemoveTool removes a tool that was added to s with AddTool and reports whether there was one. Calls under way
// go on. The error is [ErrToolsFixed] as for AddTool.
func (s *Server) RemoveTool(name string) (removed bool, err error) { return s.impl().RemoveTool(name) }

// DynamicTool is a tool that is known only while the program runs, such as one of a plugin. A tool that is
// known before is better declared with a //mcp:tool directive, which checks arguments.
type DynamicTool struct {
	// Name is what clients call: 1 to 128 letters, digits, underscores, dots and hyphens of ASCII.
	Name string
	// Title is the name shown to people, and Description tells a model when to call.
	Title, Description string
	// InputSchema is the JSON schema of the arguments, whose type is object; nil takes any object.
	InputSchema json.RawMessage
	// OutputSchema is the JSON schema of Structured in results; nil for none.
	OutputSchema json.RawMessage
	// Hints say what a call may do; nil says nothing.
	Hints *protocol.ToolAnnotations
	Icons []protocol.Icon
	Meta  *protocol.MetaObject
	// Call runs the tool. args is a JSON object, {} if the client sent none. It has not been checked
	// against InputSchema, and may be kept. Errors become results as for other tools.
	Call func(ctx *Call, args json.RawMessage) (ToolResult, error)
	// Asks says that Call may ask the client something, and wait for the answer.
	Asks bool

	// Access, Limit and Use say who may call the tool, how often and for how long, and what runs around it, as for
	// declared tools.
	Access Access
	Limit  Limit
	Use    []Middleware
}

func (t DynamicTool) impl() server.DynamicTool {
	out := server.DynamicTool{
		Name: t.Name, Title: t.Title, Description: t.Description,
		InputSchema: t.InputSchema, OutputSchema: t.OutputSchema,
		Hints: t.Hints, Icons: t.Icons, Meta: t.Meta, Asks: t.Asks,
		Access: server.Access{
			Scopes: t.Access.Scopes, AnyScope: t.Access.AnyScope, AnyRole: t.Access.AnyRole, Shown: t.Access.Shown,
		},
		Limit: server.Limit{
			Timeout: t.Limit.Timeout, Rate: t.Limit.Rate, Per: t.Limit.Per, Burst: t.Limit.Burst,
			By: server.Share(t.Limit.By), Concurrency: t.Limit.Concurrency, Bytes: t.Limit.Bytes,
		},
	}
	if call := t.Call; call != nil {
		out.Call = func(c *server.Call, args json.RawMessage) (server.ToolResult, error) {
			r, err := call((*Call)(c), args)
			return server.ToolResult(r), err
		}
	}
	for _, p := range t.Access.Policies {
		out.Access.Policies = append(out.Access.Policies, func(c *server.Call) error { return p((*Call)(c)) })
	}
	for _, m := range t.Use {
		out.Use = append(out.Use, func(c *server.Call, next func() error) error { return m((*Call)(c), next) })
	}
	return out
}
