package pipeline

import (
	"errors"
	"fmt"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
)

// errOnlyArguments is the error of a middleware that changes other params of a request than its arguments.
var errOnlyArguments = errors.New("only arguments may be changed")

// ParamsOf checks p, the params that a middleware has passed on, and returns them as a P. It returns an error if p has
// another type than the params of the request, P, or if same reports that p differs from them in more than arguments.
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

// CopyOf returns a copy of reply, the result of a middleware, because the middleware may return the same value for
// several requests. It returns an error if reply is nil or has another type than P.
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

// MetaWith returns meta, the metadata of a result of a middleware, with the members that all results of a server have.
// It does not change meta.
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
