package directive

// Bind holds the option that every feature directive has.
type Bind struct {
	// Server names the servers of the package that offer the feature. It may be left out
	// if the package has one server. list, watch and complete have the servers of their resource.
	Server List `option:"server" eg:"notes"`
}

// Servers is the server= option of a feature directive.
func (b *Bind) Servers() *List { return &b.Server }

// Server declares an MCP server of the annotated declarations of the package.
// It stands in the package comment or in a comment of its own. Refinements
// in the same comment, except icon and meta, are defaults for all features of the server.
type Server struct {
	// Name is the name that clients get. Generated names are made from it:
	// team-notes makes NewTeamNotesServer.
	Name String `option:"name,required" eg:"team-notes"`
	// Version is the version of the server, not of the protocol. Clients get the text unchanged; comparisons ignore
	// a leading v.
	Version String `option:"version" eg:"1.2.0"`
	// Title is the name that users see.
	Title String `option:"title" eg:"\"Team notes\""`
	// Desc describes the purpose of the server in one sentence.
	Desc Text `option:"desc" eg:"@DESCRIPTION.md"`
	// URL is the address of the web page of the server.
	URL String `option:"url" eg:"https://example.com"`
	// Instructions are sent to clients as advice for the model.
	Instructions Text `option:"instructions" eg:"@INSTRUCTIONS.md"`
	// Page is the number of entries on one page of a list.
	Page Int `option:"page" eg:"200"`
	// Mount adds the features of the servers of other packages. Items are import
	// paths; relative ones begin with ./ or ../. PATH#NAME selects one of several servers of a
	// package, and PREFIX=PATH puts PREFIX before the names of its tools and prompts.
	Mount List `option:"mount" eg:"./notes,example.com/desk/tickets"`
	// Astools offers resources to clients that support tools only. generic adds
	// the tools list_resources and read_resource; typed also adds a tool for
	// each template, with its variables as arguments, such as read_note.
	Astools Enum `option:"astools" values:"off,generic,typed"`
	// Split writes what belongs to one source file to a file of its own: what belongs to tools.go to
	// tools_mcp_gen.go. mcp_gen.go keeps the rest. It holds for all servers of the package.
	Split Bool `option:"split"`
}

// Resource serves the result of a method or function, or the value of a variable,
// constant or struct, at a URI. A URI with braces is a template whose
// variables are parameters of the function.
type Resource struct {
	// URI is the URI of the resource, or an RFC 6570 template.
	URI URI `option:"uri,required" eg:"notes:///{name}"`
	// Name identifies the resource for programs; the default is the Go name in
	// kebab-case. If methods of two types have the same name, generated names are
	// made from this option.
	Name String `option:"name" eg:"note"`
	// Title is the name that users see.
	Title String `option:"title" eg:"\"A note\""`
	// Desc is the description, in place of the doc comment.
	Desc Text `option:"desc" eg:"@NOTE.md"`
	// Mime is the media type of the content; the default depends on the result
	// type.
	Mime MIME `option:"mime" eg:"text/markdown"`
	// Size is the length of the content, if it is constant.
	Size Bytes `option:"size" eg:"4KiB"`
	// Subscribe lets clients subscribe to updates of the resource.
	Subscribe Bool `option:"subscribe"`
	// Event tells clients of updates as events too, in these ways; poll and push without a value. Such an event is a hint:
	// updates of a URI that wait to be published are one. It is called NAME.updated. Changes that poll or a watch function
	// looks for are known only while somebody is subscribed, so these have no events.
	Event Enums `option:"event,flag" values:"poll,push,webhook"`
	// List is the source of the entries of a template: walk lists the files below root, enum all
	// combinations of values of enums and bools; none lists nothing. On a struct, list without a value lists its values,
	// which is the default.
	List Enum `option:"list,flag" values:"none,walk,enum"`
	// Store generates a store for the values of a struct with key fields.
	Store Bool `option:"store"`
	// Source generates an interface that the program implements, for values in a database or elsewhere.
	Source Bool `option:"source"`
	// Root is a field of the receiver, or a variable, of type *os.Root. The resources are the files below
	// it, and the function gets the open file.
	Root Ref `option:"root" eg:"Files"`
	// Directory makes directories readable too, as the list of their names.
	Directory Bool `option:"directory"`
	// Poll reads resources with subscribers at this interval and publishes an update if the content differs.
	Poll Duration `option:"poll" eg:"30s"`
	// Strict refuses query parameters that the template does not name.
	Strict Bool `option:"strict"`
	// Tags group features. A program selects features by tag with
	// mcp.Options.OnlyTags and ExceptTags. Clients do not see tags.
	Tags List `option:"tags" eg:"docs,public"`
	Bind
}

// Tool makes a method or function a tool, which a model can call.
type Tool struct {
	// Name is the name of the tool; the default is the Go name in snake_case.
	Name String `option:"name" eg:"ticket.close"`
	// Title is the name that users see.
	Title String `option:"title" eg:"\"Close a ticket\""`
	// Desc is the description, in place of the doc comment.
	Desc Text `option:"desc" eg:"@CLOSE.md"`
	// Readonly declares that the tool changes nothing.
	Readonly Bool `option:"readonly"`
	// Destructive declares that the tool may delete or overwrite data.
	Destructive Bool `option:"destructive"`
	// Idempotent declares that a repeated call with the same input has no further effect.
	Idempotent Bool `option:"idempotent"`
	// Open declares that the tool interacts with an open world, such as the web.
	Open Bool `option:"open"`
	// Closed declares that the tool uses data of the server only.
	Closed Bool `option:"closed"`
	// Updates names the resources that a successful call changes; their subscribers get an update.
	Updates URIs `option:"updates" eg:"tickets:///{number}"`
	// Schema is the JSON schema of the input, unchanged. The tool then takes
	// its input as json.RawMessage and validates it itself.
	Schema Text `option:"schema" eg:"@close.json"`
	// UI is the URI of the app that clients display with the results of the tool. Clients without apps get the results
	// alone.
	UI URI `option:"ui" eg:"ui://board/cards"`
	// Visibility says who may call the tool: the model, the apps of the server, or both, which is the default.
	// Clients that do not display apps do not get tools that are for apps only.
	Visibility Enums `option:"visibility" values:"model,app"`
	// Task lets calls of the tool go on in the background as tasks, for clients that know tasks; for others it is called
	// as any tool. The handler of a task with once is never run twice: a task whose process ends is failed, and the
	// handler cannot ask the client. With restart it is run again from its start after its process has ended, and after
	// the client has answered its questions; then it has to notice what an earlier run has done.
	Task Enum `option:"task" values:"once,restart"`
	// TaskRequired refuses calls of clients that do not know tasks.
	TaskRequired Bool `option:"task-required"`
	// Tags group features. A program selects features by tag with
	// mcp.Options.OnlyTags and ExceptTags. Clients do not see tags.
	Tags List `option:"tags" eg:"write"`
	Bind
}

// Prompt makes a method or function a prompt: messages with arguments.
type Prompt struct {
	// Name is the name of the prompt; the default is the Go name in snake_case.
	Name String `option:"name" eg:"review"`
	// Title is the name that users see.
	Title String `option:"title" eg:"\"Review a ticket\""`
	// Desc is the description, in place of the doc comment.
	Desc Text `option:"desc" eg:"@REVIEW.md"`
	// Tags group features. A program selects features by tag with
	// mcp.Options.OnlyTags and ExceptTags. Clients do not see tags.
	Tags List `option:"tags" eg:"review"`
	Bind
}

// ListOf makes a method or function list the instances of a template in resources/list.
type ListOf struct {
	// Of is the resource, by Go name or by MCP name.
	Of Ref `option:"of,required" eg:"Note"`
	// Page is the number of entries on one page.
	Page Int `option:"page" eg:"200"`
	// Changes declares that the list can change at run time. It generates
	// the method that announces a change.
	Changes Bool `option:"changes"`
	Bind
}

// Watch makes a method or function report changes of a resource. It runs while
// a client is subscribed.
type Watch struct {
	// Of is the resource, by Go name or by MCP name.
	Of Ref `option:"of,required" eg:"Note"`
	Bind
}

// Complete makes a method or function complete the values of one variable. Its
// first parameter is the prefix that the user has typed. Parameters with
// the names of other variables get the values that the user has chosen for them.
type Complete struct {
	// Of is the resource or prompt, by Go name or by MCP name; or several that each have
	// a variable of that name.
	Of Refs `option:"of,required" eg:"Ticket,Comment"`
	// Var is the variable to complete.
	Var Ref `option:"var,required" eg:"number"`
	Bind
}

// EnumOf limits a string or integer type to its declared constants, wherever a value is read: in arguments of tools and
// prompts, in forms, in variables of templates and in keys of maps. The doc comments of the constants are their labels.
// If the type has a method UnmarshalText, the constants of a string type are the texts that the method may get, and the
// constants of an integer type are the values that it may make. What UnmarshalJSON makes must be a constant too.
type EnumOf struct{}

// Form makes a struct the form of an elicitation with mcp.AskForm. Its
// fields are strings, numbers, booleans, enums and lists of enums; doc comments and
// jsonschema tags describe them. The line comment of each constant of an enum is
// the title of that choice.
type Form struct{}

// TypeOf maps a Go type to a JSON type in the whole package: in arguments and results of
// tools, in forms, and in resources that are JSON. The reading function takes a string, int64,
// float64 or bool and returns the Go type and an error; the writing function takes the Go type and returns the
// same JSON type. A package that only reads or only writes the type needs one of the two. The mapping has precedence
// over methods of the type, over //mcp:enum, and over built-in rules such as that for time.Time. Keys of maps,
// variables of templates and arguments of prompts are not mapped. Keywords of a jsonschema tag that limit
// values are errors on a field of such a type, because the reading function decides which values are valid.
type TypeOf struct {
	// Format is the format keyword in schemas, for strings. It may stand on either function.
	Format String `option:"format" eg:"uri"`
	// Desc is the description in schemas of values without another one. It may stand on either function.
	Desc Text `option:"desc" eg:"\"absolute address\""`
}
