package mcp

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generated/protocol"
)

// Member is a server that others can be joined from: a [Server], or a generated type around one.
type Member interface{ member() *Server }

func (s *Server) member() *Server { return s }

// Join returns a server that offers what f declares and, behind that, all that the members offer. Nil opts
// means the defaults; the options of the members do not count, but what their tags leave out stays out. It
// fails if two of them want the same address, templates that match the same URI, or the same name of a tool or
// prompt.
//
// The members stay usable: their methods, such as the generated Updated, reach the clients of the joined
// server too, as do their switches, and they may be served on their own as well. Close the joined server
// before its members.
//
// Tools that were added to a member with AddTool are joined too, before and after. So that they can come and go while
// clients are served, the joined server needs [Options.DynamicTools] of its own.
//
// The capabilities are those of all parts. Instructions are those of f, followed by those of the members.
func Join(f *Features, opts *Options, members ...Member) (*Server, error) {
	var parts []*Server
	all := []*Features{f}
	for i, m := range members {
		if m == nil || m.member() == nil {
			return nil, fmt.Errorf("mcp: Join: member %d is nil", i)
		}
		parts = append(parts, m.member())
		all = append(all, m.member().declared())
	}
	joined, err := joinFeatures(all)
	if err != nil {
		return nil, err
	}
	s, err := NewServer(joined, opts)
	if err != nil {
		return nil, err
	}
	s.parts = parts
	for _, p := range parts {
		if err := p.offeredBy(s); err != nil {
			_ = s.Close()
			return nil, err
		}
	}
	return s, nil
}

// joinFeatures puts the features of several servers into one. The first says who the server is.
func joinFeatures(all []*Features) (*Features, error) {
	out := *all[0]
	out.Resources, out.Tools, out.Prompts = nil, nil, nil
	var (
		r            joinedRoutes
		instructions []string
		errs         []error
	)
	tools, prompts := places{}, places{}
	for _, f := range all {
		if f.Instructions != "" {
			instructions = append(instructions, f.Instructions)
		}
		joinCapabilities(&out.Capabilities, &f.Capabilities)
		errs = append(errs, r.add(f, len(out.Resources)))
		out.Resources = append(out.Resources, f.Resources...)
		for i := range f.Tools {
			errs = append(errs, tools.add("tool", f.Tools[i].Entry.Name))
		}
		for i := range f.Prompts {
			errs = append(errs, prompts.add("prompt", f.Prompts[i].Entry.Name))
		}
		out.Tools, out.Prompts = append(out.Tools, f.Tools...), append(out.Prompts, f.Prompts...)
	}
	out.Instructions = strings.Join(instructions, "\n\n")
	if len(out.Resources) > 0 {
		out.Route = r.route
	}
	if len(out.Tools) > 0 {
		out.RouteTool = tools.find
	}
	if len(out.Prompts) > 0 {
		out.RoutePrompt = prompts.find
	}
	return &out, errors.Join(errs...)
}

// places finds features by name.
type places map[string]int

// add gives name the next place. It fails if name has one.
func (p places) add(what, name string) error {
	if _, twice := p[name]; twice {
		return fmt.Errorf("mcp: Join: two members have a %s %q", what, name)
	}
	p[name] = len(p)
	return nil
}

func (p places) find(name string) int {
	if i, ok := p[name]; ok {
		return i
	}
	return -1
}

// joinCapabilities adds to c what o declares. Nothing that o points to is changed.
func joinCapabilities(c, o *protocol.ServerCapabilities) {
	either := func(a, b *bool) *bool {
		if isTrue(a) || isTrue(b) {
			return new(true)
		}
		return nil
	}
	if o.Completions != nil {
		c.Completions = o.Completions
	}
	if o.Logging != nil {
		c.Logging = o.Logging
	}
	if a, b := c.Resources, o.Resources; a == nil {
		c.Resources = b
	} else if b != nil {
		c.Resources = &protocol.ServerCapabilitiesResources{ListChanged: either(a.ListChanged, b.ListChanged), Subscribe: either(a.Subscribe, b.Subscribe)}
	}
	if a, b := c.Tools, o.Tools; a == nil {
		c.Tools = b
	} else if b != nil {
		c.Tools = &protocol.ServerCapabilitiesTools{ListChanged: either(a.ListChanged, b.ListChanged)}
	}
	if a, b := c.Prompts, o.Prompts; a == nil {
		c.Prompts = b
	} else if b != nil {
		c.Prompts = &protocol.ServerCapabilitiesPrompts{ListChanged: either(a.ListChanged, b.ListChanged)}
	}
}

// offeredBy notes that a joined server offers what s does, and gives it the tools that were added and the state of the
// switches. It fails if the name of such a tool is taken.
func (s *Server) offeredBy(joined *Server) error {
	toolChanges.Lock()
	defer toolChanges.Unlock()
	if err := joined.addToolsOf(s); err != nil {
		return err
	}
	s.changeJoined(func(list []*Server) []*Server { return append(list, joined) })
	for i := range s.features.Resources {
		if s.off.resources[i].Load() {
			joined.enableResource(s.features.Resources[i].uri(), false)
		}
	}
	for i := range s.features.Tools {
		if s.off.tools[i].Load() {
			joined.enableTool(s.features.Tools[i].Entry.Name, false)
		}
	}
	for i := range s.features.Prompts {
		if s.off.prompts[i].Load() {
			joined.enablePrompt(s.features.Prompts[i].Entry.Name, false)
		}
	}
	return nil
}

// leaveParts ends what Join began.
func (s *Server) leaveParts() {
	for _, p := range s.parts {
		p.changeJoined(func(list []*Server) []*Server {
			return slices.DeleteFunc(list, func(o *Server) bool { return o == s })
		})
	}
}

// changeJoined replaces the list of servers that are joined from s by what change makes of a copy.
func (s *Server) changeJoined(change func([]*Server) []*Server) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []*Server
	if old := s.joined.Load(); old != nil {
		list = slices.Clone(*old)
	}
	list = change(list)
	s.joined.Store(&list)
}

func (s *Server) hasFamily() bool { return s.parts != nil || s.joined.Load() != nil }

// relatives calls f once for each other server that shares something with s and that has says yes to: those that s is
// joined from, those that are joined from s, and so on from these. So what one root tells of a part reaches the part,
// and the other roots that the part is joined into.
func (s *Server) relatives(has func(*Server) bool, f func(*Server)) {
	if !s.hasFamily() {
		return
	}
	all := []*Server{s}
	for i := 0; i < len(all); i++ { // which grows
		near := all[i].parts
		if joined := all[i].joined.Load(); joined != nil {
			near = append(slices.Clip(near), *joined...)
		}
		for _, o := range near {
			if !slices.Contains(all, o) && has(o) {
				all = append(all, o)
			}
		}
	}
	for _, o := range all[1:] {
		f(o)
	}
}

// routes reports whether some resource of s has that URI.
func (s *Server) routes(uri string) bool {
	k := s.hub.takeKey()
	defer s.hub.keys.Put(k)
	return s.route(uri, &k.vars) >= 0
}

// above calls f for the servers that are joined from s, at any distance.
func (s *Server) above(f func(*Server)) {
	joined := s.joined.Load()
	if joined == nil {
		return
	}
	for _, j := range *joined {
		f(j)
		j.above(f)
	}
}
