package server

import (
	"math"
	"slices"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/mcp/stats"
)

// ownCounts has the counters of the methods that a server has besides those of the protocol. They are known when it is
// made, so that clients cannot make them more. The zero value has none.
type ownCounts struct {
	names   []string // by number, less numMethods
	numbers map[string]methodNumber
}

// count gives the methods of x counters of their own. It comes before the first request.
func (x *extensions) count(c *Counters) {
	names := make([]string, 0, len(x.methods))
	for name := range x.methods {
		names = append(names, name)
	}
	slices.Sort(names)
	own := ownCounts{names[:min(len(names), math.MaxUint16-int(numMethods))], map[string]methodNumber{}}
	for i, name := range own.names {
		own.numbers[name] = numMethods + methodNumber(i)
	}
	c.own = own
	for i := range c.shards {
		c.shards[i].own = make([][numCodes]atomic.Int64, len(own.names))
	}
}

// isOther reports whether the protocol itself does not have the method.
func (n methodNumber) isOther() bool { return n == methodOther || n >= numMethods }

// numberOf returns the number of a method of the server.
func (c *Counters) numberOf(method []byte) methodNumber {
	n := numberOf(method)
	if n == methodOther {
		n = max(n, c.own.numbers[string(method)])
	}
	return n
}

// endOwn counts a request for a method that is not of the protocol.
//
//go:noinline
func (s *countShard) endOwn(m methodNumber, c codeNumber) { s.own[m-numMethods][c].Add(1) }

// addOwn adds what c has counted of the methods that are not of the protocol. Other servers may have the same.
func (c *Counters) addOwn(out *stats.Snapshot) {
	for m, name := range c.own.names {
		var ended [numCodes]int64
		for i := range c.shards {
			addEach(ended[:], c.shards[i].own[m][:])
		}
		for code, n := range ended {
			if n != 0 {
				addRequests(out, stats.RequestCount{Method: name, Code: codeNames[code], Count: n})
			}
		}
	}
}

// addRequests adds a count to that of the same method and code.
func addRequests(out *stats.Snapshot, r stats.RequestCount) {
	for i := range out.Requests {
		if have := &out.Requests[i]; have.Method == r.Method && have.Code == r.Code {
			have.Count += r.Count
			return
		}
	}
	out.Requests = append(out.Requests, r)
}
