package server

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
)

// Middleware runs around the calls of a feature: see the type of package mcp. A panic is treated like one of the
// handler.
type Middleware func(c *Call, p Params, next Next) (protocol.Reply, error)

// Params are the parameters of a request as middleware sees them. Each is a copy, of which fields may be changed.
type Params interface { //nolint:iface // they are no entry of a list
	AppendJSON(b []byte, rev protocol.Revision) []byte
}

// Next runs the inner middleware and the handler with the context and the parameters that it is given.
type Next func(ctx context.Context, p Params) (protocol.Reply, error)

// ErrNextLate is returned by the next of a [Middleware] that has returned already.
var ErrNextLate = errors.New("mcp: next was called after the middleware had returned")

// errNothing is the error of a middleware that returns neither a result nor an error.
var errNothing = errors.New("mcp: a middleware returned no result and no error")

// Use is the middleware of a feature. Servers without any do not link its code.
type Use interface {
	// around runs op inside of the middleware.
	around(call *Call, op operation) error
}

// NewUse returns the middleware of list, outermost first; nil for none.
func NewUse(list ...Middleware) Use {
	if len(list) == 0 {
		return nil
	}
	return middleware(list)
}

// middleware implements [Use].
type middleware []Middleware

// around runs op inside of the middleware of g.
func (g *Guard) around(call *Call, op operation) error {
	if g == nil || g.Use == nil {
		return op.run(call)
	}
	return g.Use.around(call, op)
}

// replaceable is an operation that can run inside of middleware. All are.
type replaceable interface {
	operation
	// params returns the parameters of the request for middleware, and replace takes those that middleware passes on.
	params() Params
	replace(call *Call, p Params) error
	// reply returns the result of run for middleware, and adopt takes that of middleware.
	reply(call *Call) (protocol.Reply, error)
	adopt(call *Call, reply protocol.Reply) error
}

func (m middleware) around(call *Call, of operation) error {
	op := of.(replaceable)
	reply, err := chain(m, call, op.params(), func(c *Call, p Params) (protocol.Reply, error) {
		if err := op.replace(c, p); err != nil {
			return nil, fmt.Errorf("mcp: the params that middleware of %s passes on: %w", call.target, err)
		}
		if err := op.run(c); err != nil {
			return nil, err
		}
		return op.reply(c)
	})
	if err != nil {
		return err
	}
	if err := op.adopt(call, reply); err != nil {
		return fmt.Errorf("mcp: the result that middleware of %s returns: %w", call.target, err)
	}
	return nil
}

// chain runs f inside of all in use.
func chain(
	use []Middleware, call *Call, p Params, f func(*Call, Params) (protocol.Reply, error),
) (protocol.Reply, error) {
	if len(use) == 0 {
		return f(call, p)
	}
	n := inside{call, make(chan struct{}, 1), make(chan struct{})}
	defer n.end()
	reply, err := use[0](call, p, func(ctx context.Context, p Params) (protocol.Reply, error) {
		if err := n.begin(); err != nil {
			return nil, err
		}
		defer func() { <-n.running }()
		reply, err := chain(use[1:], call.within(ctx), p, f)
		return ownCopy(reply), err
	})
	if reply == nil && err == nil {
		err = errNothing
	}
	return reply, err
}

// ownCopy returns a copy of a result, of which a middleware may change all fields: one further inside, or the handler,
// may have kept the result for other requests. What the elements of lists point to is not copied.
func ownCopy(reply protocol.Reply) protocol.Reply {
	switch r := reply.(type) {
	case *protocol.CallToolResult:
		if r != nil {
			c := *r
			c.Content, c.Meta, c.Extra = slices.Clone(c.Content), copyOfMeta(c.Meta), slices.Clone(c.Extra)
			return &c
		}
	case *protocol.ReadResourceResult:
		if r != nil {
			c := *r
			c.Contents, c.Meta, c.Extra = slices.Clone(c.Contents), copyOfMeta(c.Meta), slices.Clone(c.Extra)
			return &c
		}
	case *protocol.GetPromptResult:
		if r != nil {
			c := *r
			c.Messages, c.Meta, c.Extra = slices.Clone(c.Messages), copyOfMeta(c.Meta), slices.Clone(c.Extra)
			return &c
		}
	case *protocol.CompleteResult:
		if r != nil {
			c := *r
			c.Completion.Values = slices.Clone(c.Completion.Values)
			c.Meta, c.Extra = copyOfMeta(c.Meta), slices.Clone(c.Extra)
			return &c
		}
	case protocol.Prepared:
		return slices.Clone(r)
	}
	return reply
}

func copyOfMeta(m *protocol.ResultMetaObject) *protocol.ResultMetaObject {
	if m == nil {
		return nil
	}
	c := *m
	c.Extra = slices.Clone(c.Extra)
	return &c
}

// inside is what runs inside of a middleware: once at a time, while the call goes on and the middleware has not
// returned.
type inside struct {
	call    *Call
	running chan struct{} // holds an element while it runs, and for ever once the middleware has returned
	over    chan struct{} // closed then
}

// begin waits until nothing runs, and takes running, which the caller gives back. The error is why it does not run.
func (n *inside) begin() error {
	select {
	case n.running <- struct{}{}:
		if err := n.call.Err(); err != nil {
			<-n.running
			return err
		}
		return nil
	case <-n.over:
		n.call.conn.log.Error(ErrNextLate.Error(), "target", n.call.target)
		return ErrNextLate
	default:
	}
	select {
	case n.running <- struct{}{}:
		<-n.running
		return n.begin()
	case <-n.over:
		return n.begin()
	case <-n.call.Done():
		return n.call.Err()
	}
}

// end says that the middleware has returned, once nothing runs inside.
func (n *inside) end() {
	n.running <- struct{}{}
	close(n.over)
}

// within returns c with another context, which a middleware has derived from it.
func (c *Call) within(ctx context.Context) *Call {
	if ctx == nil {
		ctx = c
	}
	inner := &Call{
		Vars: c.Vars, conn: c.conn, base: ctx, id: c.id, responder: c.responder, meta: c.meta,
		target: c.target, rev: c.rev, named: c.named, method: c.method, extra: &callExtra{root: c.own()},
	}
	inner.state.Store(callInner)
	return inner
}

// inner reports whether a middleware has given c its context.
func (c *Call) inner() bool { return c.state.Load() == callInner }

// own returns the call of the request, which has the state of c.
func (c *Call) own() *Call {
	if c.inner() {
		return c.extra.root
	}
	return c
}

// errOnlyArguments is the error of a middleware that changes more of a request than it may.
var errOnlyArguments = errors.New("only arguments may be changed")

// paramsOf returns p as the type that the params of a request have. same reports whether they are still about that
// request.
func paramsOf[P Params](p Params, same func(P) bool) (P, error) {
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

// copyOf returns a copy of the result of a middleware, which may be kept and used for several requests.
func copyOf[R any, P interface {
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

// metaWith returns the metadata of a result of a middleware with what all results of s have.
func metaWith(s *Server, meta *protocol.ResultMetaObject, rev protocol.Revision) *protocol.ResultMetaObject {
	common := s.resultMeta(rev)
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
