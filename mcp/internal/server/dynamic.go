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

// ErrToolsFixed is returned if a tool cannot be added or removed, because clients are served and [Options.DynamicTools]
// is not set.
var ErrToolsFixed = errors.New("tools cannot be added or removed while clients are served: set Options.DynamicTools")

// AddTool adds a tool, or replaces a tool of the same name that AddTool has added to s. Clients of s, and of servers
// that s is a member of, can call it at once and are told that the list of tools has changed. Before the first client
// tools can be added to every server. Afterwards the error is [ErrToolsFixed] unless all these servers have
// [Options.DynamicTools]. It is also an error if a declared tool has the same name, or if the name, the schema or the
// limits are not valid. With an error nothing has changed. AddTool does not wait for clients.
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

// RemoveTool removes a tool that AddTool has added to s, and reports whether there was such a tool. Running calls go
// on. The error is [ErrToolsFixed] in the same cases as for AddTool.
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

// changeTools calls change for s, its containers, their containers and so on, with their mu locked. If check returns an
// error for one of these servers, changeTools returns it and changes none.
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

// takesToolLocked returns an error if no tool called name can be added to s. owner is s itself, or the member of s to
// which the program adds the tool. s.mu must be locked, as for all methods named Locked.
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

// addToolLocked adds a tool of owner to s, or replaces the one of the same name. used counts its calls; nil for a tool
// without limits.
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

// addToolsOf adds the tools that were added to p, a member of s, with prefix before their names. It leaves out resource
// tools.
func (s *Server) addToolsOf(p *Server, prefix string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range p.tools.Load().list {
		if t.Answer != nil {
			continue // s has resource tools only by its own declaration
		}
		tool := t.Prefixed(prefix)
		if err := s.takesToolLocked(tool.Entry.Name, t.of); err != nil {
			return fmt.Errorf("mcp: Join: tool %q: %w", tool.Entry.Name, err)
		}
		s.addToolLocked(tool, t.used, t.of)
	}
	return nil
}

// addResourceTools adds the resource tools to s, if they are declared and s has resources. They are for clients that
// support only tools.
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

// setToolsLocked replaces the added tools of s by list. next is the number of the tool that is added next. The tools
// that can be called change a moment before those that are listed.
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

// declared returns the features of s without added tools.
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
