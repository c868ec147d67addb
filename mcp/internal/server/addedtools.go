package server

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/mcp/internal/access"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/lists"
	"github.com/mcpgen/mcpgen/mcp/internal/ratelimit"
)

// addedTools are the tools that were added to one server at run time. It is safe for concurrent use. mu must be locked
// for methods named Locked.
type addedTools struct {
	dynamic  bool              // tools may change while clients are served
	registry *feature.Registry // of the declared features
	usages   *access.Usages
	of       *Server // is told of each change; not a function, so that servers without AddTool do not link it

	mu     sync.Mutex
	set    atomic.Pointer[toolSet] // changed while mu is held
	opened atomic.Bool             // clients may have got the capabilities
}

// toolSet is the value of addedTools at one time. It is never changed.
type toolSet struct {
	list   []addedTool // in the order in which they were added
	byName map[string]*feature.Tool
	next   int // the number of the tool that is added next
}

type addedTool struct {
	lists.Added
	used *ratelimit.Limiter // nil if its calls are not counted
	of   *addedTools        // of the server that it was added to: this one, or a member
}

func (t *toolSet) index(name string) int {
	return slices.IndexFunc(t.list, func(t addedTool) bool { return t.Entry.Name == name })
}

// entries returns the entries of the tools for package lists.
func (t *toolSet) entries() []lists.Added {
	out := make([]lists.Added, len(t.list))
	for i := range t.list {
		out[i] = t.list[i].Added
	}
	return out
}

// open is called before a client can get the capabilities. They do not change afterwards.
func (a *addedTools) open() {
	if a.opened.Load() {
		return
	}
	a.mu.Lock()
	a.opened.Store(true)
	a.mu.Unlock()
}

// find returns the added tool called name, or nil.
func (a *addedTools) find(name string) *feature.Tool { return a.set.Load().byName[name] }

func (a *addedTools) mayChangeLocked() error {
	if a.opened.Load() && !a.dynamic {
		return ErrToolsFixed
	}
	return nil
}

// takesLocked returns an error if no tool called name can be added. owner is a itself, or has the tools of the member
// to which the program adds the tool.
func (a *addedTools) takesLocked(name string, owner *addedTools) error {
	if a.registry.Find(feature.KindTool, name) >= 0 {
		return errors.New("is declared already")
	}
	old := a.set.Load()
	if i := old.index(name); i >= 0 && old.list[i].of != owner {
		return errors.New("another server has added one of that name")
	}
	if err := feature.CheckLength(name); err != nil {
		return err
	}
	return a.mayChangeLocked()
}

// addLocked adds a tool of owner, or replaces the one of the same name. used counts its calls; nil for a tool without
// limits.
func (a *addedTools) addLocked(tool *feature.Tool, used *ratelimit.Limiter, owner *addedTools) {
	old := a.set.Load()
	list, next := slices.Clone(old.list), old.next
	if i := old.index(tool.Entry.Name); i >= 0 {
		list[i].Tool, list[i].used = tool, used
	} else {
		list, next = append(list, addedTool{lists.Added{Tool: tool, Number: next}, used, owner}), next+1
	}
	a.setLocked(list, next)
}

// removeLocked removes the tool of owner called name, and reports whether there was one.
func (a *addedTools) removeLocked(name string, owner *addedTools) bool {
	old := a.set.Load()
	i := old.index(name)
	if i < 0 || old.list[i].of != owner {
		return false
	}
	a.setLocked(slices.Delete(slices.Clone(old.list), i, i+1), old.next)
	return true
}

// setLocked replaces the tools by list. next is the number of the tool that is added next. The tools that can be called
// change a moment before those that are listed.
func (a *addedTools) setLocked(list []addedTool, next int) {
	t := &toolSet{list: list, next: next, byName: make(map[string]*feature.Tool, len(list))}
	usages := make(map[*access.Guard]*ratelimit.Limiter)
	for _, tool := range list {
		t.byName[tool.Entry.Name] = tool.Tool
		if tool.used != nil {
			usages[tool.Guard] = tool.used
		}
	}
	a.usages.SetAdded(usages)
	a.set.Store(t)
	a.of.toolsChanged(t.entries())
}

// join adds the tools that were added to a member, with prefix before their names. It leaves out resource tools.
func (a *addedTools) join(member *addedTools, prefix string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, t := range member.set.Load().list {
		if t.Answer != nil {
			continue // a server has resource tools only by its own declaration
		}
		tool := t.Prefixed(prefix)
		if err := a.takesLocked(tool.Entry.Name, t.of); err != nil {
			return fmt.Errorf("mcp: Join: tool %q: %w", tool.Entry.Name, err)
		}
		a.addLocked(tool, t.used, t.of)
	}
	return nil
}
