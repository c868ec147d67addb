package ir

import "github.com/mcpgen/mcpgen/internal/diag"

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
// TeamNotesImpl, TeamNotesMiddleware, NewTeamNotesServer, teamNotesFeatures, teamNotesHandlers, routeTeamNotes,
// routeTeamNotesTool and routeTeamNotesPrompt.
type ServerNames struct {
	Type, Impl, Middleware, New, Features, Handlers, Route, RouteTool, RoutePrompt string
	// Parts are the functions that declare the features of a server with more than MaxWhole of them, PartSize each; nil
	// for a smaller one.
	Parts []string
}

// Features are declared in one function up to MaxWhole of them, and else in functions of PartSize.
const (
	MaxWhole = 150
	PartSize = 50
)

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
	// Serves names the features that need it, for its doc comment.
	Serves []string
	// Doc says what it does if it serves an annotated struct; empty for receivers of methods.
	Doc string
}
