package server

// NeedsScopes is [feature.Features.NeedScopes] for what s offers.
func (s *Server) NeedsScopes() bool { return s.features.NeedScopes() }

// NeedsSubjects reports whether something that s offers is for callers with a subject only.
func NeedsSubjects(s *Server) bool { return s.extensions != nil && s.extensions.NeedSubjects() }

// Scopes is [feature.Features.Scopes] for what s offers.
func Scopes(s *Server) (all, hidden []string) { return s.features.Scopes() }
