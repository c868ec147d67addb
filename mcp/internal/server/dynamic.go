package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/access"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/lists"
	"github.com/mcpgen/mcpgen/mcp/internal/ratelimit"
	"github.com/mcpgen/mcpgen/mcp/internal/subscribe"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// DynamicTool is a tool that is known only while the program runs, such as one of a plugin. What is
// known before is better declared with a //mcp:tool directive, which checks arguments.
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
	// Call runs the tool. args is a JSON object, {} if the client sent none. It is not validated by InputSchema, and
	// may be kept. Errors become results as for other tools.
	Call func(ctx *call.Call, args json.RawMessage) (content.Result, error)
	// Asks declares that Call may send requests to the client and wait for the answers.
	Asks bool

	// Access, Limit and Use are the access rules, the limits and the middleware of the tool, as for declared tools. A
	// tool has no variables, and so no ItemPolicies.
	Access access.Access
	Limit  access.Limit
	Use    call.Use
}

// ErrToolsFixed is returned if a tool is added or removed and the change cannot be announced to clients.
var ErrToolsFixed = errors.New("tools cannot be added or removed while clients are served: set Options.DynamicTools")

// AddTool adds a tool, or replaces a tool of the same name that AddTool has added to s. Clients can call it at once,
// and the change of the list of tools is announced to them; the same is true for servers that mount s. Before the first
// call of [Server.Serve] tools can be added to every server, later only with [Options.DynamicTools]; otherwise the
// error is [ErrToolsFixed]. It is an error if a declared tool has the same name, or if the name, the schema or the
// limits are not valid; then nothing changes. AddTool does not wait for clients.
func (s *Server) AddTool(t DynamicTool) error {
	tool, err := t.tool()
	if err == nil {
		used := tool.Guard.NewUsage()
		err = s.changeTools(func(o joinedServer) error { return o.takesToolLocked(o.prefix+t.Name, s) },
			func(o joinedServer) { o.addToolLocked(tool.Prefixed(o.prefix), used, s) })
	}
	if err != nil {
		return fmt.Errorf("mcp: tool %q: %w", t.Name, err)
	}
	return nil
}

// RemoveTool removes a tool that AddTool has added to s, and reports whether there was one. Running calls go on. The
// error is [ErrToolsFixed], as for AddTool.
func (s *Server) RemoveTool(name string) (removed bool, err error) {
	err = s.changeTools(func(o joinedServer) error { return o.toolsMayChangeLocked() }, func(o joinedServer) {
		old := o.tools.Load()
		if i := old.index(o.prefix + name); i >= 0 && old.list[i].of == s {
			o.setToolsLocked(slices.Delete(slices.Clone(old.list), i, i+1), old.next)
			removed = true
		}
	})
	if err != nil {
		return false, fmt.Errorf("mcp: tool %q: %w", name, err)
	}
	return removed, nil
}

// changeTools calls change for s and all that are joined from it, unless check has an error about one of them.
func (s *Server) changeTools(check func(joinedServer) error, change func(joinedServer)) error {
	toolChanges.Lock()
	defer toolChanges.Unlock()
	all := []joinedServer{{s, ""}}
	s.eachContainer("", func(o joinedServer) {
		if !slices.Contains(all, o) {
			all = append(all, o)
		}
	})
	for i, o := range all {
		if !slices.ContainsFunc(all[:i], func(p joinedServer) bool { return p.Server == o.Server }) {
			o.mu.Lock()
			defer o.mu.Unlock()
		}
		if err := check(o); err != nil && o.Server != s {
			return fmt.Errorf("in %s, which is joined from this server: %w", o.features.Info.Name, err)
		} else if err != nil {
			return err
		}
	}
	for _, o := range all {
		change(o)
	}
	return nil
}

// takesToolLocked reports why a tool with that name cannot be added for owner: s, or a member of it.
func (s *Server) takesToolLocked(name string, owner *Server) error {
	if s.registry.Find(feature.KindTool, name) >= 0 {
		return errors.New("is declared already")
	}
	old := s.tools.Load()
	if i := old.index(name); i >= 0 && old.list[i].of != owner {
		return errors.New("another server has added one of that name")
	}
	if err := feature.CheckLength(name); err != nil {
		return err
	}
	return s.toolsMayChangeLocked()
}

// addToolLocked adds a tool of owner, whose calls used counts.
func (s *Server) addToolLocked(tool *feature.Tool, used *ratelimit.Limiter, owner *Server) {
	if s.features.Capabilities.Tools == nil {
		s.features.Capabilities.Tools = &protocol.ServerCapabilitiesTools{}
	}
	old := s.tools.Load()
	list, next := slices.Clone(old.list), old.next
	if i := old.index(tool.Entry.Name); i >= 0 {
		list[i].Tool, list[i].used = tool, used
	} else {
		list, next = append(list, addedTool{lists.Added{Tool: tool, Number: next}, used, owner}), next+1
	}
	s.setToolsLocked(list, next)
}

// addToolsOf adds what was added to p, a member of s whose names have that prefix.
func (s *Server) addToolsOf(p *Server, prefix string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range p.tools.Load().list {
		if t.ResourceTool != feature.NotResourceTool {
			continue // s says itself whether it wants these
		}
		tool := t.Prefixed(prefix)
		if err := s.takesToolLocked(tool.Entry.Name, t.of); err != nil {
			return fmt.Errorf("mcp: Join: tool %q: %w", tool.Entry.Name, err)
		}
		s.addToolLocked(tool, t.used, t.of)
	}
	return nil
}

// addResourceTools adds the tools that stand in for resources, if they are wanted.
func (s *Server) addResourceTools() {
	if !s.features.ResourceTools || s.features.Capabilities.Resources == nil {
		return
	}
	if s.features.Capabilities.Tools == nil {
		s.features.Capabilities.Tools = new(protocol.ServerCapabilitiesTools)
	}
	list := resourceTools()
	for i := range list {
		list[i].of = s
	}
	s.setToolsLocked(list, len(list))
}

func (s *Server) toolsMayChangeLocked() error {
	if s.opened.Load() && !s.opts.DynamicTools {
		return ErrToolsFixed
	}
	return nil
}

// setToolsLocked makes list what clients see. They can call a tool before they can list it, and list none
// that they cannot call any more.
func (s *Server) setToolsLocked(list []addedTool, next int) {
	t := &addedTools{list: list, next: next, byName: make(map[string]*feature.Tool, len(list))}
	for _, a := range list {
		t.byName[a.Entry.Name] = a.Tool
	}
	s.usages.Store(s.withAdded(list))
	s.tools.Store(t)
	s.lists.SetTools(entriesOf(list))
	s.host.Hub.PublishList(subscribe.ListTopic(feature.KindTool))
	s.linked.NoteList(feature.KindTool)
}

// declared is what s offers apart from tools that are added.
func (s *Server) declared() *feature.Features {
	f := s.features
	f.Capabilities.Tools = s.declaredTools
	return &f
}

// tool returns the tool called name that clients of rev may know, or nil.
func (s *Server) tool(name string, rev protocol.Revision) *feature.Tool {
	if i := s.registry.Find(feature.KindTool, name); i >= 0 {
		if !s.registry.Visible(feature.KindTool, i, rev) {
			return nil
		}
		return &s.features.Tools[i]
	}
	return s.tools.Load().byName[name]
}

// tool checks t and returns it in the form of declared tools, sharing nothing with t that may change.
func (t *DynamicTool) tool() (*feature.Tool, error) {
	if !feature.ValidToolName(t.Name) {
		return nil, errors.New("the name must be 1 to 128 of A-Z a-z 0-9 _ . -")
	}
	if t.Call == nil {
		return nil, errors.New("no function to call")
	}
	in, err := objectSchema(t.InputSchema)
	if err != nil {
		return nil, fmt.Errorf("input schema: %w", err)
	}
	entry := &protocol.Tool{Name: t.Name, Title: t.Title, Description: t.Description, InputSchema: in,
		Icons: slices.Clone(t.Icons), Meta: t.Meta}
	if t.OutputSchema != nil {
		if entry.OutputSchema, err = objectSchema(t.OutputSchema); err != nil {
			return nil, fmt.Errorf("output schema: %w", err)
		}
	}
	if t.Hints != nil {
		entry.Annotations = new(*t.Hints)
	}
	guard, err := t.guard()
	if err != nil {
		return nil, err
	}
	run := t.Call
	return &feature.Tool{Entry: entry, Asks: t.Asks, Guard: guard, Call: func(c *call.Call,
		args []byte) (content.ToolResult,
		error) {
		return run(c, args)
	}}, nil
}

// guard returns what guards calls of t; nil for nothing.
func (t *DynamicTool) guard() (*access.Guard, error) {
	l := &t.Limit
	switch {
	case t.Access.ItemPolicies != nil:
		return nil, errors.New("Access.ItemPolicies are asked about variables, and it has none: use Policies")
	case min(int64(l.Timeout), int64(l.Rate), int64(l.Per), int64(l.Burst), int64(l.Concurrency), l.Bytes) < 0:
		return nil, errors.New("a limit is negative")
	case l.Rate > 0 && l.Per == 0:
		return nil, errors.New("Limit.Rate needs Per")
	case !t.Access.Restricted() && *l == (access.Limit{}) && t.Use == nil:
		return nil, nil
	}
	return &access.Guard{Access: t.Access, Limit: *l, Use: t.Use}, nil
}

// objectSchema returns a copy of a schema in one line. It must be that of an object; nil is that of any.
func objectSchema(schema json.RawMessage) (json.RawMessage, error) {
	if schema == nil {
		return json.RawMessage(`{"type":"object"}`), nil
	}
	var b bytes.Buffer
	if err := json.Compact(&b, schema); err != nil {
		return nil, err
	}
	if kind, _ := wire.Lookup(b.Bytes(), "type"); string(kind) != `"object"` {
		return nil, errors.New(`its "type" must be "object"`)
	}
	return b.Bytes(), nil
}
