package feature

import (
	"cmp"
	"encoding/json"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/access"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Extension declares an extension of the protocol that a program defines (SEP-2133), and serves its methods.
type Extension struct {
	// ID is a vendor prefix and a name: com.example/locks.
	ID string
	// Settings returns the settings that the server declares, a JSON object; nil means that it has none. It is called
	// once, when the server is made.
	Settings func() (json.RawMessage, error)
	// Revisions are the versions of the extension that the server speaks, as dates, oldest first; none for an extension
	// without versions. The server lists them in its settings, as "revisions". A client names the one that it speaks in
	// its own settings, as "revision"; a client that names none speaks the first.
	Revisions []string
	// Methods are the requests and notifications that clients may send.
	Methods []Method
	// Features are the guarded features of the extension that are not methods, such as events.
	Features []Guarded
	// Declared are the revisions of the protocol in which the server declares the extension. Top is the name of a further
	// member of the capabilities, in which clients in use look for the extension; "" for none.
	Declared RevisionRange
	Top      string
	// Filters are the members that the extension adds to the filter of subscriptions/listen.
	Filters []Filter
	// Subjects says that a part of the extension is for callers with a subject only.
	Subjects bool
	// Attach is called once, by the constructor of each server with the extension. It returns the extension that the
	// server uses in place of this one. A nil Attach is for an extension that needs nothing of its server.
	Attach func(h *Host) (Extension, Attachment, error)
	// Joins is what this server contributes if several members of a joined server have the extension; nil means that only
	// one member can have the extension.
	Joins JoinableExtension
}

// Filter is a member that an extension adds to the filter of subscriptions/listen. A client that sends the member gets
// what the extension publishes on the topics of the member's value.
type Filter struct {
	// Name is the name of the member. No two filters of a server have the same name.
	Name string
	// Since is the first version of the extension with the filter; "" for all.
	Since string
	// Guard has the access rules; nil means none. For a caller that they refuse, the listen goes on without the member.
	// They are checked again before each notification.
	Guard *access.Guard
	// Undeclared makes the filter serve clients too that have not declared the extension.
	Undeclared bool
	// Topics returns the names of the topics that a value of the member follows; without topics the listen goes on without
	// the member. value is valid JSON. The error is the response to the listen.
	Topics func(c *call.Call, value []byte) ([]string, error)
}

// JoinableExtension is what one member of a joined server contributes to an extension.
type JoinableExtension interface {
	// With returns the extension of a server that has what both contribute.
	With(other JoinableExtension) (Extension, error)
}

// Method is a request or a notification of an extension.
type Method struct {
	// Name is the method on the wire. No two methods of a server have the same name.
	Name string
	// Revisions are the revisions of the protocol in which the method exists.
	Revisions RevisionRange
	// Since is the first version of the extension with the method; "" for all.
	Since string
	// Guard has the access rules, limits and middleware; nil means none.
	Guard *access.Guard
	// Notification marks a method without a response.
	Notification bool
	// Undeclared makes the method serve clients too that have not declared the extension.
	Undeclared bool
	// Logs declares that Call sends log messages to clients.
	Logs bool
	// Target returns the target of a request for its audit record. If Target is nil or returns "", the target is Name.
	Target func(params []byte) string
	// Stays declares that Call may go on for as long as the client likes.
	Stays bool
	// Call runs the method. params is the JSON object that the client sent, without _meta; {} if it sent none. It is valid
	// JSON, but not checked against a schema, and may be kept. The result is a JSON object.
	Call func(c *call.Call, params []byte) (json.RawMessage, error)

	Whole bool // the result may have the members that all results have
}

// AuditTarget returns the target of a request for its audit record.
func (m *Method) AuditTarget(params []byte) string {
	if m.Target != nil {
		return cmp.Or(m.Target(params), m.Name)
	}
	return m.Name
}

// Extensions are the extensions of a server. It is an interface, so that servers without any do not link their code.
type Extensions interface {
	// Check reports contradictions.
	Check() error
	// Add returns the extensions of both. It fails if two have the same method, or the same id and no Joins to unite them.
	Add(other Extensions) (Extensions, error)
	// Features calls yield for each method, each of Extension.Features and each filter.
	Features(yield func(Feature))
	// Declare adds the extensions to what a server tells clients of rev.
	Declare(c *protocol.ServerCapabilities, rev protocol.Revision)
	// DeclaredBy returns the extensions that a legacy client has declared, and their settings.
	DeclaredBy(c *protocol.ClientCapabilities) (call.ExtensionSet, *call.ClientSettings)
	// ClientSettings returns the settings that the client of a request has declared with an extension, if it has.
	ClientSettings(call *call.Call, id string) (text string, declared bool)
	// Revision returns the version of an extension that the client of a request speaks. The error is for the client.
	Revision(call *call.Call, id string) (string, error)
	// SettingsFor adds to out, by id, the settings that the client of a request has declared for extensions of the server.
	SettingsFor(call *call.Call, out *wire.Map[json.RawMessage])
	// StateOf returns what a client has declared in the form that other processes get. OfState reads that form.
	StateOf(set call.ExtensionSet, settings *call.ClientSettings) []DeclaredExtension
	OfState(state []DeclaredExtension) (call.ExtensionSet, *call.ClientSettings)
	// Notifies reports whether method is a notification of an extension.
	Notifies(method []byte) bool
}

// DeclaredExtension is an extension that the client of a session has declared.
type DeclaredExtension struct {
	Key      uint32 // made out of its id
	Settings string // a JSON object, "" for one without members; at most [call.MaxClientSettings] bytes in a session
}
