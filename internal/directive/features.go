package directive

// Bind holds the option that every feature directive has.
type Bind struct {
	// Server names the servers of the package that offer the feature. With one
	// server it is implied; list, watch and complete follow their resource.
	Server List `option:"server" eg:"notes"`
}

// Servers is the server= option of a feature directive.
func (b *Bind) Servers() *List { return &b.Server }

// Server declares an MCP server made of the annotated declarations of the
// package. It stands in the package doc or in a comment of its own. Refining
// directives in the same comment are defaults for all features of the server.
type Server struct {
	// Name is what clients see, and where the generated names come from:
	// team-notes gives NewTeamNotesServer.
	Name String `option:"name,required" eg:"team-notes"`
	// Version is the version of the server, not of the protocol. Clients get it as it is written; a v before it
	// does not count where versions are compared.
	Version String `option:"version" eg:"1.2.0"`
	// Title is the name shown to people.
	Title String `option:"title" eg:"\"Team notes\""`
	// Desc says in a sentence what the server is for.
	Desc Text `option:"desc" eg:"@DESCRIPTION.md"`
	// URL is the web page of the server.
	URL String `option:"url" eg:"https://example.com"`
	// Instructions tell a model how to use the server.
	Instructions Text `option:"instructions" eg:"@INSTRUCTIONS.md"`
	// Page is the number of entries on one page of a list.
	Page Int `option:"page" eg:"200"`
	// Mount adds all that the servers of other packages offer. It names import
	// paths, relative ones with ./ or ../; PATH#NAME picks one of several servers, and
	// PREFIX=PATH puts PREFIX before the names of its tools and prompts.
	Mount List `option:"mount" eg:"./notes,example.com/desk/tickets"`
	// Astools offers resources to clients that only know tools: generic adds
	// the tools list_resources and read_resource, and typed also a tool for
	// each template, with its variables as arguments: read_note.
	Astools Enum `option:"astools" values:"off,generic,typed"`
}

// Resource makes the result of a method or function, or the value of a variable
// or constant, readable under a URI. A URI with braces is a template whose
// variables become parameters.
type Resource struct {
	// URI is the address of the resource, or a template of addresses.
	URI URI `option:"uri,required" eg:"notes:///{name}"`
	// Name identifies the resource for programs; the default is the Go name in
	// kebab-case. If two types have a method of that name, generated names come
	// from here.
	Name String `option:"name" eg:"note"`
	// Title is the name shown to people.
	Title String `option:"title" eg:"\"A note\""`
	// Desc replaces the doc comment as description.
	Desc Text `option:"desc" eg:"@NOTE.md"`
	// Mime is the media type of the content; the default depends on the result
	// type.
	Mime MIME `option:"mime" eg:"text/markdown"`
	// Size is the length of the content, if it is known and fixed.
	Size Bytes `option:"size" eg:"4KiB"`
	// Subscribe lets clients wait for changes of the resource.
	Subscribe Bool `option:"subscribe"`
	// List says where the entries of a template come from; none leaves them out.
	List Enum `option:"list,flag" values:"none,walk,enum"`
	// Store generates a store that holds the values of a keyed struct.
	Store Bool `option:"store"`
	// Source generates an interface for values that live elsewhere.
	Source Bool `option:"source"`
	// Root is a field of the receiver, or a variable, of type *os.Root: the resources are files below
	// it, and the function gets the open file.
	Root Ref `option:"root" eg:"Files"`
	// Directory also answers reads of directories, with the names in them.
	Directory Bool `option:"directory"`
	// Poll looks for changes of watched items at this interval.
	Poll Duration `option:"poll" eg:"30s"`
	// Strict refuses query parameters that the template does not name.
	Strict Bool `option:"strict"`
	// Tags group features: a program offers those of some tags only, with
	// mcp.Options.OnlyTags or ExceptTags. Clients do not see them.
	Tags List `option:"tags" eg:"docs,public"`
	Bind
}

// Tool lets a model call a method or function.
type Tool struct {
	// Name is what clients call; the default is the Go name in snake_case.
	Name String `option:"name" eg:"ticket.close"`
	// Title is the name shown to people.
	Title String `option:"title" eg:"\"Close a ticket\""`
	// Desc replaces the doc comment as description.
	Desc Text `option:"desc" eg:"@CLOSE.md"`
	// Readonly promises that the tool changes nothing.
	Readonly Bool `option:"readonly"`
	// Destructive says that the tool may delete or overwrite.
	Destructive Bool `option:"destructive"`
	// Idempotent says that repeating a call with the same input adds nothing.
	Idempotent Bool `option:"idempotent"`
	// Open says that the tool reaches outside a closed world, such as the web.
	Open Bool `option:"open"`
	// Closed says that the tool stays within the server's own data.
	Closed Bool `option:"closed"`
	// Updates lists resources that a successful call changes.
	Updates URIs `option:"updates" eg:"tickets:///{number}"`
	// Schema is the JSON schema of the input, used as it is. The tool then takes
	// its input as json.RawMessage, and checks it itself.
	Schema Text `option:"schema" eg:"@close.json"`
	// Task runs the tool in the background at once.
	Task Bool `option:"task,planned"`
	// Tags group features: a program offers those of some tags only, with
	// mcp.Options.OnlyTags or ExceptTags. Clients do not see them.
	Tags List `option:"tags" eg:"write"`
	Bind
}

// Prompt offers a prepared conversation with arguments.
type Prompt struct {
	// Name is what clients ask for; the default is the Go name in snake_case.
	Name String `option:"name" eg:"review"`
	// Title is the name shown to people.
	Title String `option:"title" eg:"\"Review a ticket\""`
	// Desc replaces the doc comment as description.
	Desc Text `option:"desc" eg:"@REVIEW.md"`
	// Tags group features: a program offers those of some tags only, with
	// mcp.Options.OnlyTags or ExceptTags. Clients do not see them.
	Tags List `option:"tags" eg:"review"`
	Bind
}

// ListOf makes a method or function the lister of a template.
type ListOf struct {
	// Of is the resource, by Go name or by MCP name.
	Of Ref `option:"of,required" eg:"Note"`
	// Page is the number of entries on one page.
	Page Int `option:"page" eg:"200"`
	// Changes says that the list can change while the server runs. It generates
	// the notifier.
	Changes Bool `option:"changes"`
	Bind
}

// Watch makes a method or function the source of change events. It runs only
// while somebody is subscribed.
type Watch struct {
	// Of is the resource, by Go name or by MCP name.
	Of Ref `option:"of,required" eg:"Note"`
	Bind
}

// Complete makes a method or function propose values of one variable: those
// that fit the prefix, which is its first parameter. Further parameters with
// the names of other variables get what was filled in for them before.
type Complete struct {
	// Of is the resource or prompt, by Go name or by MCP name; or several, with
	// a variable of that name each.
	Of Refs `option:"of,required" eg:"Ticket,Comment"`
	// Var is the variable that is completed.
	Var Ref `option:"var,required" eg:"number"`
	Bind
}

// EnumOf makes the declared constants of a string or integer type its only
// values. Their doc comments become labels.
type EnumOf struct{}

// Form lets handlers ask the user for the fields of a struct, by mcp.Elicit. Its
// fields are texts, numbers, booleans, enums and lists of enums; doc comments and
// jsonschema tags describe them. The comment behind each constant of an enum is
// the title of that choice.
type Form struct{}

// TypeOf says how the values of a Go type look as JSON wherever the package has them: in the arguments and results of
// its tools, in its forms, and in resources that are JSON. The function that reads them takes a string, int64,
// float64 or bool and returns the type and an error; the one that writes them takes the type and returns what the
// other takes. A package that only reads the type, or only writes it, needs one of the two. The directive comes before
// the methods of the type, before //mcp:enum, and before what mcpgen knows of it, also for time.Time. Keys of maps,
// variables of templates and arguments of prompts stay as they are without it. Keywords of a jsonschema tag that limit
// values are refused on such a field: its function says what is right.
type TypeOf struct {
	// Format is the format that schemas name, for strings. Either function may say it.
	Format String `option:"format" eg:"uri"`
	// Desc describes values that have no other description in a schema. Either function may say it.
	Desc Text `option:"desc" eg:"\"absolute address\""`
}
