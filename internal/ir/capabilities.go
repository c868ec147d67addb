package ir

// Capabilities says which parts of the server capabilities are declared.
type Capabilities struct {
	Resources, Subscribe, ListChanged, Completions, Tools, ToolsChanged, Prompts, PromptsChanged, Logging bool
	Events, EventsChanged                                                                                 bool
}

// Names returns the capabilities by the names that clients find, such as resources.subscribe, sorted.
func (c *Capabilities) Names() (names []string) {
	for _, x := range []struct {
		has  bool
		name string
	}{
		{c.Completions, "completions"},
		{c.Events, "events"},
		{c.EventsChanged, "events.listChanged"},
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
