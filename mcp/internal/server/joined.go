package server

import "slices"

// changeContainers replaces the list of containers of s. change gets a copy of the list and returns the new one.
func (s *Server) changeContainers(change func([]container) []container) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []container
	if old := s.containers.Load(); old != nil {
		list = slices.Clone(*old)
	}
	list = change(list)
	s.containers.Store(&list)
}

// eachContainer calls f for the containers of s, their containers, and so on. prefix stands before the names in s. The
// container that f gets has the whole prefix of these names in that container.
func (s *Server) eachContainer(prefix string, f func(container)) {
	list := s.containers.Load()
	if list == nil {
		return
	}
	for _, c := range *list {
		f(container{c.Server, c.prefix + prefix})
		c.eachContainer(c.prefix+prefix, f)
	}
}

// eachOtherJoined calls f once for each other server that is joined with s: for the members and containers of s,
// theirs, and so on. It leaves out a server for which include returns false, and does not go on from there. So an
// update that a joined server publishes reaches its members, and the other servers that have the same members.
func (s *Server) eachOtherJoined(include func(*Server) bool, f func(*Server)) {
	if !s.isJoined() {
		return
	}
	all := []*Server{s}
	for i := 0; i < len(all); i++ { // all grows in the loop
		near := all[i].members
		if list := all[i].containers.Load(); list != nil {
			near = slices.Clip(near)
			for _, c := range *list {
				near = append(near, c.Server)
			}
		}
		for _, o := range near {
			if !slices.Contains(all, o) && include(o) {
				all = append(all, o)
			}
		}
	}
	for _, o := range all[1:] {
		f(o)
	}
}

func (s *Server) isJoined() bool { return s.members != nil || s.containers.Load() != nil }

// joinedServers returns s, its members, their members, and so on, each once.
func joinedServers(s *Server) []*Server {
	all := []*Server{s}
	for i := 0; i < len(all); i++ { // all grows in the loop
		for _, m := range all[i].members {
			if !slices.Contains(all, m) {
				all = append(all, m)
			}
		}
	}
	return all
}

// eachJoined calls f for s and for each server that [Server.eachOtherJoined] can reach.
func eachJoined(s *Server, f func(*Server)) {
	f(s)
	s.eachOtherJoined(func(*Server) bool { return true }, f)
}
