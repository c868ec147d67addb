package server

import (
	"testing"
)

// A server that others are joined from has the numbers of all of them, each once.
func TestStatsOfJoinedServers(t *testing.T) {
	inner := newTestServer(t, nil).Server
	outer := newTestServer(t, nil).Server
	middle := newTestServer(t, nil).Server
	middle.members = []*Server{inner}
	outer.members = []*Server{middle, inner}
	for i, s := range []*Server{inner, middle, outer} {
		for range i + 1 {
			s.host.Counts.Answered([]byte("ping"), 0)
			s.ResourceListChanged()
		}
	}
	outer.members, middle.members = []*Server{middle, inner}, []*Server{inner}
	for _, c := range []struct {
		s    *Server
		want int64
	}{{inner, 1}, {middle, 3}, {outer, 6}} {
		got := Stats(c.s)
		if len(got.Requests) != 1 || got.Requests[0].Count != c.want || got.Requests[0].Method != "ping" {
			t.Errorf("%v, want %d", got.Requests, c.want)
		}
	}
	outer.members, middle.members = nil, nil
}
