package ir

// Capabilities says which parts of the server capabilities are declared.
type Capabilities struct {
	Resources, Subscribe, ListChanged, Completions, Tools, ToolsChanged, Prompts, PromptsChanged, Logging bool
}

// Capabilities returns what s can answer, with all that it mounts and the tools for resources.
func (s *Server) Capabilities() Capabilities {
	c := s.Caps
	for i := range s.Mounts {
		m := s.Mounts[i].Server.Capabilities()
		c = Capabilities{
			c.Resources || m.Resources, c.Subscribe || m.Subscribe, c.ListChanged || m.ListChanged,
			c.Completions || m.Completions, c.Tools || m.Tools, c.ToolsChanged || m.ToolsChanged,
			c.Prompts || m.Prompts, c.PromptsChanged || m.PromptsChanged, c.Logging || m.Logging,
		}
	}
	c.Tools = c.Tools || s.ResourceTools && c.Resources
	return c
}

// Names returns the capabilities by the names that clients find, such as resources.subscribe, sorted.
func (c *Capabilities) Names() (names []string) {
	for _, x := range []struct {
		has  bool
		name string
	}{
		{c.Completions, "completions"},
		{c.Logging, "logging"},
		{c.Prompts, "prompts"},
		{c.PromptsChanged, "prompts.listChanged"},
		{c.Resources, "resources"},
		{c.ListChanged, "resources.listChanged"},
		{c.Subscribe, "resources.subscribe"},
		{c.Tools, "tools"},
		{c.ToolsChanged, "tools.listChanged"},
	} {
		if x.has {
			names = append(names, x.name)
		}
	}
	return names
}

// ListChanges reports whether the list that shows r may change while clients are served.
func (r *Resource) ListChanges() bool { return r.Toggle != "" || r.List != nil && r.List.Changes }

// ListChanges reports whether the list that shows t may change while clients are served.
func (t *Tool) ListChanges() bool { return t.Toggle != "" || t.Reads != nil && t.Reads.Toggle != "" }

// ListChanges reports whether the list that shows p may change while clients are served.
func (p *Prompt) ListChanges() bool { return p.Toggle != "" }
