package call

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/mcpgen/mcpgen/generated/protocol"
)

// Middleware runs around the calls of a feature: see the type of package mcp. A panic is treated like one of the
// handler.
type Middleware func(c *Call, p Params, next Next) (protocol.Reply, error)

// Params are the parameters of a request as middleware sees them. Each is a copy, of which fields may be changed.
type Params interface {
	AppendJSON(b []byte, rev protocol.Revision) []byte
}

// Next runs the inner middleware and the handler, with the given context and parameters.
type Next func(ctx context.Context, p Params) (protocol.Reply, error)

// ErrNextLate is the error of next if it is called after its [Middleware] has returned.
var ErrNextLate = errors.New("mcp: next was called after the middleware had returned")

// errNothing is the error of a middleware that returns neither a result nor an error.
var errNothing = errors.New("mcp: a middleware returned no result and no error")

// Use is the middleware of a feature. Servers without any do not link its code.
type Use interface {
	// Around runs op inside of the middleware.
	Around(call *Call, op Operation) error
}

// Operation is the use of a feature by one request, as seen by the middleware around it.
type Operation interface {
	// Run runs code of the user, and keeps its result.
	Run(call *Call) error
}

// NewUse returns the middleware of list, outermost first; nil if list is empty.
func NewUse(list ...Middleware) Use {
	if len(list) == 0 {
		return nil
	}
	return middleware(list)
}

// UseOf is [NewUse] for middleware with the types of package mcp, which this package cannot import. The function
// convert converts a Call to the type that the middleware takes.
func UseOf[
	C any, P Params, R protocol.Reply, N ~func(context.Context, P) (R, error), M ~func(C, P, N) (R, error),
](convert func(*Call) C, list ...M) Use {
	out := make([]Middleware, len(list))
	for i, m := range list {
		out[i] = func(c *Call, p Params, next Next) (protocol.Reply, error) {
			params, _ := p.(P)
			// Not return m(…): Go 1.26.8 converts what a call returns from R to an interface in which assertions fail.
			result, err := m(convert(c), params, func(ctx context.Context, p P) (R, error) {
				reply, err := next(ctx, p)
				result, _ := reply.(R) // nil beside an error
				return result, err
			})
			return result, err
		}
	}
	return NewUse(out...)
}

// middleware implements [Use].
type middleware []Middleware

// replaceable is an [Operation] whose parameters and result middleware can replace. All operations implement it.
type replaceable interface {
	Operation
	// Params returns the parameters of the request for middleware, and Replace takes those that middleware passes on.
	Params() Params
	Replace(call *Call, p Params) error
	// Reply returns the result of Run for middleware, and Adopt takes that of middleware.
	Reply(call *Call) (protocol.Reply, error)
	Adopt(call *Call, reply protocol.Reply) error
}

// Around implements [Use].
func (m middleware) Around(call *Call, of Operation) error {
	op := of.(replaceable)
	reply, err := chain(m, call, op.Params(), func(c *Call, p Params) (protocol.Reply, error) {
		if err := op.Replace(c, p); err != nil {
			return nil, fmt.Errorf("mcp: the params that middleware of %s passes on: %w", call.Request().Target, err)
		}
		if err := op.Run(c); err != nil {
			return nil, err
		}
		return op.Reply(c)
	})
	if err != nil {
		return err
	}
	if err := op.Adopt(call, reply); err != nil {
		return fmt.Errorf("mcp: the result that middleware of %s returns: %w", call.Request().Target, err)
	}
	return nil
}

// chain runs f inside of the middleware, outermost first.
func chain(
	use []Middleware, call *Call, p Params, f func(*Call, Params) (protocol.Reply, error),
) (protocol.Reply, error) {
	if len(use) == 0 {
		return f(call, p)
	}
	n := nextGuard{call, make(chan struct{}, 1), make(chan struct{})}
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

// ownCopy returns a copy of a result, so that a middleware may change its fields: the handler or an inner middleware
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

// nextGuard guards the next function of a middleware: it runs once at a time, and only until the call ends or the
// middleware returns.
type nextGuard struct {
	call    *Call
	running chan struct{} // holds an element while next runs, and for ever once the middleware has returned
	done    chan struct{} // closed when the middleware has returned
}

// begin waits until next is not running, and adds an element to running, which the caller must take out. The error says
// why next must not run.
func (n *nextGuard) begin() error {
	select {
	case n.running <- struct{}{}:
		if err := n.call.Err(); err != nil {
			<-n.running
			return err
		}
		return nil
	case <-n.done:
		n.call.req.Conn.Log.Error(ErrNextLate.Error(), "target", n.call.req.Target)
		return ErrNextLate
	default:
	}
	select {
	case n.running <- struct{}{}:
		<-n.running
		return n.begin()
	case <-n.done:
		return n.begin()
	case <-n.call.Done():
		return n.call.Err()
	}
}

// end waits until next is not running, and forbids further runs, because the middleware has returned.
func (n *nextGuard) end() {
	n.running <- struct{}{}
	close(n.done)
}

// within returns a copy of c with a context that a middleware has derived from c.
func (c *Call) within(ctx context.Context) *Call {
	if ctx == nil {
		ctx = c
	}
	inner := &Call{Vars: c.Vars, req: c.req, rev: c.rev, named: c.named, method: c.method}
	inner.extra = &callExtra{root: c.Own()}
	inner.req.Base = ctx //nolint:fatcontext // a call is one
	inner.state.Store(callInner)
	return inner
}
