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
	// AliasOf is the URI or template of the resource that this one is an alias of; empty means none. Both have the same
	// subscribers, so Topic must return URIs of the other resource. Their limits count together.
	AliasOf string
	// Revisions are the revisions of the protocol in which the resource exists.
	Revisions RevisionRange
	// Tags are the tags for Options.OnlyTags and ExceptTags of the server.
	Tags []string
	// Extension is the identifier of the extension of the protocol to which the resource belongs; empty means none. A
	// server with the resource declares the extension.
	Extension string
	// Cache is how long clients may cache the content.
	Cache Cache
	// Guard has the access rules, limits and middleware; nil means none.
	Guard *access.Guard

	// Static is the content of a resource that never changes; nil for others.
	Static *content.Contents
	// Read returns the content. It gets the URI and the variables from c.
	Read func(c *call.Call) (content.Contents, error)
	// Value is a holder or a store that has the content and publishes its changes.
	Value LiveValue

	// Asks declares that Read may send requests to the client and wait for the answers.
	Asks bool
	// ListChanges declares that the list with the resource may change at run time.
	ListChanges bool
	// Logs declares that the functions of the resource send log messages to clients.
	Logs bool
	// Subscribe declares that clients may subscribe to updates.
	Subscribe bool
	// Topic appends the canonical URI for these variables to b, or returns the error of a variable. URIs with the same
	// canonical URI have the same subscribers. Topic must not block. If it is nil, URIs are the same if their variables
	// are equal texts.
	Topic func(b []byte, v *uri.Vars) ([]byte, error)
	// Watch is the watch function; nil means none. It is called when the first client subscribes to a URI, before the
	// subscription is confirmed. The sequence runs until c ends, when the last subscriber has left. Each value publishes
	// an update. Each error publishes an update and is logged. If a sequence ends earlier or panics, this is logged and
	// Watch is called again: after two seconds, then after longer pauses of up to a minute. Then an update is published,
	// because there may have been changes in the pause. A nil sequence means that there is nothing to watch.
	Watch func(c *call.Call) (iter.Seq2[time.Time, error], error)

	// List has the instances of a template for resources/list; nil for none. For a literal URI it has only the resource
	// itself, with its current description.
	List Instances
	// CheckVars returns an error if the variables of a URI are not valid. Lists call it to find instances that nobody
	// could read. They leave these out and log them.
	CheckVars func(v *uri.Vars) error
	// ListPage is the largest number of entries of List on one page of resources/list; 0 means no limit of its own.
	ListPage int
	// Complete completes variables of the template.
	Complete []Completer
}

// URI returns the declared URI of r, or its template.
func (r *Resource) URI() string {
	if r.Entry != nil {
		return r.Entry.URI
	}
	return r.Template.URITemplate
}

// ways returns how many of Static, Read and Value are set. It must be one.
func (r *Resource) ways() int {
	n := 0
	for _, has := range []bool{r.Static != nil, r.Read != nil, r.Value != nil} {
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

// WrongVars returns the error of r.CheckVars for the variables of a URI of r; nil without CheckVars.
func (r *Resource) WrongVars(v *uri.Vars) error {
	if r.CheckVars == nil {
		return nil
	}
	return r.CheckVars(v)
}

// CheckVars returns a function for [Resource].CheckVars that calls read, which parses the variables. It is not inlined,
// so that its closure is compiled once for variables of the same types.
//
//go:noinline
func CheckVars[T any](read func(v *uri.Vars) (T, error)) func(v *uri.Vars) error {
	return func(v *uri.Vars) error {
		_, err := read(v)
		return err
	}
}

// LiveValue is a value of the program that clients can read: a Holder or a Store. The servers that serve it tell their
// clients when it changes.
type LiveValue interface {
	Instances
	// Read returns the contents for a request to read the resource.
	Read(c *call.Call) (content.Contents, error)
	// Attach makes p publish the changes of the value. listed says that the value has entries in the lists of p.
	Attach(p Publisher, listed bool)
	// Detach undoes Attach.
	Detach(p Publisher)
	// Loadable returns whether the value is loaded again when another replica has changed it.
	Loadable() Loading
	// Reload loads the part of the value at uri, and ReloadAll loads the whole value, because another replica may have
	// changed it. Both publish the differences.
	Reload(ctx context.Context, uri string) error
	ReloadAll(ctx context.Context) error
}

// Publisher is the side of a server that its live values use.
type Publisher interface {
	// PublishLive tells clients and other replicas that the resource at uri may have changed. If list is true, it also
	// tells them that the list of resources may have changed. reloaded says that the change came from another replica, so
	// that replicas need not load the value again. PublishLive never blocks.
	PublishLive(uri string, list, reloaded bool)
}

// Loading says whether a live value is loaded again when another replica has changed it.
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
