package counters

import (
	"math"
	"slices"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/mcp/stats"
)

// ownCounts numbers the methods that a server has besides those of the protocol, such as those of extensions. Their
// counters are in the shards. The methods are known when the server is made, so clients cannot add any. The zero value
// has none.
type ownCounts struct {
	names   []string // names[i] is the method with the number numMethods+i
	numbers map[string]Method
}

// CountOwn gives methods that are not of the protocol counters of their own. Call it before the first request. It sorts
// names. Names beyond 65,535 methods in all get no counters.
func (c *Counters) CountOwn(names []string) {
	slices.Sort(names)
	own := ownCounts{names[:min(len(names), math.MaxUint16-int(numMethods))], map[string]Method{}}
	for i, name := range own.names {
		own.numbers[name] = numMethods + Method(i)
	}
	c.own = own
	for i := range c.shards {
		c.shards[i].own = make([][numCodes]atomic.Int64, len(own.names))
	}
}

// IsOther reports whether the protocol itself does not have the method.
func (n Method) IsOther() bool { return n == MethodOther || n >= numMethods }

// NumberOf returns the number of a method of the protocol or of an extension; MethodOther if the server has no such
// method.
func (c *Counters) NumberOf(method []byte) Method {
	n := MethodOf(method)
	if n == MethodOther {
		n = max(n, c.own.numbers[string(method)])
	}
	return n
}

// NameOf returns the name of a method as it is counted.
func (c *Counters) NameOf(n Method) string {
	if n >= numMethods {
		return c.own.names[n-numMethods]
	}
	return methodNames[n]
}

// endOwn counts a request for a method that is not of the protocol.
//
//go:noinline
func (s *Shard) endOwn(m Method, c Code) { s.own[m-numMethods][c].Add(1) }

// AddOwn adds what c has counted of the methods that are not of the protocol. It adds to the counts that out has of the
// same method from other servers.
func (c *Counters) AddOwn(out *stats.Snapshot) {
	for m, name := range c.own.names {
		var ended [numCodes]int64
		for i := range c.shards {
			AddEach(ended[:], c.shards[i].own[m][:])
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
