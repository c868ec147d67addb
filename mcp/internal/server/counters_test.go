package server

import (
	"slices"
	"strconv"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	ext "github.com/mcpgen/mcpgen/generated/protocol/ext/tasks"
)

// Every request that a client can send has a number, every other text is one of two, and the names of codes are theirs.
func TestCountedNames(t *testing.T) {
	seen := map[methodNumber]bool{methodInvalid: true, methodOther: true}
	methods := slices.Clone(protocol.Methods)
	for _, m := range ext.Methods {
		methods = append(methods, protocol.MethodInfo{Name: m.Name, From: m.From, Kind: m.Kind})
	}
	for _, m := range methods {
		n := numberOf([]byte(m.Name))
		if counted := m.Kind == protocol.Request && m.From&protocol.Client != 0; counted != (n != methodOther) {
			t.Errorf("%s is counted as %s", m.Name, methodNames[n])
		} else if counted && methodNames[n] != m.Name {
			t.Errorf("%s is counted as %s", m.Name, methodNames[n])
		}
		seen[n] = true
	}
	if len(seen) != int(numMethods) {
		t.Errorf("%d methods of %d are used", len(seen), numMethods)
	}
	for _, text := range []string{"", "tools/calls", "TOOLS/CALL", "other", "invalid"} {
		if n := numberOf([]byte(text)); n != methodOther {
			t.Errorf("%q is counted as %s", text, methodNames[n])
		}
	}
	for i, code := range codes {
		if got := codeNames[int(firstCode)+i]; got != strconv.Itoa(code) || codeOf(code) != firstCode+codeNumber(i) {
			t.Errorf("%d is counted as %s", code, got)
		}
	}
	if codeNames[codeOf(77)] != "other" || codeNames[codeOf(0)] != "ok" {
		t.Error("a code that nobody knows, or none")
	}
}

// A server that others are joined from has the numbers of all of them, each once.
func TestStatsOfFamily(t *testing.T) {
	inner := newTestServer(t, nil).Server
	outer := newTestServer(t, nil).Server
	middle := newTestServer(t, nil).Server
	middle.members = []*Server{inner}
	outer.members = []*Server{middle, inner}
	for i, s := range []*Server{inner, middle, outer} {
		for range i + 1 {
			s.counts.Answered([]byte("ping"), 0)
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
