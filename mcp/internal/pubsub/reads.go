package pubsub

import "sync"

// View is the content of a resource, as far as it is needed to compare two contents.
type View struct {
	Sum uint64 // of the contents
	Err error  // why there are none
}

// like reports whether v and o look the same to clients.
func (v View) like(o View) bool {
	return (v.Err == nil) == (o.Err == nil) && (v.Err != nil || v.Sum == o.Sum)
}

// Reads collects what clients have read of a polled resource since the last look. It is safe for concurrent use.
type Reads struct {
	mu    sync.Mutex
	any   bool
	first View
	mixed bool // not all reads were alike
}

// Add notes what a client has read.
func (s *Reads) Add(v View) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mixed = s.mixed || s.any && !v.like(s.first)
	s.any, s.first = true, v
}

// differ reports whether a client has read something else than now, and forgets all reads.
func (s *Reads) differ(now View) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	other := s.any && (s.mixed || !now.like(s.first))
	s.any, s.mixed, s.first = false, false, View{}
	return other
}
