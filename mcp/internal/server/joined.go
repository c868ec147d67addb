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

// eachContainer calls f for the containers of s, their containers, and so on. prefix is that of the names in s. The
// container that f gets has the whole prefix that these names have there.
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

// eachOtherJoined calls f once for each other server that is joined with s and for which has returns true: for members
// and containers of s, theirs, and so on. So what one joined server publishes about a member reaches the member, and
// the other servers that have the member.
func (s *Server) eachOtherJoined(has func(*Server) bool, f func(*Server)) {
	if !s.isJoined() {
		return
	}
	all := []*Server{s}
	for i := 0; i < len(all); i++ { // which grows
		near := all[i].members
		if list := all[i].containers.Load(); list != nil {
			near = slices.Clip(near)
			for _, c := range *list {
				near = append(near, c.Server)
			}
		}
		for _, o := range near {
			if !slices.Contains(all, o) && has(o) {
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
	for i := 0; i < len(all); i++ { // which grows
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
