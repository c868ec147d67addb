package ir

// Protocol is the merged protocol of a set of revisions.
type Protocol struct {
	Revisions []Revision // oldest first
	Groups    []string   // names of the files that types are spread over, in order
	Structs   []*Struct
	Enums     []*Enum
	Unions    []*Union
	Aliases   []*Alias
	Methods   []*Method
	Codes     []*Code
	// EmptyResult is the Go name of the struct for a result without content.
	EmptyResult string
	// Extension is what the package of an extension has beyond that of the core, nil for the core.
	Extension *Extension
}

// Extension says which extension a package is for. Its names of types of the core are qualified with the import path.
type Extension struct {
	ID    string // such as io.modelcontextprotocol/tasks
	Path  string // import path of the package of the core
	Name  string // name of that package
	Since string // Go name of the first revision of the core that has the extension
}

// Core returns the qualified name of something that the package of the core declares.
func (e *Extension) Core(name string) string { return e.Path + "." + name }

// All returns the set of all revisions.
func (p *Protocol) All() Revs { return 1<<len(p.Revisions) - 1 }

// Revision is one dated version of the protocol.
type Revision struct {
	Date string // YYYY-MM-DD
	Go   string // name of its constant
	// Core is the constant of the revision of the core that a version of an extension extends; "" for the core.
	Core string
}

// Struct is a JSON object with known members.
type Struct struct {
	Go      string
	Schema  string // definition name
	Doc     string
	Group   string
	Revs    Revs
	Fields  []*Field // in the order of encoding
	Markers []string // interfaces that its pointer implements: unions and replies
}

// Field is one member of a Struct.
type Field struct {
	Go       string // also set where Const is, but unused as a field name then
	JSON     string
	Doc      string
	Type     *Type
	Const    string // the value of a member that is always written and has no Go field
	Default  string // written for an empty required string
	Revs     Revs
	Required Revs
	Narrow   []Narrow
	// Widens is a field of older revisions whose values this one can have too. Code that sets only that one is written
	// in the newer revisions as before.
	Widens *Field
	Nth    int // place among the fields of its property; 0 unless later revisions have other types
}

// Narrow says that some revisions accept only part of the values of a field of type KindAny
// or KindObject. The encoder leaves out a value that does not fit.
type Narrow struct {
	Revs   Revs
	Strict bool   // the decoder refuses what does not fit
	Member string // this member of the object must have the string Value; "" if only an object is asked for
	Value  string
}

// Enum is an open set of string constants.
type Enum struct {
	Go     string
	Schema string
	Doc    string
	Group  string
	Revs   Revs
	Values []EnumValue
}

// EnumValue is one known value of an Enum.
type EnumValue struct {
	Go    string
	Value string
	Doc   string
	Revs  Revs
}

// Alias is another name of a type.
type Alias struct {
	Go     string
	Schema string
	Doc    string
	Group  string
	Type   *Type
	Revs   Revs
}

// MethodSide says who sends a method.
type MethodSide uint8

// The senders of a method. FromBoth is their union.
const (
	FromClient MethodSide = 1 << iota
	FromServer
	FromBoth = FromClient | FromServer
)

// Method is a request or a notification.
type Method struct {
	Name         string // on the wire
	Const        string // Go name of its constant
	Go           string // name of its handler method
	Doc          string
	Notification bool
	From         MethodSide
	Revs         Revs
	ClientRevs   Revs       // revisions in which a client sends it and the dispatcher has it
	Note         string     // says which these are, "" for all
	ServerRevs   Revs       // revisions in which a server sends it and the dispatcher has it
	ServerNote   string     // says which these are, "" for all
	Params       string     // Go name of a struct or union
	Union        bool       // Params is a union
	Reply        string     // Go name of the reply interface
	Marker       string     // its marker method
	Results      []string   // Go names of the structs that are replies
	By           []Decision // tells them apart; each revision of ClientRevs and ServerRevs is in one of them
}

// Code is a JSON-RPC error code that the schemas name.
type Code struct {
	Go    string
	Value string
	Doc   string
	Revs  Revs
}
