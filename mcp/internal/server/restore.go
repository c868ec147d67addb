package server

import (
	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/pubsub"
	"github.com/mcpgen/mcpgen/mcp/internal/seal"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
)

// Identity returns the box of s, for ids and records of sessions, and the name and version of s. The name tells servers
// with the same keys apart.
func Identity(s *Server) (seal.Box, protocol.Implementation) { return s.host.Seal, s.features.Info }

// MostSubscriptions returns the largest number of URIs that one session of s may be subscribed to.
func MostSubscriptions(s *Server) int { return s.host.Limits.URIs }

// IsTask reports whether the text of a topic stands for a task and not for the URI of a resource. In sorted order,
// texts of tasks come before all URIs, the oldest task first.
func IsTask(text string) bool { return pubsub.TopicOf(text).Kind == pubsub.Task }

// MaxSessionTasks is the largest number of tasks whose changes the client of a session is told of.
const MaxSessionTasks = session.MaxTasks

// FollowTask makes s tell the client of session x about the changes of a task that another process has created for the
// client. It does nothing if topic is no task, and does not block.
func FollowTask(s *Server, x *session.Session, topic string) {
	if t := s.tasks; t != nil && IsTask(topic) {
		t.Follow(x.Conn(), pubsub.TopicOf(topic).URI)
	}
}

// Unfollowed adds n to the count of tasks whose changes no client is told of, because the process with the notification
// stream of the session could not be reached.
func Unfollowed(s *Server, n int) {
	if t := s.tasks; t != nil {
		t.Unfollowed(n)
	}
}

// SetSubscriptions makes topics the only subscriptions of session x. In topics, all tasks come before all URIs of
// resources. Another process has already accepted these subscriptions of the client. Each new one gets an update,
// because the resource may have changed meanwhile. Resources that the last caller of the session may not read are left
// out.
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
