package server

import (
	"testing"
)

// A server that others are joined from has the numbers of all of them, each once.
func TestStatsOfJoinedServers(t *testing.T) {
	inner := newTestServer(t, nil).Server
	outer := newTestServer(t, nil).Server
	middle := newTestServer(t, nil).Server
	middle.joins.members = []*joins{&inner.joins}
	outer.joins.members = []*joins{&middle.joins, &inner.joins}
	for i, s := range []*Server{inner, middle, outer} {
		for range i + 1 {
			s.host.Counts.Answered([]byte("ping"), 0)
			s.ResourceListChanged()
		}
	}
	outer.joins.members = []*joins{&middle.joins, &inner.joins}
	middle.joins.members = []*joins{&inner.joins}
	for _, c := range []struct {
		s    *Server
		want int64
	}{{inner, 1}, {middle, 3}, {outer, 6}} {
		got := Stats(c.s)
		if len(got.Requests) != 1 || got.Requests[0].Count != c.want || got.Requests[0].Method != "ping" {
			t.Errorf("%v, want %d", got.Requests, c.want)
		}
	}
	outer.joins.members, middle.joins.members = nil, nil
}
