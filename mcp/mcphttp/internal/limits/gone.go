package limits

import (
	"context"
	"net"
	"time"
)

// net/http reads one byte ahead while a request is handled, to notice that its client closes the connection. If that
// byte comes, because the client has sent the beginning of its next request, net/http does not notice that the client
// leaves. Then the context of the request would not end, and a handler that waits for it would keep its place and the
// connection for ever. So the gate looks itself.

// watchPeriod is how often the gate looks at connections with requests.
const watchPeriod = 2 * time.Second

// context returns the context for the requests on a connection. The context ends when the client has closed the
// connection.
func (g *gate) context(ctx context.Context, c net.Conn) context.Context {
	gc, ok := gated(c)
	if !ok || gc.gate != g { // the http.Server may have several listeners
		return ctx
	}
	if c != net.Conn(gc) { // TLS
		gc.framing.hide()
	}
	ctx, gone := context.WithCancel(context.WithValue(ctx, framingKey{}, &gc.framing))
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, open := g.open[gc]; !open {
		gone()
	}
	gc.gone = gone
	return ctx
}

// add adds a connection to those that are watched.
func (g *gate) add(c *gatedConn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.open[c] = struct{}{}
	if !g.watching {
		g.watching = true
		time.AfterFunc(watchPeriod, g.watch)
	}
}

// remove undoes add.
func (g *gate) remove(c *gatedConn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.open, c)
	if c.gone != nil {
		c.gone()
	}
}

// watch ends the contexts of requests whose clients have closed their connections.
func (g *gate) watch() {
	for _, c := range g.busy() {
		if hasGone(c.Conn) {
			g.mu.Lock()
			gone := c.gone
			g.mu.Unlock()
			gone()
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.watching = len(g.open) > 0; g.watching {
		time.AfterFunc(watchPeriod, g.watch)
	}
}

// busy returns the connections that have a request.
func (g *gate) busy() (list []*gatedConn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for c := range g.open {
		if c.waiting.Load() == 0 && !c.shared.Load() && c.gone != nil {
			list = append(list, c)
		}
	}
	return list
}
