package stats

import "time"

// Snapshot is what a server has counted since it was made, and what there is at present. For a joined server (mcpgen
// mount=) it has the sums over the server and its members. The numbers are read one after the other while the server
// works, so they may not fit each other exactly.
//
// A number with a label is a map. Its keys are the values of the label in [Metrics]; docs/metrics.md explains them.
// Zeros have no entry.
type Snapshot struct {
	// Requests counts the requests that were answered or cancelled, by method and outcome; it has no zeros. A
	// subscriptions/listen counts once it is open.
	Requests []RequestCount
	// Running is the number of requests whose handlers have not returned, and do not wait for the user or the model.
	Running int64
	// Waiting is the number of requests whose handlers wait for the user or the model of a client of an older revision.
	// From 2026-07-28 on a question ends its request.
	Waiting int64
	// Questions counts the open questions of these requests, by kind: "elicitation", "sampling", "roots".
	Questions map[string]int64
	// Abandoned counts the requests that were answered before their handler returned, because of a time limit or the end
	// of the server. AbandonedRunning is how many of these handlers still run; Running includes them.
	Abandoned, AbandonedRunning int64
	// Panics counts panics in code of the program, and calls of runtime.Goexit there, by the kind of code, such as
	// "handler".
	Panics map[string]int64

	// Connections counts the open connections: "serve" for those of mcp.Server.Serve, and "http" for those of listeners
	// with the limits of mcphttp.
	Connections map[string]int64
	// ConnectionsClosed counts connections that the server has closed, by the reason: "idle", "unread".
	ConnectionsClosed map[string]int64
	// Sessions is the number of sessions of older revisions over HTTP.
	Sessions int64
	// Streams is the number of open streams, by kind: "listen", "notifications", "response". StreamsEnded counts the
	// streams over HTTP that have ended, by the reason.
	Streams      map[string]int64
	StreamsEnded map[string]int64

	// Subscriptions is the number of URIs that clients are subscribed to. Watchers is the number of resources that the
	// server watches for them. WatchersReopened counts watchers that had to be opened again.
	Subscriptions, Watchers, WatchersReopened int64
	// UpdatesPublished counts the published changes of resources and lists. UpdatesDelivered counts the notifications that
	// were written. UpdatesCoalesced counts the changes that needed no notification for a subscriber, because one for an
	// earlier change was still to be written.
	UpdatesPublished, UpdatesDelivered, UpdatesCoalesced int64

	// PendingBytes are the bytes of requests and responses, by kind: "bodies", "answers", "unread". RetainedBytes is the
	// size of the events that sessions keep for clients that resume a stream.
	PendingBytes  map[string]int64
	RetainedBytes int64

	// Refusals counts what was refused, by the reason, such as "rate".
	Refusals map[string]int64
	// LogRecordsDropped counts slog records that were not written, by the reason.
	LogRecordsDropped map[string]int64

	// Tasks says what became of calls that were tasks.
	Tasks Tasks

	// Events says what became of events.
	Events Events

	// Replicas says how a server with replicas hears from the others.
	Replicas Replicas
}

// Events is what this process has done about the events of the program.
type Events struct {
	// Committed counts the events that were appended to the event log, and Duplicates those that it had already.
	Committed, Duplicates int64
	// Overflows counts the events that were published and lost, because the event log was slow or away.
	Overflows int64
	// Delivered counts the events that were sent to polls and streams, and Gaps how often a subscriber was told that
	// events are lost.
	Delivered, Gaps int64
	// Streams is the number of open streams. StreamsRefused counts those that were refused because there was no room.
	Streams, StreamsRefused int64
	// Withheld counts how often an event was kept from a subscriber, because code of the program failed to decode, match
	// or shape it, or to read the arguments of a webhook.
	Withheld int64
	// LogErrors counts the calls of the event log that have failed.
	LogErrors int64
	// Webhooks says what became of deliveries to callbacks.
	Webhooks Webhooks
}

// Webhooks is what this process has delivered to callbacks. Replicas divide the subscriptions among themselves, so the
// numbers of all replicas can be added.
type Webhooks struct {
	// Subscriptions are the ones that this process delivers to at present, and Suspended those of them whose callbacks
	// keep failing. InFlight are the attempts under way. Shards is how many of the 64 shards this process has.
	Subscriptions, Suspended, InFlight, Shards int64
	// Delivered counts the messages that were accepted, Retried the failed attempts that are repeated, and Abandoned the
	// events that were given up. Gaps counts how often a callback was told that events are lost, and Ended the
	// subscriptions that the server has ended.
	Delivered, Retried, Abandoned, Gaps, Ended int64
	// Failures counts the attempts that have failed, by the reason: connection_refused, timeout, tls_error, http_4xx or
	// http_5xx.
	Failures map[string]int64
	// Challenges counts the challenges that were sent to callbacks, and ChallengesFailed those that failed. Refused counts
	// connections that were not made because an address was not public.
	Challenges, ChallengesFailed, Refused int64
	// ShardsTaken counts the shards that this process has taken over from other replicas, or when it began.
	ShardsTaken int64
}

// Tasks is what this process has done about tasks. If several processes share a store, each counts only what it has
// done itself, so the numbers of all processes can be added.
type Tasks struct {
	// Created counts the tool calls that have become tasks. What was refused is among the Refusals.
	Created int64
	// Running is the number of tasks whose handlers run.
	Running int64
	// Deferred counts how often a task had to wait: because of MaxRunning of mcp.Options.Tasks, for this process or for
	// its principal, or because of concurrency= of its tool.
	Deferred int64
	// Asked counts how often a task began to wait for answers of its client.
	Asked int64
	// TakenOver counts the tasks that were run again, because the process or the run that had them before has died.
	TakenOver int64
	// GivenBack counts the tasks that the server has left to other processes when it ended.
	GivenBack int64
	// Ended counts the tasks that have ended, by their outcome. Tasks that expire before they end are not among them.
	Ended map[string]int64
	// Expired counts the tasks that were removed because their time was over, whether they had ended or not.
	Expired int64
	// StoreErrors counts the calls of the store that have failed.
	StoreErrors int64
	// NotFollowed counts the tasks of 2025-11-25 about which their session gets no notifications, or no more of them,
	// because it has too many tasks.
	NotFollowed int64
	// ProgressDropped counts the reports of progress of tasks of 2025-11-25 that no client got, because no session
	// followed the task here, or none read its notifications.
	ProgressDropped int64
}

// RequestCount is how many requests of a method had an outcome.
type RequestCount struct {
	// Method is a method of the protocol, or a method or a notification of an extension of the server. It is "other" for a
	// method that the server does not have, and "invalid" for a message that is not valid.
	Method string
	// Code is "ok" for a result, "tool_error" for the result of a tool that has failed, and "cancelled" for a request
	// without a response. For an error it is the JSON-RPC code, or "other" for a code of the program's own.
	Code  string
	Count int64
}

// Replicas is what a server with a bus (package replica) knows of the other replicas.
type Replicas struct {
	// Heard is the number of replicas that are heard, this one included; 0 without a bus.
	Heard int64
	// Missing is the number of replicas that have fallen silent within the last hour and that no other one has replaced.
	Missing int64
	// Unready has 1 for the reason why this replica is not ready; it has no entry while the replica is ready.
	Unready map[string]int64
	// Different is the number of replicas whose lists differ from the lists of this one.
	Different int64
	// Fenced is 1 while the server has not heard itself on the bus for 30 seconds, and refuses streams.
	Fenced int64
	// Suspects counts how often a replica has fallen silent.
	Suspects int64
	// Resyncs counts, by the reason, how often all subscriptions were marked as changed because changes of other replicas
	// may have been missed.
	Resyncs map[string]int64
	// Blind is for how long the server has not heard itself on the bus, all times together.
	Blind time.Duration
	// FramesSent counts the frames that this replica has published, FramesReceived those of other replicas that it has
	// received, and BusErrors failed calls of the bus.
	FramesSent, FramesReceived, BusErrors int64
	// Overflows counts how often so much waited for the bus that the others were told that everything may have changed.
	Overflows int64
	// FramesDropped counts frames that were received and not used, by the reason.
	FramesDropped map[string]int64
}
