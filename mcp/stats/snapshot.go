package stats

import "time"

// Snapshot is what a server has counted, since it was made, and what there is at present. Of a server that others are
// joined from (mcpgen mount=), and of these, it has the sums. The numbers are read one after the other while the
// server works, so that two of them may differ by the requests between.
//
// A number that is divided by something is a map, whose keys are the values of the label of its row in [Metrics];
// docs/metrics.md explains them. What is zero has no entry.
type Snapshot struct {
	// Requests counts the requests that were answered or cancelled, by method and outcome, without those that are zero.
	// A subscriptions/listen counts once it is open.
	Requests []RequestCount
	// Running is the number of requests whose handlers have not returned, and do not wait for the user or the model.
	Running int64
	// Waiting is the number of requests whose handlers wait for the user or the model of a client of an older revision.
	// From 2026-07-28 on a question ends its request.
	Waiting int64
	// Questions counts the open questions of these requests, by kind: "elicitation", "sampling", "roots".
	Questions map[string]int64
	// Abandoned counts the requests that were answered while their handler was running, because its time was over or the
	// server ended. AbandonedRunning is how many of these handlers have not returned; they are part of Running.
	Abandoned, AbandonedRunning int64
	// Panics counts the panics in code of the program, and calls of runtime.Goexit, by what has panicked, such as
	// "handler".
	Panics map[string]int64

	// Connections are the open ones: "serve" for those of mcp.Server.Serve, and "http" for those of listeners with the
	// limits of mcphttp.
	Connections map[string]int64
	// ConnectionsClosed counts connections that the server has closed, by the reason: "idle", "unread".
	ConnectionsClosed map[string]int64
	// Sessions is the number of sessions of older revisions over HTTP.
	Sessions int64
	// Streams are the open ones, by kind: "listen", "notifications", "response". StreamsEnded counts those over HTTP that
	// have ended, by the reason.
	Streams      map[string]int64
	StreamsEnded map[string]int64

	// Subscriptions is the number of URIs that clients are subscribed to, and Watchers that of the resources that the
	// server watches for them. WatchersReopened counts watchers that had to be opened again.
	Subscriptions, Watchers, WatchersReopened int64
	// UpdatesPublished counts the changes that were published, of resources and lists. UpdatesDelivered counts the
	// notifications that were written for them, and UpdatesCoalesced the changes that a subscriber gets no notification
	// for, because one that tells of an earlier change was still to be written.
	UpdatesPublished, UpdatesDelivered, UpdatesCoalesced int64

	// PendingBytes are the bytes of requests and responses, by kind: "bodies", "answers", "unread". RetainedBytes is the
	// size of the events that sessions keep for clients that resume a stream.
	PendingBytes  map[string]int64
	RetainedBytes int64

	// Refusals counts what was refused, by the reason, such as "rate".
	Refusals map[string]int64
	// LogRecordsDropped counts records of the log that were not written, by the reason.
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
	// Committed counts the events that were appended to the log, and Duplicates those that it had already.
	Committed, Duplicates int64
	// Overflows counts the events that were published and lost, because the log was slow or away.
	Overflows int64
	// Delivered counts the events that polls and streams have got, and Gaps how often a subscriber was told that some
	// are lost.
	Delivered, Gaps int64
	// Streams is the number of open streams. What was refused for want of room is in StreamsRefused.
	Streams, StreamsRefused int64
	// Withheld counts how often an event was kept from a subscriber, because code of the program failed to decode, match
	// or shape it, or to read the arguments of a webhook.
	Withheld int64
	// LogErrors counts the calls of the log that have failed.
	LogErrors int64
	// Webhooks says what became of deliveries to callbacks.
	Webhooks Webhooks
}

// Webhooks is what this process has delivered to callbacks. Replicas divide the subscriptions, so that the sums over
// all of them are right.
type Webhooks struct {
	// Subscriptions, Suspended, InFlight and Shards are how many there are at present: subscriptions that this process
	// delivers to, those that are suspended because their callbacks fail, attempts, and shards of 64.
	Subscriptions, Suspended, InFlight, Shards int64
	// Delivered counts the messages that were accepted, Retried the attempts that will be repeated, Abandoned the events
	// that were given up, Gaps how often a callback was told that events are lost, and Ended the subscriptions that the
	// server has ended.
	Delivered, Retried, Abandoned, Gaps, Ended int64
	// Failures counts the attempts that have failed, by why: connection_refused, timeout, tls_error, http_4xx or http_5xx.
	Failures map[string]int64
	// Challenges counts the callbacks that were asked whether they want messages, and ChallengesFailed those that did not
	// answer well. Refused counts the connections that were not made because an address was not public.
	Challenges, ChallengesFailed, Refused int64
	// ShardsTaken grows when shards move among replicas.
	ShardsTaken int64
}

// Tasks is what this process has done about tasks. Of tasks in a store that several processes share, each counts what
// it has done itself, so that the sums over all of them are right.
type Tasks struct {
	// Created counts the tool calls that have become tasks. What was refused is among the Refusals.
	Created int64
	// Running is the number of tasks whose handlers run.
	Running int64
	// Deferred counts how often a task had to wait, because this process or its principal had as many running as they
	// may have (MaxRunning of mcp.Options.Tasks), or by concurrency= of its tool.
	Deferred int64
	// Asked counts how often a task began to wait for answers of its client.
	Asked int64
	// TakenOver counts the tasks that were run again, because the process or the run that had them before has died.
	TakenOver int64
	// GivenBack counts the tasks that the server has left to other processes when it ended.
	GivenBack int64
	// Ended counts those that have ended, by how. Tasks that expire before are not among them.
	Ended map[string]int64
	// Expired counts the tasks that were removed because their time was over, whether they had ended or not.
	Expired int64
	// StoreErrors counts the calls of the store that have failed.
	StoreErrors int64
	// NotFollowed counts the tasks whose session of 2025-11-25 is not notified of them, or no longer, because it has too
	// many.
	NotFollowed int64
	// ProgressDropped counts the reports of progress of tasks of 2025-11-25 that no client got, because nobody followed
	// the task here, or read its notifications.
	ProgressDropped int64
}

// RequestCount is how many requests of a method had an outcome.
type RequestCount struct {
	// Method is a method of the protocol or of an extension of the server, notifications of extensions included, "other"
	// for one that the server does not have, or "invalid" for a message that is not valid.
	Method string
	// Code is the code of the JSON-RPC error, "other" for one that only the program has, "ok" for a result, "tool_error"
	// for a result that says that the tool has failed, and "cancelled" for a request without a response.
	Code  string
	Count int64
}

// Replicas is what a server with a bus (package replica) knows of the other replicas.
type Replicas struct {
	// Heard is the number of replicas that are heard, this one included; 0 without a bus.
	Heard int64
	// Missing is the number of those that have fallen silent within the last hour and that no other one has replaced.
	Missing int64
	// Unready is 1 for the reason why this replica is not ready.
	Unready map[string]int64
	// Different is the number of those whose lists differ from the lists of this one.
	Different int64
	// Fenced is 1 while the server has not heard itself on the bus for 30 seconds, and refuses streams.
	Fenced int64
	// Suspects counts how often a replica has fallen silent.
	Suspects int64
	// Resyncs counts how often all subscriptions were marked as changed, because changes of replicas may have been
	// missed, by the reason.
	Resyncs map[string]int64
	// Blind is for how long the server has not heard itself on the bus, all times together.
	Blind time.Duration
	// FramesSent and FramesReceived count the frames of this server and those of the other replicas, BusErrors the
	// calls of the bus that have failed.
	FramesSent, FramesReceived, BusErrors int64
	// Overflows counts how often so much waited for the bus that the others were told that everything may have changed.
	Overflows int64
	// FramesDropped counts frames that were received and not used, by the reason.
	FramesDropped map[string]int64
}
