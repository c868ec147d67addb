package server

import "slices"

// changeJoined replaces the list of servers that are joined from s by what change makes of a copy.
func (s *Server) changeJoined(change func([]joinedServer) []joinedServer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []joinedServer
	if old := s.joined.Load(); old != nil {
		list = slices.Clone(*old)
	}
	list = change(list)
	s.joined.Store(&list)
}

// eachContainer calls f for the servers that are joined from s, at any distance, with what they put before the names of
// s.
func (s *Server) eachContainer(prefix string, f func(joinedServer)) {
	joined := s.joined.Load()
	if joined == nil {
		return
	}
	for _, j := range *joined {
		f(joinedServer{j.Server, j.prefix + prefix})
		j.eachContainer(j.prefix+prefix, f)
	}
}

// eachJoined calls f once for each other server that shares something with s and for which has is true: the members of
// s, the servers that s is a member of, and so on from these. So what one joined server publishes about a member
// reaches the member, and the other servers that have the member.
func (s *Server) eachJoined(has func(*Server) bool, f func(*Server)) {
	if !s.isJoined() {
		return
	}
	all := []*Server{s}
	for i := 0; i < len(all); i++ { // which grows
		near := all[i].members
		if joined := all[i].joined.Load(); joined != nil {
			near = slices.Clip(near)
			for _, j := range *joined {
				near = append(near, j.Server)
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

func (s *Server) isJoined() bool { return s.members != nil || s.joined.Load() != nil }

// family returns s and the servers that it is joined from, at any distance.
func family(s *Server) []*Server {
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

// eachOfFamily calls f for s and all that are joined with it, at any distance.
func eachOfFamily(s *Server, f func(*Server)) {
	f(s)
	s.eachJoined(func(*Server) bool { return true }, f)
}
