package call

import (
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/counters"
	"github.com/mcpgen/mcpgen/mcp/internal/engine"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/internal/seal"
	"github.com/mcpgen/mcpgen/mcp/stats"
)

// Conn has what all calls of one client share.
type Conn struct {
	Shared *Shared
	Owner  Owner
	Log    *slog.Logger

	Calls    engine.Calls[*Call]
	Requests engine.ClientRequests
	Ended    engine.Latch // input has ended or nothing can be written any more
	Serial   uint64       // identifies the Conn; 0 for one with a single request

	// What the client of an older revision has declared in initialize, and set since.
	Declared   atomic.Uint32                  // a ClientCapability
	Extensions atomic.Uint32                  // an ExtensionSet
	Settings   atomic.Pointer[ClientSettings] // of those extensions; nil for none
	LogLevel   atomic.Int64                   // a slog.Level: that of logging/setLevel
}

// Owner is what a [Conn] is a part of: a connection, a session or a single exchange.
type Owner interface {
	// Send writes a message that belongs to no request.
	Send(frame []byte)
	// QuestionPrefix is how the ids of requests to the client begin; "" for numbers.
	QuestionPrefix() string
	// ClientSettings returns the settings that the client of a request has declared with an extension, if it has.
	ClientSettings(c *Call, id string) (text string, declared bool)
	// ExtensionRevision returns the version of an extension that the client of a request speaks; "" for one that the
	// server does not have. The error is for the client.
	ExtensionRevision(c *Call, id string) (string, error)
	// ClientName returns name and version of the client of a session, as initialize gives them; nil if they are not known.
	ClientName() *string
}

// Publisher is the server that a call came to. It publishes the changes that handlers report.
type Publisher interface {
	ResourceUpdated(uri, subject string) // subject is that of the call that has caused it; "" for none
	ResourceListChanged()
}

// Shared has what all calls of one server share. Once there are calls, only fields with synchronization of their own
// change.
type Shared struct {
	Name         string                    // of the server
	Meta         protocol.ResultMetaObject // of results from 2026-07-28 on
	Logs         bool                      // clients may have log messages
	Tasks        bool                      // a call may run the handler of a task
	AskTimeout   time.Duration             // how long a question stays open
	MaxInFlight  int                       // calls of one Conn that run at once
	MaxQuestions int                       // calls of one Conn that wait for an answer of the client
	MaxFileBytes int64                     // of a file that is read for one request; 0 for the default
	Seal         seal.Box                  // of what passes through clients
	Counts       counters.Counters
	Observer     stats.Observer // nil for none
	Publisher    Publisher
	LatePolicies atomic.Int64 // policies that still run, but whose result nobody waits for

	// UseState marks a request state as used; nil if the server does not remember used states.
	UseState atomic.Pointer[func(c *Call, state string) (giveBack func(), err error)]
}

// ResultMeta returns the _meta of results, which names the server in modern revisions.
func (s *Shared) ResultMeta(rev protocol.Revision) *protocol.ResultMetaObject {
	if !era.IsModern(rev) {
		return nil
	}
	return &s.Meta
}

// ClientSettings are the settings that a client has declared for extensions in initialize. The index is that of the
// extension in the server. Settings without members are "".
type ClientSettings []string

// Of returns the settings of the i-th extension. The receiver may be nil.
func (all *ClientSettings) Of(i int) string {
	if all == nil || i >= len(*all) {
		return ""
	}
	return (*all)[i]
}

// With sets the settings of the i-th of n extensions, and returns the receiver. For a nil receiver it returns new
// settings. It does nothing if text is "".
func (all *ClientSettings) With(i int, text string, n int) *ClientSettings {
	if text == "" {
		return all
	}
	if all == nil {
		list := make(ClientSettings, n)
		all = &list
	}
	(*all)[i] = text
	return all
}

// ExtensionSet is a set of extensions of a server: bit i is the i-th extension.
type ExtensionSet uint32

// Has reports whether the i-th extension is in s.
func (s ExtensionSet) Has(i int) bool { return s>>i&1 == 1 }
