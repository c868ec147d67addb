package pubsub

import "sync"

// View stands for what a read of a resource has found, so that two reads can be compared.
type View struct {
	Sum uint64 // a hash of the contents
	Err error  // the error of the read
}

// like reports whether v and o look the same to clients: both have an error, or both have the same Sum.
func (v View) like(o View) bool {
	return (v.Err == nil) == (o.Err == nil) && (v.Err != nil || v.Sum == o.Sum)
}

// Reads collects what clients have read of a polled resource since the last poll. It is safe for concurrent use.
type Reads struct {
	mu    sync.Mutex
	any   bool
	first View
	mixed bool // not all reads were alike
}

// Add records what a client has read.
func (s *Reads) Add(v View) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mixed = s.mixed || s.any && !v.like(s.first)
	s.any, s.first = true, v
}

// differ reports whether a client has read something else than v, the view of the current poll. It forgets all reads.
func (s *Reads) differ(v View) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	other := s.any && (s.mixed || !v.like(s.first))
	s.any, s.mixed, s.first = false, false, View{}
	return other
}
