package ir

// Capabilities says which parts of the server capabilities are declared.
type Capabilities struct {
	Resources, Subscribe, ListChanged, Completions, Tools, ToolsChanged, Prompts, PromptsChanged, Logging bool
}

// capability is one of the capabilities, as clients find it.
type capability struct {
	has   bool
	name  string
	since string // the first revision that has it
}

// firstRevision is the date of the oldest revision of the protocol.
const firstRevision = "2024-11-05"

// Names returns the capabilities as clients of a revision find them, such as resources.subscribe. The revision is a date.
func (c *Capabilities) Names(revision string) (names []string) {
	for _, x := range []capability{
		{c.Completions, "completions", "2025-03-26"},
		{c.Logging, "logging", firstRevision},
		{c.Prompts, "prompts", firstRevision},
		{c.PromptsChanged, "prompts.listChanged", firstRevision},
		{c.Resources, "resources", firstRevision},
		{c.ListChanged, "resources.listChanged", firstRevision},
		{c.Subscribe, "resources.subscribe", firstRevision},
		{c.Tools, "tools", firstRevision},
		{c.ToolsChanged, "tools.listChanged", firstRevision},
	} {
		if x.has && x.since <= revision {
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
