package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// DynamicTool is a tool that is known only while the program runs, such as one of a plugin. What is
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
	Call func(ctx *Call, args json.RawMessage) (Result, error)
	// Asks says that Call may ask the client something, and wait for the answer.
	Asks bool
}

// addedTools are the tools that were added to a server. A value is never changed.
type addedTools struct {
	list   []addedTool // in the order in which they were added
	byName map[string]*Tool
	next   int // the number of the tool that is added next
}

type addedTool struct {
	*Tool
	number int // of the place in the list, for cursors
}

// ErrToolsFixed is returned when a tool is added or removed and clients could not be told.
var ErrToolsFixed = errors.New("mcp: tools were added or removed while clients are served: set Options.DynamicTools")

// AddTool adds a tool, or replaces one that was added under the same name. Clients can call it at once,
// and are told that the list of tools has changed. Before the first call of [Server.Serve] tools can be
// added to every server, later only with [Options.DynamicTools]; else the error is [ErrToolsFixed]. It is
// an error to add a tool under the name of a declared one, or one whose name or schema is not valid. AddTool
// never blocks on a client.
func (s *Server) AddTool(t DynamicTool) error {
	tool, err := t.tool()
	if err != nil {
		return fmt.Errorf("mcp: tool %q: %w", t.Name, err)
	}
	if s.features.RouteTool != nil && s.features.RouteTool(t.Name) >= 0 {
		return fmt.Errorf("mcp: tool %q: is declared already", t.Name)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.toolsMayChangeLocked(); err != nil {
		return err
	}
	if s.features.Capabilities.Tools == nil {
		s.features.Capabilities.Tools = &protocol.ServerCapabilitiesTools{}
	}
	old := s.tools.Load()
	added := addedTool{Tool: tool, number: old.next}
	list, next := slices.Clone(old.list), old.next
	if i := old.index(t.Name); i >= 0 {
		added.number = list[i].number
		list[i] = added
	} else {
		list, next = append(list, added), next+1
	}
	s.setToolsLocked(list, next)
	return nil
}

// RemoveTool removes a tool that was added with AddTool and reports whether there was one. Calls under way
// go on. The error is [ErrToolsFixed] as for AddTool.
func (s *Server) RemoveTool(name string) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.toolsMayChangeLocked(); err != nil {
		return false, err
	}
	old := s.tools.Load()
	i := old.index(name)
	if i < 0 {
		return false, nil
	}
	s.setToolsLocked(slices.Delete(slices.Clone(old.list), i, i+1), old.next)
	return true, nil
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
	s.setToolsLocked(list, len(list))
}

func (s *Server) toolsMayChangeLocked() error {
	if s.opened && !s.opts.DynamicTools {
		return ErrToolsFixed
	}
	return nil
}

// setToolsLocked makes list what clients see. They can call a tool before they can list it, and list none
// that they cannot call any more.
func (s *Server) setToolsLocked(list []addedTool, next int) {
	t := &addedTools{list: list, next: next, byName: make(map[string]*Tool, len(list))}
	for _, a := range list {
		t.byName[a.Entry.Name] = a.Tool
	}
	s.tools.Store(t)
	s.prepared.tools.Store(newToolListing(s, list))
	s.hub.listChanged(listOfTools)
}

// declared is what s offers apart from tools that are added.
func (s *Server) declared() *Features {
	f := s.features
	f.Capabilities.Tools = s.declaredTools
	return &f
}

// open says that from now on a client may know the capabilities.
func (s *Server) open() {
	s.mu.Lock()
	s.opened = true
	s.mu.Unlock()
}

func (a *addedTools) index(name string) int {
	return slices.IndexFunc(a.list, func(t addedTool) bool { return t.Entry.Name == name })
}

// tool returns the tool called name that clients of rev may know, or nil.
func (s *Server) tool(name string, rev protocol.Revision) *Tool {
	if s.features.RouteTool != nil {
		if i := s.features.RouteTool(name); i >= 0 {
			if !s.offersTool(i, rev) {
				return nil
			}
			return &s.features.Tools[i]
		}
	}
	return s.tools.Load().byName[name]
}

// tool checks t and returns it in the form of declared tools, sharing nothing with t that may change.
func (t *DynamicTool) tool() (*Tool, error) {
	if !validToolName(t.Name) {
		return nil, errors.New("the name must be 1 to 128 of A-Z a-z 0-9 _ . -")
	}
	if t.Call == nil {
		return nil, errors.New("no function to call")
	}
	in, err := objectSchema(t.InputSchema)
	if err != nil {
		return nil, fmt.Errorf("input schema: %w", err)
	}
	entry := &protocol.Tool{Name: t.Name, Title: t.Title, Description: t.Description, InputSchema: in, Icons: slices.Clone(t.Icons), Meta: t.Meta}
	if t.OutputSchema != nil {
		if entry.OutputSchema, err = objectSchema(t.OutputSchema); err != nil {
			return nil, fmt.Errorf("output schema: %w", err)
		}
	}
	if t.Hints != nil {
		entry.Annotations = new(*t.Hints)
	}
	call := t.Call
	return &Tool{Entry: entry, Asks: t.Asks, Call: func(c *Call, args []byte) (ToolResult, error) { return call(c, args) }}, nil
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

// validToolName reports whether clients take name for that of a tool.
func validToolName(name string) bool {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-"
	return name != "" && len(name) <= 128 && strings.Trim(name, letters) == ""
}
