package ir

import (
	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/uritemplate"
)

// ListChanges reports whether the list that shows r may change while clients are served.
func (r *Resource) ListChanges() bool { return r.Toggle != "" || r.List != nil && r.List.Changes }

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
	// Event tells of its updates as events; nil for none.
	Event *ResourceEvent
	// Result says how the result of the callee becomes contents, and Encode writes a ResultJSON; nil
	// leaves that to encoding/json. OutPointer says that the result is a pointer.
	Result     ResultKind
	Encode     *Encoder
	OutPointer bool
	// Fixed says that the content cannot change: a constant or an embedded file.
	Fixed bool
	// SkillFile says that it is a file of a skill, which is no resource of the output.
	SkillFile bool
	// App says that the resource is the page of an app; nil for other resources.
	App *App
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
// NoteUpdated, NoteListChanged, NoteVars, readNoteVars, topicNote, noteEntry, readNote, watchNote, listNote. Those that
// the resource does not need are empty.
type ResourceNames struct {
	URI, Parse, Ref, Updated, ListChanged string
	Topic, Entry, Read, Watch, List       string
	// Vars is the struct of the variables, and ReadVars the function that fills it. For the arguments of a prompt there
	// is the function alone.
	Vars, ReadVars string
	// Append is the function that appends a URI to a buffer, appendNoteURI: lists and topics are made with it.
	Append string
	// Place is the constant for the place of the resource in those of its server, notesNote; empty if the server has no
	// templates.
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
