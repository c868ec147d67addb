package server

import (
	"sync/atomic"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/pubsub"
)

// lazy is a value for each revision that is made on first use. Two that come first at the same
// time both make it, which does no harm: it is the same.
type lazy[T any] struct {
	byRevision [int(protocol.Latest) + 1]atomic.Pointer[T]
}

// get returns the value for rev, which must not be changed.
func (l *lazy[T]) get(rev protocol.Revision, build func(protocol.Revision) T) *T {
	p := l.byRevision[rev].Load()
	if p == nil {
		v := build(rev)
		p = &v
		l.byRevision[rev].Store(p)
	}
	return p
}

// prepared holds what is encoded once for each revision, because it never changes.
type prepared struct {
	initialize lazy[protocol.Prepared]
	discover   lazy[protocol.Prepared]
	lists      [feature.NumKinds]atomic.Pointer[staticList] // that of the tools is replaced when one is added or removed
	templates  *staticList
	sources    []source                  // the parts of resources/list
	dynamic    bool                      // some of them are listed instances
	fixed      []lazy[protocol.Prepared] // by index in Features.Resources
}

// list is the list of a kind; that of the resources has the literal ones.
func (p *prepared) list(k feature.Kind) *staticList { return p.lists[k].Load() }

// listTopic is the topic of changes of the list of k.
func listTopic(k feature.Kind) pubsub.Kind { return pubsub.ResourceList + pubsub.Kind(k) }

// extensionList is the topic of the list of an extension.
const extensionList = pubsub.ResourceList + pubsub.Kind(feature.NumKinds)

// kindOf is the kind with that topic.
func kindOf(list pubsub.Kind) feature.Kind { return feature.Kind(list - pubsub.ResourceList) }
