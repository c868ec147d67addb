package ir

import (
	"slices"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/uritemplate"
)

// GoPackage is everything that mcpgen found out about one annotated Go package: what its mcp_gen.go
// is written from. Slices are in the order of the output; names of generated declarations have been
// computed and are free.
type GoPackage struct {
	// Path and Name are the import path and the package name.
	Path, Name string
	// Dir is the folder that mcp_gen.go goes to.
	Dir string
	// Sources are the base names of the files with directives, sorted.
	Sources []string
	// Declared are the identifiers that the user's files declare at package level, sorted: imports
	// of the output must not take them.
	Declared []string
	// Servers are the servers of the package, in source order.
	Servers []*Server
	// Forms are the structs that users fill in.
	Forms []*Form
	// Args are the structs that tools take, each once, with the structs they hold.
	Args []*ArgStruct
	// Encoders write the types that tools and resources return, each once, with the structs they hold.
	Encoders []*Encoder
	// Patterns are the regular expressions of the inputs, in the order of their first use.
	Patterns []Pattern
	// Guards are the annotated functions whose signatures the output relies on, in source order.
	Guards []Guard
}

// CalleeKind says how generated code reaches an annotated declaration.
type CalleeKind uint8

// The kinds of callees.
const (
	CalleeMethod CalleeKind = iota + 1
	CalleeFunc
	CalleeVar
	CalleeConst
	CalleeType // an annotated struct: Resource.Struct says how it is served
)

// Callee is an annotated declaration.
type Callee struct {
	Kind CalleeKind
	// Recv is the field of the Impl struct for a method, with the embedded fields that lead to the receiver.
	Recv string
	// Name is the Go name.
	Name string
	// File is the base name of its source, and Decl how comments call it: (*Notes).Note, Readme.
	File, Decl string
	// Params are the arguments after the context, in order.
	Params []Param
	// Type is the type of a variable or constant; nil for functions and methods.
	Type *GoType
}

// Takes reports whether c has an argument of a kind.
func (c *Callee) Takes(kind ParamKind) bool {
	return slices.ContainsFunc(c.Params, func(p Param) bool { return p.Kind == kind })
}

// ParamKind says where an argument comes from.
type ParamKind uint8

// The kinds of arguments.
const (
	ParamVar      ParamKind = iota + 1 // a template variable
	ParamPrefix                        // what the user has typed, in a completer
	ParamGiven                         // an earlier variable, in a completer
	ParamPage                          // mcp.Page, in a lister
	ParamArgs                          // the argument struct of a tool
	ParamArg                           // one argument of a tool
	ParamVarsOf                        // a struct whose fields are the template variables
	ParamCall                          // *mcp.Call
	ParamCaller                        // mcp.Caller
	ParamProgress                      // mcp.Progress
	ParamLogger                        // *slog.Logger
	ParamClient                        // mcp.Client
	ParamFile                          // fs.File, the file below the root
)

// Param is one argument of a callee.
type Param struct {
	Kind ParamKind
	// Var is the place of the variable in Resource.Vars for ParamVar and ParamGiven.
	Var int
	// Type is the type of the parameter.
	Type *GoType
	// Field is the field of the arguments of a tool for ParamArg.
	Field string
	// Fields are the fields of a ParamVarsOf struct that hold variables, in the order of the struct.
	Fields []VarField
}

// VarField is a field of a struct of variables; Var is the place in Resource.Vars.
type VarField struct {
	Name string
	Var  int
}

// Resource is one declared resource or template.
type Resource struct {
	Pos    diag.Pos
	Callee Callee
	// URI is the literal URI, or the template as it was written.
	URI string
	// Template is the parsed template; nil for a literal.
	Template *uritemplate.Template
	// Vars are the variables in the order of the template.
	Vars []*Var
	// Name, Title, Description and MIME are what lists show.
	Name, Title, Description, MIME string
	// Size is the declared size; -1 for none. SizeOf says that it is the length of the variable.
	Size   int64
	SizeOf bool
	// Audience holds roles, Priority is nil for none, Modified is empty for none.
	Audience []string
	Priority *float64
	Modified string
	Icons    []Icon
	Meta     []MetaEntry
	Cache    CachePolicy
	// Rules are what it asks of its callers; nil for nothing.
	Rules *Rules
	// Proto is the range of protocol revisions that offer it; Toggle the method that switches it on and
	// off, empty for none.
	Proto  Proto
	Toggle string
	// Tags are what a program chooses by.
	Tags []string
	// Subscribe says that clients may subscribe.
	Subscribe bool
	// Result says how the result of the callee becomes contents, and Encode writes a ResultJSON; nil
	// leaves that to encoding/json. OutPointer says that the result is a pointer.
	Result     ResultKind
	Encode     *Encoder
	OutPointer bool
	// Fixed says that the content cannot change: a constant or an embedded file.
	Fixed bool
	// List, Watch and Completers are the functions that belong to it; nil or empty for none.
	List       *ListSource
	Watch      *Callee
	Completers []Completer
	// Struct says how the values of a struct are served; nil if the callee is no struct.
	Struct *ResourceStruct
	// Root says where the instances are if they are files; nil for other resources.
	Root *FileRoot
	// PollMillis is how often the content is compared with what it was while somebody is
	// subscribed; 0 for never.
	PollMillis int64
	// Aliases are further addresses of the same function, which are resources of their own. Their
	// variables have the parameters that those of this one have.
	Aliases []*Resource
	// AliasOf is the resource that this one is a further address of; nil for none.
	AliasOf *Resource
	// Names are the generated identifiers.
	Names ResourceNames
}

// FileRoot is the directory that the instances of a template lie in.
type FileRoot struct {
	// Recv and Name are the field of the Impl struct and the field of it that holds the *os.Root. With
	// an empty Recv, Name is a variable of the package.
	Recv, Name string
	// Path is the place in Resource.Vars of the variable that is the path of the file.
	Path int
	// Directory says that directories can be read.
	Directory bool
	// Files is the generated method that describes the files.
	Files string
}

// ResourceNames are the identifiers generated for a resource Note: NoteURI, ParseNoteURI, NoteRef,
// NoteUpdated, NoteListChanged, noteVars, topicNote, noteEntry, readNote, watchNote, listNote. Those that the
// resource does not need are empty.
type ResourceNames struct {
	URI, Parse, Ref, Updated, ListChanged string
	Vars, Topic, Entry, Read, Watch, List string
	// Append is the function that appends a URI to a buffer, appendNoteURI: lists and topics are made with it.
	Append string
	// Place is the constant for the place of the resource in those of its server, notesNote.
	Place string
}

// ResultKind says how the result of a reader becomes contents.
type ResultKind uint8

// The kinds of results; the name of the runtime function follows.
const (
	ResultText       ResultKind = iota + 1 // string: mcprt.AsText
	ResultBlob                             // []byte: mcprt.AsBlob
	ResultTextBytes                        // []byte with a textual MIME type: mcprt.AsTextBytes
	ResultStream                           // io.Reader: mcprt.AsStream
	ResultTextStream                       // io.Reader with a textual MIME type: mcprt.AsTextStream
	ResultJSON                             // any value as JSON: mcprt.AsJSON
	ResultMarshaler                        // encoding.TextMarshaler: mcprt.AsMarshaler
	ResultContent                          // mcp.Content: mcprt.AsContent
	ResultContents                         // []mcp.Content: mcprt.AsContents
	ResultContentSeq                       // iter.Seq2[mcp.Content, error]: mcprt.AsContentSeq
	ResultRaw                              // mcp.Contents, as it is
)

// Icon is one icon of a feature, as its directive says.
type Icon struct {
	Src, MIME string
	Sizes     []string
	Theme     string
}

// MetaEntry is one member of _meta; Value is JSON text.
type MetaEntry struct{ Key, Value string }

// CachePolicy is how long clients may keep an answer.
type CachePolicy struct {
	// TTLMillis is the time in milliseconds.
	TTLMillis int64
	Public    bool
}

// ListSource is the function that lists the instances of a template.
type ListSource struct {
	Callee Callee
	// Paged says that it takes an mcp.Page and keeps its own cursor; else it returns a sequence.
	Paged bool
	// Changes says that the list can change while the server runs.
	Changes bool
	// Enum says that there is no function: the instances are all values of the variables.
	Enum bool
	// Walk says that there is no function: the instances are the files below the root.
	Walk bool
	// Page is the most entries on one page; 0 leaves it to the server.
	Page int
}

// Completer is one source of proposals for a variable.
type Completer struct {
	// Var is the place of the variable in Resource.Vars.
	Var int
	// Callee is the function; nil if Values are all there are.
	Callee *Callee
	// Values are the constants of an enum, or true and false.
	Values []string
	// Listed says that the values are those of the listed instances.
	Listed bool
	// Name is the generated method.
	Name string
}

// Tool is one declared tool.
type Tool struct {
	Pos    diag.Pos
	Callee Callee
	// Name, Title and Description are what tools/list shows.
	Name, Title, Description string
	// ReadOnly, Destructive, Idempotent and OpenWorld are hints; nil for unsaid.
	ReadOnly, Destructive, Idempotent, OpenWorld *bool
	Icons                                        []Icon
	Meta                                         []MetaEntry
	// InputSchema and OutputSchema are JSON text; OutputSchema is empty for none.
	InputSchema, OutputSchema string
	// Place is the constant for the place of the tool in those of its server, notesSearchTool.
	Place string
	// Rules are what it asks of its callers; nil for nothing.
	Rules *Rules
	// Args is the argument struct; nil if the tool takes none.
	Args *ArgStruct
	// RawArgs says that the tool takes its arguments as JSON text, whose schema was given.
	RawArgs bool
	// Result says how the result becomes a tool result.
	Result ToolResultKind
	// Proto is the range of protocol revisions that offer it; Toggle the method that switches it on and
	// off, empty for none.
	Proto  Proto
	Toggle string
	// Tags are what a program chooses by.
	Tags []string
	// Encode writes a ToolStructured or a ToolWrapped; nil leaves that to encoding/json. OutPointer says that the result
	// is a pointer, which may be nil.
	Encode     *Encoder
	OutPointer bool
	// Touches are the resources that a successful call changes.
	Touches []Touch
	// CallName is the generated method: callSearch.
	CallName string
	// Reads is the template that the tool reads, instead of calling something; nil for declared tools. CallName is then
	// the function that makes a URI of the arguments.
	Reads *Resource
}

// Proto is a range of protocol revisions by date; an empty end is open. Off says that there is none: the
// feature is not part of this version of the server.
type Proto struct {
	From, To string
	Off      bool
}

// Touch is a resource that a tool changes.
type Touch struct {
	Resource *Resource
	// Args are the values of the variables, in the order of Resource.Vars.
	Args []TouchArg
}

// TouchArg is where the value of a variable comes from after a call.
type TouchArg struct {
	// From is "in" or "out", the struct; empty leaves the variable out of the URI.
	From string
	// Field is the selector of the field.
	Field string
	// Convert says that the field has another type with the same values.
	Convert bool
}

// ToolResultKind says how the result of a tool becomes a tool result.
type ToolResultKind uint8

// The kinds of tool results; the name of the runtime function follows.
const (
	ToolText       ToolResultKind = iota + 1 // string: mcprt.AsToolText
	ToolStructured                           // struct: mcprt.AsStructured
	ToolDone                                 // error alone: mcprt.AsDone
	ToolRaw                                  // mcp.ToolResult, as it is
	ToolBlock                                // mcp.Block: mcprt.AsBlock
	ToolBlocks                               // []mcp.Block: mcprt.AsBlocks
	ToolWrapped                              // number, boolean, time, list: mcprt.AsResult
)

// Guard is a function whose signature the output relies on.
type Guard struct {
	// Name is the identifier whose text tells what to do:
	// signature_of_Notes_Note_changed__run_go_generate.
	Name string
	// Expr is the function as a value: (*Notes).Note is Recv *Notes, Func Note.
	Recv *GoType
	Func string
	// Type is the signature, with the receiver as first parameter.
	Type *GoType
}
