package server

import (
	"slices"
	"sync"
	"sync/atomic"
)

// joins says which servers a server is joined with. It is safe for concurrent use; of and members do not change once
// other goroutines have the server.
type joins struct {
	of         *Server
	members    []*joins                    // of the servers that Join was given to make this one
	mu         sync.Mutex                  // held while containers is replaced
	containers atomic.Pointer[[]container] // the servers of which this one is a member
}

// container is a server that has a member. In the container, prefix stands before the names of the tools and prompts of
// the member.
type container struct {
	*joins
	prefix string
}

// changeContainers replaces the list of containers. change gets a copy of the list and returns the new one.
func (j *joins) changeContainers(change func([]container) []container) {
	j.mu.Lock()
	defer j.mu.Unlock()
	var list []container
	if old := j.containers.Load(); old != nil {
		list = slices.Clone(*old)
	}
	list = change(list)
	j.containers.Store(&list)
}

// eachContainer calls f for the containers, their containers, and so on. prefix stands before the names in the server.
// The container that f gets has the whole prefix of these names in that container.
func (j *joins) eachContainer(prefix string, f func(container)) {
	list := j.containers.Load()
	if list == nil {
		return
	}
	for _, c := range *list {
		f(container{c.joins, c.prefix + prefix})
		c.eachContainer(c.prefix+prefix, f)
	}
}

// eachOther calls f once for each other server that the server is joined with: for its members and containers, theirs,
// and so on. It leaves out a server for which include returns false, and does not go on from there. So an update that a
// joined server publishes reaches its members, and the other servers that have the same members.
func (j *joins) eachOther(include func(*Server) bool, f func(*Server)) {
	if j.members == nil && j.containers.Load() == nil {
		return
	}
	all := []*joins{j}
	for i := 0; i < len(all); i++ { // all grows in the loop
		near := all[i].members
		if list := all[i].containers.Load(); list != nil {
			near = slices.Clip(near)
			for _, c := range *list {
				near = append(near, c.joins)
			}
		}
		for _, o := range near {
			if !slices.Contains(all, o) && include(o.of) {
				all = append(all, o)
			}
		}
	}
	for _, o := range all[1:] {
		f(o.of)
	}
}

// each calls f for the server and for each server that [joins.eachOther] can reach.
func (j *joins) each(f func(*Server)) {
	f(j.of)
	j.eachOther(func(*Server) bool { return true }, f)
}

// withMembers returns j, and the joins of the members, their members, and so on, each once.
func (j *joins) withMembers() []*joins {
	all := []*joins{j}
	for i := 0; i < len(all); i++ { // all grows in the loop
		for _, m := range all[i].members {
			if !slices.Contains(all, m) {
				all = append(all, m)
			}
		}
	}
	return all
}
