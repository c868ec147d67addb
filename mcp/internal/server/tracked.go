package server

// tracked is what a transport has opened by [Server.Exchange] or [Server.NewSession], and what ends with the server.
type tracked interface {
	// shutDown ends it because the server closes. Requests may go on for as long as [Options.Grace] says; nobody waits
	// for them afterwards.
	shutDown()
}

// track enters t into what ends with the server. It is false if the server is closed.
func (s *Server) track(t tracked) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.opened = true
	if s.sessions == nil {
		s.sessions = make(map[tracked]struct{})
	}
	s.sessions[t] = struct{}{}
	s.serves.Add(1)
	return true
}

// untrack takes t out again. It does nothing the second time.
func (s *Server) untrack(t tracked) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.sessions[t]; ok {
		delete(s.sessions, t)
		s.serves.Done()
	}
}

// Stopping returns a channel that is closed when the server begins to close.
func (s *Server) Stopping() <-chan struct{} { return s.stopping }
