package labels

// Refusal is the limit or check because of which a request, a connection or another thing was refused.
type Refusal uint8

// The reasons. RefusedRate to RefusedTaskReads belong to mcp.Options and single features, the others to mcphttp.
const (
	RefusedRate          Refusal = iota // calls of a feature, by rate=
	RefusedConcurrency                  // calls of a feature, by concurrency=
	RefusedInFlight                     // requests of one connection: mcp.Options.MaxInFlight
	RefusedQuestions                    // questions of one connection: mcp.Options.MaxQuestions
	RefusedSubscriptions                // subscriptions of a connection, a client, or all of them
	RefusedWatchers                     // watched resources of a client, or all of them
	RefusedListens                      // open listens of one connection: mcp.Options.MaxListens
	RefusedTasks                        // tasks of one principal: MaxPerPrincipal of mcp.Options.Tasks
	RefusedTotalTasks                   // tasks of all: MaxTotal of mcp.Options.Tasks, or the space of the store
	RefusedTaskStore                    // tasks whose store has failed or did not answer
	RefusedTaskReads                    // requests about tasks, after they have waited too long for their turn

	RefusedConnections // mcphttp.Options.MaxConnections
	RefusedCallers     // calls of Authenticate that have not returned
	RefusedRequests    // mcphttp.Options.MaxRequests
	RefusedSessions    // mcphttp.Options.MaxSessions
	RefusedStreams     // mcphttp.Options.MaxStreams
	RefusedWaiting     // mcphttp.Options.MaxWaiting
	RefusedBytes       // mcphttp.Options.MaxPendingBytes
	RefusedRetained    // events not kept for a client: mcphttp.Options.MaxRetainedBytes
	RefusedHost        // the Host header
	RefusedOrigin      // the Origin header
	RefusedCaller      // refused by Authenticate
	RefusedLateCaller  // Authenticate took too long, or has panicked
	RefusedMediaType   // Content-Type, Content-Encoding or Accept
	RefusedLargeBody   // mcphttp.Options.MaxBody
	RefusedSlowBody    // mcphttp.Options.ReadTimeout
	RefusedClosing     // requests while the server ends
	NumRefusals        // how many there are
)

// String returns the value of the label.
func (r Refusal) String() string { return refusalNames[r] }

var refusalNames = [NumRefusals]string{
	"rate", "concurrency", "in_flight", "questions", "subscriptions", "watchers", "listens",
	"tasks", "total_tasks", "task_store", "task_reads",
	"connections", "unknown_callers", "requests", "sessions", "streams", "waiting", "pending_bytes", "retained_bytes",
	"host", "origin", "caller", "late_caller", "media_type", "large_body", "slow_body", "closing",
}
