package server

import (
	"errors"
	"fmt"
	"slices"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/lists"
	"github.com/mcpgen/mcpgen/mcp/internal/ratelimit"
	"github.com/mcpgen/mcpgen/mcp/internal/subscribe"
)

// ErrToolsFixed is returned if a tool is added or removed and the change cannot be announced to clients.
var ErrToolsFixed = errors.New("tools cannot be added or removed while clients are served: set Options.DynamicTools")

// AddTool adds a tool, or replaces a tool of the same name that AddTool has added to s. Clients can call it at once,
// and are told that the list of tools has changed. So are the clients of servers that s is joined into. Before the
// first call of [Server.Serve] tools can be added to every server; later the server needs [Options.DynamicTools], or
// the error is [ErrToolsFixed]. It is an error if a declared tool has the same name, or if the name, the schema or the
// limits are not valid; then nothing changes. AddTool does not wait for clients.
func (s *Server) AddTool(t feature.DynamicTool) error {
	tool, err := t.Tool()
	if err == nil {
		used := tool.Guard.NewUsage()
		err = s.changeTools(func(o container) error { return o.takesToolLocked(o.prefix+t.Name, s) },
			func(o container) { o.addToolLocked(tool.Prefixed(o.prefix), used, s) })
	}
	if err != nil {
		return fmt.Errorf("mcp: tool %q: %w", t.Name, err)
	}
	return nil
}

// RemoveTool removes a tool that AddTool has added to s, and reports whether there was one. Running calls go on. The
// error can be [ErrToolsFixed], as for AddTool.
func (s *Server) RemoveTool(name string) (removed bool, err error) {
	err = s.changeTools(func(o container) error { return o.toolsMayChangeLocked() }, func(o container) {
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

// changeTools calls change for s, its containers, their containers and so on. If check has an error about one of them,
// it changes nothing.
func (s *Server) changeTools(check func(container) error, change func(container)) error {
	toolChanges.Lock()
	defer toolChanges.Unlock()
	all := []container{{s, ""}}
	s.eachContainer("", func(o container) {
		if !slices.Contains(all, o) {
			all = append(all, o)
		}
	})
	for i, o := range all {
		if !slices.ContainsFunc(all[:i], func(p container) bool { return p.Server == o.Server }) {
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

// takesToolLocked returns an error if a tool with that name cannot be added. owner is s, or the member of s that gets
// the tool.
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

// addToolLocked adds a tool of owner. used counts its calls.
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

// addToolsOf adds the tools that were added to p, a member of s. Names of p have that prefix in s.
func (s *Server) addToolsOf(p *Server, prefix string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range p.tools.Load().list {
		if t.Answer != nil {
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

// addResourceTools adds the tools that offer resources to clients which know tools only, if they are wanted.
func (s *Server) addResourceTools() error {
	if add, ok := s.features.ResourceTools.(func(*Server) error); ok && s.features.Capabilities.Resources != nil {
		return add(s)
	}
	return nil
}

func (s *Server) toolsMayChangeLocked() error {
	if s.opened.Load() && !s.opts.DynamicTools {
		return ErrToolsFixed
	}
	return nil
}

// setToolsLocked sets the tools that were added. A new tool can be called before it is listed. A removed tool is still
// listed for a moment when it cannot be called any more.
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

// declared returns what s offers apart from added tools.
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
