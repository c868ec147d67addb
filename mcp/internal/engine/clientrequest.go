package engine

import (
	"bytes"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/mcp/wire"
)

// ClientRequests are the requests of the server to the client of one connection that have no response yet. The zero
// value has none.
type ClientRequests struct {
	mu      sync.Mutex
	pending map[wire.ID]*ClientRequest // nil before the first
	last    int64                      // the last id that is a number
}

// lastNamed is the number in the last id that was a text. It belongs to the process and not to a session: a process may
// forget a session and take it up again, and a late response to an old request must not match a new one.
var lastNamed atomic.Int64

// ClientRequest is a request to the client.
type ClientRequest struct {
	ID wire.ID

	response chan []byte // gets one response
	failed   bool        // set before response gets it
}

// New returns a request with a new id, which is pending from now on. The id is a number. If prefix is not empty, it is
// a text that begins with prefix and a full stop: then several processes serve the client, and their ids differ.
func (p *ClientRequests) New(prefix string) *ClientRequest {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := &ClientRequest{response: make(chan []byte, 1)}
	if prefix != "" {
		r.ID = wire.StringID(prefix + "." + strconv.FormatInt(lastNamed.Add(1), 10))
	} else {
		p.last++
		r.ID = wire.NumberID(p.last)
	}
	if p.pending == nil {
		p.pending = make(map[wire.ID]*ClientRequest)
	}
	p.pending[r.ID] = r
	return r
}

// Withdraw ends the wait for the response. It returns false if the response has come.
func (p *ClientRequests) Withdraw(r *ClientRequest) bool { return p.take(r.ID) != nil }

// Respond gives the response m to the pending request with its id. It returns false if there is no such request.
func (p *ClientRequests) Respond(m *wire.Message) bool {
	r := p.take(m.ID.Canonical())
	if r == nil {
		return false
	}
	if r.failed = m.Error != nil; r.failed {
		r.response <- bytes.Clone(m.Error)
	} else {
		r.response <- bytes.Clone(m.Result)
	}
	return true
}

// take removes the pending request with an id and returns it; nil if there is none.
func (p *ClientRequests) take(id wire.ID) *ClientRequest {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.pending[id]
	delete(p.pending, id)
	return r
}

// Response returns the channel that gets the response, once: a result or, if Failed, an error.
func (r *ClientRequest) Response() <-chan []byte { return r.response }

// Failed reports whether the response that was received is an error.
func (r *ClientRequest) Failed() bool { return r.failed }
