package server

import (
	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/pubsub"
	"github.com/mcpgen/mcpgen/mcp/internal/seal"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
)

// Identity returns the box that seals ids and records of sessions of s, and the name and version of s. The name tells
// servers with the same keys apart.
func Identity(s *Server) (seal.Box, protocol.Implementation) { return s.host.Seal, s.features.Info }

// MostSubscriptions returns how many resources one session of s may be subscribed to.
func MostSubscriptions(s *Server) int { return s.host.Limits.URIs }

// IsTask reports whether a topic, as a text, is a task and not a URI. Texts of tasks sort before all URIs, the oldest
// task first.
func IsTask(text string) bool { return pubsub.TopicOf(text).Kind == pubsub.Task }

// MaxSessionTasks is how many tasks the client of a session is told about.
const MaxSessionTasks = session.MaxTasks

// FollowTask tells the client of a session of s about a task that another process has made for it. It does not block.
func FollowTask(s *Server, x *session.Session, topic string) {
	if t := s.tasks; t != nil && IsTask(topic) {
		t.Follow(x.Conn(), pubsub.TopicOf(topic).URI)
	}
}

// Unfollowed counts n tasks whose changes the client of a session of s is not told of, because the process with its
// stream could not be reached.
func Unfollowed(s *Server, n int) {
	if t := s.tasks; t != nil {
		t.Unfollowed(n)
	}
}

// SetSubscriptions makes topics the only subscriptions of a session of s: tasks first, then URIs of resources. The
// client and another process have agreed on them. New ones get an update, because their resources may have changed
// meanwhile. The last caller of the session must have the right to them.
func SetSubscriptions(s *Server, x *session.Session, topics []string) {
	if len(topics) == 0 && !x.Conn().HasOutgoing() {
		return
	}
	uris := topics
	var ids []string // of tasks
	for len(uris) > 0 && IsTask(uris[0]) {
		ids, uris = append(ids, pubsub.TopicOf(uris[0]).URI), uris[1:]
	}
	missing := s.subs.Keep(x, uris)
	if t := s.tasks; t != nil {
		t.FollowOnly(x.Conn(), ids)
	}
	s.subs.Join(x, missing)
}

// SameResource reports whether two URIs name one resource of s.
func SameResource(s *Server, a, b string) bool { return s.host.Hub.SameResource(a, b) }
