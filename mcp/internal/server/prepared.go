package server

import (
	"sync/atomic"

	"github.com/mcpgen/mcpgen/generated/protocol"
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
	meta       protocol.ResultMetaObject
	initialize lazy[protocol.Prepared]
	discover   lazy[protocol.Prepared]
	resources  listing
	templates  listing
	tools      atomic.Pointer[listing] // replaced when a tool is added or removed
	prompts    listing
	sources    []source                  // the parts of resources/list
	dynamic    bool                      // some of them are listers
	fixed      []lazy[protocol.Prepared] // by place in Features.Resources
}

// resultMeta returns the _meta of results, which names the server in modern revisions.
func (s *Server) resultMeta(rev protocol.Revision) *protocol.ResultMetaObject {
	if !isModern(rev) {
		return nil
	}
	return &s.prepared.meta
}
