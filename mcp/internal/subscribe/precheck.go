package subscribe

import (
	"context"
	"errors"
	"io/fs"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/access"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/pubsub"
)

// What one listen may cost before it is acknowledged.
const (
	// PrecheckLanes is how many policies and reads run at once for one listen.
	PrecheckLanes = 4
	// PrecheckTimeout is how long all of them together may take.
	PrecheckTimeout = pubsub.OpenTimeout
)

// precheckResult says what precheck has found out about a URI.
type precheckResult uint8

const (
	precheckLate   precheckResult = iota // there was no time to look at it
	precheckDenied                       // the client may not have its updates
	precheckAbsent                       // nothing is there
	precheckFree                         // it may be watched
)

// precheck asks the policies about all URIs of a listen, and finds out whether there is something to watch. It stops
// when the call ends or PrecheckTimeout is over: the other URIs are precheckLate.
func (req request) precheck(topics []pubsub.Request) []precheckResult {
	found := make([]precheckResult, len(topics))
	until := time.Now().Add(PrecheckTimeout)
	var asked []int
	for i, q := range topics {
		if q.Authorizer == nil && q.Exists == nil {
			found[i] = precheckFree
		} else {
			asked = append(asked, i)
		}
	}
	var next atomic.Int64
	var lanes sync.WaitGroup
	for range min(PrecheckLanes, len(asked)) {
		lanes.Go(func() {
			for n := int(next.Add(1)) - 1; n < len(asked); n = int(next.Add(1)) - 1 {
				left := time.Until(until)
				if left <= 0 || req.Call.Err() != nil {
					return
				}
				found[asked[n]] = precheckOne(&topics[asked[n]], min(left, access.PolicyTimeout))
			}
		})
	}
	lanes.Wait()
	return found
}

// precheckOne is precheck for one URI, with a limit for the policies.
func precheckOne(q *pubsub.Request, limit time.Duration) precheckResult {
	if d, ok := q.Authorizer.(*deliveryAuthorizer); ok && !d.permits(q.URI, limit) {
		return precheckDenied
	}
	if q.Exists != nil && !q.Exists(q.URI) {
		return precheckAbsent
	}
	return precheckFree
}

// mayBeAbsent reports whether r has instances that may be absent, and can be read to find out: its handler sends the
// client no requests.
func mayBeAbsent(r *feature.Resource) bool {
	return r.Watch != nil && r.Template != nil && r.Read != nil && !r.Asks
}

// exists reads the resource at uri with the rights of its subscriber, without limits and middleware, and reports
// whether it is there. A read that fails with another error than not found, or that takes longer than
// access.PolicyTimeout, counts as existing.
func (d *deliveryAuthorizer) exists(uri string) bool {
	p, r := d.subject(uri)
	if r == nil || r.Read == nil {
		return false
	}
	return d.wait(p, access.PolicyTimeout, true, func() bool {
		c, err := readThrough(&p.Call, r.Read)
		content.ValueOf(&c).Discard()
		return (err != nil || content.ValueOf(&c).Kind != content.KindNone) && !errors.Is(err,
			content.ErrNotFound) && !errors.Is(err, fs.ErrNotExist)
	})
}

// readThrough calls read; a panic becomes an error.
func readThrough(c *call.Call, read func(*call.Call) (content.Contents, error)) (out content.Contents, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &content.PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	return read(c)
}

// subject returns the resource at uri, and a call with the rights of the subscriber to pass to code of the program.
// Both are nil if there is no such resource.
func (d *deliveryAuthorizer) subject(uri string) (*call.PathCall, *feature.Resource) {
	p := new(call.PathCall)
	i := d.s.Route(uri, &p.Values)
	if i < 0 {
		return nil, nil
	}
	p.Vars = &p.Values
	x := &call.HTTPExchange{Peeks: true} // on which nothing is written
	if who := d.caller(); who != nil {
		x.Caller = *who
	}
	p.Init(call.Request{Conn: &d.c.Conn, Base: d.c.Context, Responder: x, Target: uri}, d.rev, 0)
	return p, &d.s.Resources[i]
}

// wait runs ask, which is code of the program, and returns its result. If ask takes longer than limit, the result is
// fallback; if the connection ends, the result is false. wait ends the call p before it returns.
func (d *deliveryAuthorizer) wait(p *call.PathCall, limit time.Duration, fallback bool, ask func() bool) bool {
	defer p.End(context.Canceled)
	verdict := make(chan bool, 1)
	go func() {
		result := false
		defer func() { verdict <- result }() // also if the goroutine is ended
		result = ask()
	}()
	t := time.NewTimer(limit)
	defer t.Stop()
	select {
	case result := <-verdict:
		return result
	case <-d.c.Ended.Done():
		return false
	case <-t.C:
		d.c.Log.Error("mcp: a policy or a read for a subscription takes too long", "uri", p.Request().Target, "after", limit)
		return fallback
	}
}
