package feature

import (
	"context"
	"iter"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/access"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/uri"
)

// Resource is a resource with a literal URI or a template, with the functions that serve it. Exactly one of Entry and
// Template is set, and exactly one of Static, Read and Value.
type Resource struct {
	// Entry is the entry in resources/list.
	Entry *protocol.Resource
	// Template is the entry in resources/templates/list.
	Template *protocol.ResourceTemplate
	// AliasOf is the URI or template of the resource that this one is an alias of; empty means none. Both share their
	// subscribers, so Topic returns URIs of the other resource. Their limits count together.
	AliasOf string
	// Revisions are the revisions of the protocol in which the resource exists.
	Revisions RevisionRange
	// Tags are the tags for Options.OnlyTags and ExceptTags of the server.
	Tags []string
	// Extension is the identifier of the extension of the protocol that the resource belongs to; empty means none. The
	// server declares it.
	Extension string
	// Cache is how long clients may cache the content.
	Cache Cache
	// Guard has the access rules, limits and middleware; nil means none.
	Guard *access.Guard

	// Static is the content of a resource that never changes.
	Static content.Contents
	// Read returns the content. The URI and the variables are in c.
	Read func(c *call.Call) (content.Contents, error)
	// Asks declares that Read may send requests to the client and wait for the answers.
	Asks bool
	// Value is a holder or a store, which is read instead and publishes its changes.
	Value LiveValue

	// ListChanges declares that the list with the resource may change at run time.
	ListChanges bool
	// Logs declares that the functions of the resource send log messages to clients.
	Logs bool
	// Subscribe declares that clients may subscribe to updates.
	Subscribe bool
	// Topic appends the canonical URI for these variables, or returns the error of a variable. URIs with one canonical URI
	// share their subscribers. It must not block. Without it the variables are compared as texts.
	Topic func(b []byte, v *uri.Vars) ([]byte, error)
	// Watch is the watch function; nil means none. It is called when the first client subscribes to a URI, before the
	// subscription is confirmed. The sequence runs until the last subscriber has left, when c ends. Each value publishes
	// an update. Each error does too, and is logged. If a sequence ends earlier or panics, that is logged and Watch is
	// called again: after two seconds, then after longer pauses of up to a minute. An update is published then, because
	// changes in between are unknown. A nil sequence reports nothing.
	Watch func(c *call.Call) (iter.Seq2[time.Time, error], error)

	// List adds the instances of a template to resources/list; nil adds none. For a literal URI it yields the resource
	// itself, with its current description.
	List Instances
	// CheckVars reports what is wrong with the variables of a URI. Lists use it to leave out instances that nobody could
	// read; those are logged.
	CheckVars func(v *uri.Vars) error
	// ListPage is the largest number of entries of List on one page of resources/list; 0 means no limit of its own.
	ListPage int
	// Complete completes variables of the template.
	Complete []Completer
}

// URI is the URI of the declaration, or its template.
func (r *Resource) URI() string {
	if r.Entry != nil {
		return r.Entry.URI
	}
	return r.Template.URITemplate
}

// ways counts the ways in which r can be read, of which there must be one.
func (r *Resource) ways() int {
	n := 0
	for _, has := range []bool{content.ValueOf(&r.Static).Kind != content.KindNone, r.Read != nil, r.Value != nil} {
		if has {
			n++
		}
	}
	return n
}

// Reader returns the function that reads r; nil if its content is fixed.
func (r *Resource) Reader() func(c *call.Call) (content.Contents, error) {
	if r.Value != nil {
		return r.Value.Read
	}
	return r.Read
}

// WrongVars returns what is wrong with the variables of a URI of r; nil if nothing is wrong or it cannot be checked.
func (r *Resource) WrongVars(v *uri.Vars) error {
	if r.CheckVars == nil {
		return nil
	}
	return r.CheckVars(v)
}

// CheckVars makes a function for [Resource].CheckVars from read, which parses the variables. It is not inlined, so that
// its closure is compiled once for variables of the same types.
//
//go:noinline
func CheckVars[T any](read func(v *uri.Vars) (T, error)) func(v *uri.Vars) error {
	return func(v *uri.Vars) error {
		_, err := read(v)
		return err
	}
}

// LiveValue is a value that lives in the program and that clients read: a Holder or a Store. The
// servers that serve it tell their clients when it changes.
type LiveValue interface {
	Instances
	// Read answers a client.
	Read(c *call.Call) (content.Contents, error)
	// Attach makes p publish changes; listed says that its lists show the value.
	Attach(p Publisher, listed bool)
	// Detach ends what Attach began.
	Detach(p Publisher)
	// Loadable says whether the value is loaded again when another replica has changed it.
	Loadable() Loading
	// Reload loads the part of the value that is at uri, and ReloadAll the whole value, because another replica may have
	// changed it. Both publish the differences.
	Reload(ctx context.Context, uri string) error
	ReloadAll(ctx context.Context) error
}

// Publisher is a server as its live values see it.
type Publisher interface {
	// PublishLive tells clients that the resource at uri may have changed. If list is true, it also tells them that lists
	// of resources may have changed. It tells the other replicas too; if reloaded is true, the change came from one of
	// them, so that they need not load the value again. It never blocks.
	PublishLive(uri string, list, reloaded bool)
}

// Loading is whether a live value is loaded again when another replica has changed it.
type Loading uint8

// The values of Loading.
const (
	LoadsNever Loading = iota
	LoadsLocal         // never, because the value belongs to this replica alone
	LoadsAgain
)

// MIMEType returns the MIME type of the declaration.
func (r *Resource) MIMEType() string {
	if r.Entry != nil {
		return r.Entry.MIMEType
	}
	return r.Template.MIMEType
}
