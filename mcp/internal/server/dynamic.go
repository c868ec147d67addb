package server

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/lists"
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
		err = s.changeTools(
			func(to *addedTools, prefix string) error { return to.takesLocked(prefix+t.Name, &s.added) },
			func(to *addedTools, prefix string) { to.addLocked(tool.Prefixed(prefix), used, &s.added) })
	}
	if err != nil {
		return fmt.Errorf("mcp: tool %q: %w", t.Name, err)
	}
	return nil
}

// RemoveTool removes a tool that AddTool has added to s, and reports whether there was such a tool. Running calls go
// on. The error is [ErrToolsFixed] in the same cases as for AddTool.
func (s *Server) RemoveTool(name string) (removed bool, err error) {
	err = s.changeTools(func(from *addedTools, _ string) error { return from.mayChangeLocked() },
		func(from *addedTools, prefix string) {
			removed = from.removeLocked(prefix+name, &s.added) || removed
		})
	if err != nil {
		return false, fmt.Errorf("mcp: tool %q: %w", name, err)
	}
	return removed, nil
}

// toolChanges is held while tools are added or removed, so that a server and its containers change together. It must be
// locked before the mu of any addedTools.
var toolChanges sync.Mutex

// changeTools calls change for the added tools of s, its containers, their containers and so on, with their mu locked.
// prefix stands there before the names of tools of s. If check returns an error for one of these servers, changeTools
// returns it and changes none.
func (s *Server) changeTools(
	check func(at *addedTools, prefix string) error, change func(at *addedTools, prefix string),
) error {
	toolChanges.Lock()
	defer toolChanges.Unlock()
	all := []container{{&s.joins, ""}}
	s.joins.eachContainer("", func(o container) {
		if !slices.Contains(all, o) {
			all = append(all, o)
		}
	})
	for i, o := range all {
		if !slices.ContainsFunc(all[:i], func(p container) bool { return p.joins == o.joins }) {
			o.of.added.mu.Lock()
			defer o.of.added.mu.Unlock()
		}
		if err := check(&o.of.added, o.prefix); err != nil && o.of != s {
			return fmt.Errorf("in %s, which is joined from this server: %w", o.of.features.Info.Name, err)
		} else if err != nil {
			return err
		}
	}
	for _, o := range all {
		change(&o.of.added, o.prefix)
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

// toolsChanged offers list as the added tools, and tells the clients. The mu of s.added must be locked.
func (s *Server) toolsChanged(list []lists.Added) {
	if s.features.Capabilities.Tools == nil {
		s.features.Capabilities.Tools = &protocol.ServerCapabilitiesTools{}
	}
	s.lists.SetTools(list)
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
	return s.added.find(name)
}
