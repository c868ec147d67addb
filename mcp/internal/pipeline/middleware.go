package pipeline

import (
	"errors"
	"fmt"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
)

// errOnlyArguments is the error of a middleware that changes more of a request than it may.
var errOnlyArguments = errors.New("only arguments may be changed")

// ParamsOf checks the params p that a middleware has passed on. They must have the type P of the request, and same must
// report that they differ from its params only in arguments.
func ParamsOf[P call.Params](p call.Params, same func(P) bool) (P, error) {
	q, ok := p.(P)
	if !ok || content.IsNilPointer(q) {
		var none P
		return none, fmt.Errorf("want %T", none)
	}
	if !same(q) {
		return q, errOnlyArguments
	}
	return q, nil
}

// CopyOf returns a copy of the result of a middleware, because the middleware may use one result for several requests.
func CopyOf[R any, P interface {
	*R
	protocol.Reply
}](reply protocol.Reply) (P, error) {
	r, ok := reply.(P)
	if !ok || r == nil {
		return nil, fmt.Errorf("want %T", r)
	}
	out := *r
	return &out, nil
}

// MetaWith returns the metadata of a result of a middleware, with the members that all results of a server have.
func MetaWith(s *call.Shared, meta *protocol.ResultMetaObject, rev protocol.Revision) *protocol.ResultMetaObject {
	common := s.ResultMeta(rev)
	if meta == nil || common == nil || meta.ServerInfo != nil {
		return orElse(meta, common)
	}
	out := *meta
	out.ServerInfo = common.ServerInfo
	return &out
}

// orElse returns p, or q if p is nil.
func orElse[T any](p, q *T) *T {
	if p == nil {
		return q
	}
	return p
}
