package ir

import "github.com/mcpgen/mcpgen/internal/diag"

// ServerExtension is an extension of the protocol that a server defines.
type ServerExtension struct {
	Pos diag.Pos
	// ID is a vendor prefix and a name.
	ID string
	// Revisions are the versions that the server speaks, oldest first; none if it has no versions.
	Revisions []string
	// Description is the doc comment of the variable.
	Description string
	Settings    Settings
	// SettingsSchema is the JSON schema of the settings; empty if nothing is known about them.
	SettingsSchema string
	// Methods are in the order of the source.
	Methods []*ServerMethod
	// Notifications are those that the server sends, in the order of the source.
	Notifications []*ServerNotification
}

// ServerNotification is a notification of an extension that the server sends: a struct with its params.
type ServerNotification struct {
	Pos diag.Pos
	// Name is the method on the wire, and Description the doc comment.
	Name, Description string
	// Since is the first version of the extension with the notification; "" for all.
	Since string
	// Topic is the field with the name of its topic, TopicText whether that is a plain string; "" for a notification that
	// is sent within requests only. Publish is the method of the server that sends it to who follows the topic.
	Topic     string
	TopicText bool
	Publish   string
	Type      *GoType
	// File is the base name of its source.
	File string
	// Encode writes the params; nil leaves that to encoding/json. Schema is their JSON schema.
	Encode *Encoder
	Schema string
}

// Settings is the variable with the settings of a capability.
type Settings struct {
	// File and Var are where it stands and what it is called.
	File, Var string
	// None says that there are no settings: the variable is an empty struct.
	None bool
	// Encode writes it; nil leaves that to encoding/json.
	Encode *Encoder
}

// ServerMethod is a request or a notification of an extension.
type ServerMethod struct {
	Pos    diag.Pos
	Callee Callee
	// Name is the method on the wire, and Description the doc comment.
	Name, Description string
	// Notification says that it has no response, Undeclared that clients need not declare the extension. Filter says that
	// it is a member of the filter of subscriptions/listen, whose result is topics.
	Notification, Undeclared, Filter bool
	// Rules are what it asks of its callers; nil for nothing.
	Rules *Rules
	// Since is the first version of the extension with the method; "" for all.
	Since string
	// Revisions is the range of protocol revisions that have it.
	Revisions Proto
	// Args is the struct of the params; nil if it takes none.
	Args *ArgStruct
	// Returns says that there is a result besides the error, OutPointer that it is a pointer. Encode writes it; nil
	// leaves that to encoding/json.
	Returns, OutPointer bool
	Encode              *Encoder
	// ParamsSchema and ResultSchema are JSON text. A notification has no ResultSchema.
	ParamsSchema, ResultSchema string
	// Serve is the generated function: serveAcquire.
	Serve string
}

// Experimental is an experimental capability.
type Experimental struct {
	Pos      diag.Pos
	Name     string
	Settings Settings
}
