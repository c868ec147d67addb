package server

import (
	"errors"
	"fmt"
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
	// subscribers, so Topic returns URIs of that resource, and the limits of both count together.
	AliasOf string
	// Revisions are the revisions of the protocol in which the resource exists.
	Revisions RevisionRange
	// Tags are the tags for [Options.OnlyTags] and [Options.ExceptTags].
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
	// Topic appends the canonical URI of a URI with these variables, or returns the error of a variable. All URIs with
	// the same canonical URI have the same subscribers. It must not block. Without it, variables are compared as texts.
	Topic func(b []byte, v *uri.Vars) ([]byte, error)
	// Watch is the watch function; nil means none. It is called when the first client subscribes to a URI, before the
	// subscription is confirmed. The sequence runs until the last subscriber has left, when c ends. Each value
	// publishes an update, and so does each error, which is logged. If a sequence ends earlier or panics, that is
	// logged and Watch is called again, after two seconds at first and after up to a minute later, and an update is
	// published, because changes in between are unknown. A nil sequence reports nothing.
	Watch func(c *call.Call) (iter.Seq2[time.Time, error], error)

	// List adds the instances of a template to resources/list; nil adds none. For a literal URI it yields the resource
	// itself, with its current description.
	List Instances
	// CheckVars reports what is wrong with the variables of a URI. With it, instances of List that nobody could read are
	// left out, and logged.
	CheckVars func(v *uri.Vars) error
	// ListPage is the largest number of entries of List on one page of resources/list; 0 means no limit of its own.
	ListPage int
	// Complete completes variables of the template.
	Complete []Completer
}

// uri is the URI of the declaration, or its template.
func (r *Resource) uri() string {
	if r.Entry != nil {
		return r.Entry.URI
	}
	return r.Template.URITemplate
}

// ways is how many ways there are to read r.
func (r *Resource) ways() int {
	n := 0
	for _, has := range []bool{content.ValueOf(&r.Static).Kind != content.KindNone, r.Read != nil, r.Value != nil} {
		if has {
			n++
		}
	}
	return n
}

// reader returns the function that reads r; nil if its content is fixed.
func (r *Resource) reader() func(c *call.Call) (content.Contents, error) {
	if r.Value != nil {
		return r.Value.read
	}
	return r.Read
}

// EnableResource switches the resource, or the template, with that declared URI on or off. While it is
// off, clients find it in no list and can neither read it nor subscribe. Tools that read the template are
// switched with it. Clients are told of the change, subscribers too. It does nothing for a URI that was not declared,
// and never blocks.
func (s *Server) EnableResource(uri string, on bool) { s.enable(kindResource, uri, on) }

// resourceKind is the row of resources, literal ones and templates. Their addresses are matched by joinedRoutes.
var resourceKind = kindRow{
	word:   "resource",
	number: func(f *Features) int { return len(f.Resources) },
	at: func(f *Features, i int) feature {
		r := &f.Resources[i]
		return feature{
			r.uri(), r.uri(), &r.Revisions, r.Tags, r.Guard, r.ListChanges, r.Subscribe, len(r.Complete) > 0, r.Logs,
			r.Extension,
		}
	},
	check:   checkResources,
	clear:   func(f *Features) { f.Resources = nil },
	add:     func(f, from *Features) { f.Resources = append(f.Resources, from.Resources...) },
	changed: protocol.MethodNotificationsResourcesListChanged,
	filter:  func(l *protocol.SubscriptionFilter) **bool { return &l.ResourcesListChanged },
	newList: newResourceList,
	declare: func(c *protocol.ServerCapabilities, listChanged bool) {
		r := orNew(c.Resources)
		r.ListChanged = either(r.ListChanged, listChanged)
		c.Resources = &r
	},
	withdraw: func(c *protocol.ServerCapabilities) { c.Resources = nil },
	offered: func(c *protocol.ServerCapabilities) (has, listChanged bool) {
		return c.Resources != nil, isTrue(orNew(c.Resources).ListChanged)
	},
}

// checkResources reports contradictions in the resources of f.
func checkResources(f *Features) error {
	var errs []error
	for i := range f.Resources {
		r := &f.Resources[i]
		switch {
		case (r.Entry == nil) == (r.Template == nil):
			errs = append(errs, fmt.Errorf("mcp: Features.Resources[%d]: want Entry or Template", i))
		case r.ways() != 1:
			errs = append(errs, fmt.Errorf("mcp: Features.Resources[%d]: want Static, Read or Value", i))
		case content.ValueOf(&r.Static).Kind != content.KindNone && r.Entry == nil:
			errs = append(errs, fmt.Errorf("mcp: Features.Resources[%d]: a template needs Read or Value", i))
		}
	}
	return errors.Join(errs...)
}
