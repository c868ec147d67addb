package ir

import "github.com/mcpgen/mcpgen/internal/diag"

// Capabilities returns what s can answer, with all that it mounts and the tools for resources.
func (s *Server) Capabilities() Capabilities {
	c := s.Caps
	for i := range s.Mounts {
		m := s.Mounts[i].Server.Capabilities()
		c = Capabilities{
			c.Resources || m.Resources, c.Subscribe || m.Subscribe, c.ListChanged || m.ListChanged,
			c.Completions || m.Completions, c.Tools || m.Tools, c.ToolsChanged || m.ToolsChanged,
			c.Prompts || m.Prompts, c.PromptsChanged || m.PromptsChanged, c.Logging || m.Logging,
			c.Events || m.Events, c.EventsChanged || m.EventsChanged,
		}
	}
	c.Tools = c.Tools || s.ResourceTools && c.Resources
	return c
}

// Server is one MCP server: a constructor and what it serves.
type Server struct {
	// Pos is where the server directive stands, or the package clause without one.
	Pos diag.Pos
	// Name, Version, Title, Description, WebsiteURL and Instructions are what clients are told.
	Name, Version, Title, Description, WebsiteURL, Instructions string
	// PageSize is the most entries of a page; 0 leaves it to the runtime.
	PageSize int
	// ResourceTools says that tools list and read the resources too.
	ResourceTools bool
	// Receivers are the values that the server calls methods on.
	Receivers []Receiver
	// Mounts are the servers of other packages that it offers too, in the order of the directive.
	Mounts []Mount
	// Resources, Tools and Prompts are in the order of files by name, then of position.
	Resources []*Resource
	Tools     []*Tool
	Prompts   []*Prompt
	// Events are in the order of the source.
	Events []*Event
	// Extensions and Experimental are in the order of the source.
	Extensions   []*ServerExtension
	Experimental []*Experimental
	// Skills are the declarations of skills, in the order of the source, and SkillRules what the methods of their
	// extension ask of callers; nil for nothing.
	Skills     []*Skills
	SkillRules *Rules
	// Parts are the functions that declare the features; nil for a server whose features are declared where the rest of
	// it is.
	Parts []Part
	// Routes decides which template serves a URI that no literal matched; nil without templates.
	Routes *RouteNode
	// Middleware are the methods that features name with use, sorted.
	Middleware []string
	// Caps is what the declarations can answer.
	Caps Capabilities
	// Names are the generated identifiers.
	Names ServerNames
}

// Mount is a server that another one offers as well.
type Mount struct {
	// Prefix stands before the names of its tools and prompts here; empty for most.
	Prefix string
	// Path is the import path of its package, and Field the field of the Impl struct that holds it.
	Path, Field string
	Server      *Server
}

// ServerNames are the identifiers generated for a server called team-notes: TeamNotesServer,
// TeamNotesImpl, TeamNotesMiddleware, NewTeamNotesServer, teamNotesFeatures and routeTeamNotes.
type ServerNames struct {
	Type, Impl, Middleware, New, Features, Route string
	// Needs are the functions that check a large Impl struct, MaxSwitch fields each; nil for a smaller one.
	Needs []string
}

// Needs are the paths of the pointers in the Impl struct that must not be nil.
func (s *Server) Needs() []string {
	var out []string
	for _, r := range s.Receivers {
		if r.Pointer {
			out = append(out, r.Field)
		}
		for _, path := range r.Through {
			out = append(out, r.Field+"."+path)
		}
	}
	return out
}

// Part is a function that declares features of a server.
type Part struct {
	Name string
	// File is the base name of the source of the features; empty if they are from several.
	File     string
	Features []Feature
}

// Feature is one of the features of a server that have places: one of the fields is set.
type Feature struct {
	Resource *Resource
	Tool     *Tool
	Prompt   *Prompt
}

// File is the base name of the source of the feature.
func (x Feature) File() string {
	switch {
	case x.Resource != nil:
		return x.Resource.Callee.File
	case x.Tool != nil:
		return x.Tool.Callee.File
	}
	return x.Prompt.Callee.File
}

// Features are those with places: resources, tools, prompts.
func (s *Server) Features() (out []Feature) {
	for _, r := range s.Resources {
		out = append(out, Feature{Resource: r})
	}
	for _, t := range s.Tools {
		out = append(out, Feature{Tool: t})
	}
	for _, p := range s.Prompts {
		out = append(out, Feature{Prompt: p})
	}
	return out
}

// Features are declared in one function up to MaxWhole of them, and else in functions of at most PartSize.
const (
	MaxWhole = 150
	PartSize = 50
)

// MaxSwitch is how many cases a switch of a router has at most. Larger ones are sorted tables, and what is behind a
// case stands in functions of about this size.
const MaxSwitch = 50

// Receiver is a field of the Impl struct.
type Receiver struct {
	// Field is the name of the field. It is that of the type, or an exported one that other packages can set.
	Field string
	// Recv is the name of the type whose methods are called; empty for other fields.
	Recv string
	// Type is the type of the field: *T if a method of T has a pointer receiver, else T.
	Type *GoType
	// Pointer says that the field can be nil.
	Pointer bool
	// Through are the embedded pointers that methods are called through, as in base or base.Store.
	Through []string
	// Doc says what it does if it serves an annotated struct; empty for receivers of methods.
	Doc string
}

// Called is a feature that clients call by its name.
type Called struct {
	// Word is what messages call features of its kind: tool or prompt.
	Word string
	// Name is where its name stands.
	Name *string
	// Decl is the function that is called, as in (*Notes).Search.
	Decl string
	Pos  diag.Pos
}

// Called returns the features of s itself that clients call by their names: tools, then prompts.
func (s *Server) Called() (out []Called) {
	for _, t := range s.Tools {
		out = append(out, Called{"tool", &t.Name, t.Callee.Decl, t.Pos})
	}
	for _, p := range s.Prompts {
		out = append(out, Called{"prompt", &p.Name, p.Callee.Decl, p.Pos})
	}
	return out
}
