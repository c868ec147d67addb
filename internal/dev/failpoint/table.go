package failpoint

// Environment is the variable that names the bug that is on.
const Environment = "MCPGEN_PLANTED"

// A Bug can be planted.
type Bug struct {
	// Name is what [On] is asked, and what MCPGEN_PLANTED names.
	Name string
	// Area is the part that it breaks: relay, sessions, hub, values, access, tasks or stores.
	Area string
	// Promise is what it breaks, as the documents say it, and Where names the document and its section.
	Promise, Where string
	// Test is a test of a package that fails with the bug, such as "mcp/mcphttp TestName". make planted runs it.
	Test string
}

// Table has all bugs that can be planted.
var Table = []Bug{
	{
		"session-level-lost", "sessions",
		"a replica that goes on with a session knows its log level",
		"deploy.md, Sessions and replicas", "mcp/mcphttp TestLogLevelElsewhere",
	},
	{
		"session-unsubscribe-not-carried", "sessions",
		"after unsubscribe on another replica, the replica of the stream sends no update",
		"deploy.md, Sessions and replicas", "mcp/mcphttp TestUnsubscribeElsewhere",
	},
	{
		"session-move-silent", "sessions",
		"a stream that is opened on another replica announces everything again",
		"deploy.md, Sessions and replicas", "mcp/mcphttp TestStreamThatMovesAnnouncesLists",
	},
	{
		"session-moved-unmarked", "sessions",
		"what a session was subscribed to elsewhere gets an update where its stream is opened",
		"reliability.md, Clients that leave, wait or do not read", "mcp/mcphttp TestSharedSession",
	},
	{
		"session-pass-forgotten", "sessions",
		"what changes before the first stream of a session is opened is announced on it",
		"reliability.md, Clients that leave, wait or do not read", "mcp/mcphttp/internal/eventlog TestUpdatesAreNotKept",
	},
	{
		"session-swap-stale", "sessions",
		"subscriptions that two replicas make at once for one session are both kept",
		"deploy.md, Sessions and replicas", "mcp/mcphttp TestSubscribeOnTwoReplicas",
	},
	{
		"session-reload-lost-wakeup", "sessions",
		"the replica of the stream follows what others change in the session",
		"deploy.md, Sessions and replicas", "mcp/mcphttp TestSubscribeWhileRecordIsRead",
	},
	{
		"session-stream-no-use", "sessions",
		"a session ends no sooner than SessionTimeout after its last stream",
		"deploy.md, Sessions and replicas", "mcp/mcphttp TestOpenStreamKeepsSession",
	},
	{
		"session-delete-forgotten", "sessions",
		"with a bus, DELETE ends a session with a sealed id on all replicas",
		"deploy.md, Sessions and replicas", "mcp/mcphttp TestDeleteIsRemembered",
	},
	{
		"session-id-for-ever", "sessions",
		"a sealed id is good for SessionLifetime after initialize",
		"deploy.md, Sessions and replicas", "mcp/mcphttp TestSessionLifetime",
	},
	{
		"session-event-of-another-replica", "sessions",
		"Last-Event-ID never resumes a stream of another request",
		"deploy.md, Sessions and replicas", "mcp/mcphttp TestEventIDOfAnotherReplica",
	},
	{
		"session-event-repeated", "sessions",
		"a stream that is resumed sends the remaining events, and none that the client has",
		"reliability.md, Clients that leave, wait or do not read", "mcp/mcphttp TestResume",
	},
	{
		"session-old-stream-stays", "sessions",
		"when another replica gets the stream of a session, the older stream ends",
		"deploy.md, Sessions and replicas", "mcp/mcphttp TestSharedStreamMoves",
	},
	{
		"session-resync-ignored", "sessions",
		"a change of a session whose signal is lost is found after the resync",
		"deploy.md, Replicas with a bus", "mcp/mcphttp TestSubscribeWhoseSignalIsLost",
	},
	{
		"forward-not-awaited", "sessions",
		"an answer to a question gets 202 only once the replica that waits for it has it",
		"deploy.md, Sessions and replicas", "mcp/mcphttp TestAnswerThatIsLost",
	},
	{
		"forward-answer-dropped", "sessions",
		"an answer to a question that reaches another replica is forwarded",
		"deploy.md, Sessions and replicas", "mcp/mcphttp TestAnswerElsewhere",
	},
	{
		"used-state-again", "sessions",
		"with a SessionStore, the last round of a request is good once for all replicas",
		"deploy.md, Sessions and replicas", "mcp/mcphttp TestLastRoundOnce",
	},
	{
		"access-update-not-asked", "access",
		"who has lost the right to a resource gets no update of it",
		"access.md, access", "mcp/mcphttp TestRenewedCaller",
	},
	{
		"access-expired-proof", "access",
		"updates for a session whose proof has expired wait",
		"access.md, access", "mcp/mcphttp TestUpdateAtExpiry",
	},
	{
		"access-revoke-silent", "access",
		"a subscription that ends for its right is announced as a change of the list",
		"access.md, access", "mcp/internal/pubsub TestRevokedSubscriptionEnds",
	},
	{
		"hub-mark-during-write", "hub",
		"a change during the write of an update is delivered after it",
		"package pubsub, Guarantees", "mcp/internal/pubsub TestChangeDuringWriteIsNotifiedAgain",
	},
	{
		"hub-held-mark-dropped", "hub",
		"a change before the confirmation of a subscription is delivered after it",
		"package pubsub, Guarantees", "mcp/internal/pubsub TestChangeAtEveryInstantOfAListen",
	},
	{
		"hub-resync-held", "hub",
		"a resync marks what is subscribed to and not confirmed yet",
		"deploy.md, Replicas with a bus", "mcp/internal/pubsub TestResyncMarksEverything",
	},
	{
		"hub-resync-no-lists", "hub",
		"a resync marks subscriptions to lists",
		"deploy.md, Replicas with a bus", "mcp/internal/pubsub TestResyncMarksEverything",
	},
	{
		"hub-resume-asleep", "hub",
		"updates that waited for a stream are written when there is one",
		"reliability.md, Clients that leave, wait or do not read", "mcp/internal/pubsub TestPause",
	},
	{
		"hub-appeared-unmarked", "hub",
		"what a client has subscribed to before there was anything gets an update once it exists",
		"reliability.md, Subscriptions to what does not exist", "mcp/internal/server TestAbsentIsNotWatched",
	},
	{
		"hub-reopened-watch-silent", "hub",
		"what changes while a watcher is away is announced when it is opened again",
		"reliability.md, Code of the program", "mcp/internal/pubsub TestWatcherIsOpenedAgain",
	},
	{
		"load-while-busy", "values",
		"a value that changes while it is loaded is loaded again",
		"deploy.md, Replicas with a bus", "mcp/internal/server TestLoadDuringChange",
	},
	{
		"load-untold", "values",
		"clients are told once more when a value of another replica was loaded",
		"deploy.md, Replicas with a bus", "mcp/internal/server TestLoadDuringChange",
	},
	{
		"load-failed-once", "values",
		"a load that fails is repeated",
		"deploy.md, Replicas with a bus", "mcp/internal/server TestLoadFails",
	},
	{
		"load-all-keeps-removed", "values",
		"after a loss, what another replica has removed is removed",
		"deploy.md, Replicas with a bus", "mcp/internal/server TestStoreAfterALoss",
	},
	{
		"resync-without-load", "values",
		"after a loss, values are loaded again",
		"deploy.md, Replicas with a bus", "mcp/internal/server TestStoreLoadsWhatOthersPut",
	},
	{
		"blind-keeps-session-streams", "relay",
		"a replica that does not hear itself ends the streams of its sessions",
		"deploy.md, Replicas with a bus", "mcp/mcphttp TestFencedReplica",
	},
	{
		"bye-with-handlers", "relay",
		"a replica whose handlers go on after Grace does not say that it ends",
		"deploy.md, Replicas with a bus", "mcp/internal/server TestReplicaThatLeavesHandlers",
	},
	{
		"sqlite-without-fsync", "stores",
		"each change is on the disk when it is confirmed",
		"task-stores.md, SQLite", "tasks/sqlite TestCommitsAreSynchronous",
	},
	{
		"nats-gap-after-reconnect", "stores",
		"a subscription that may have missed frames calls gap",
		"package replica, Bus", "bus/nats TestBusFaults",
	},
	{
		"nats-slow-unseen", "stores",
		"a receiver that is too slow is told of the gap",
		"package replica, Bus", "bus/nats TestBus",
	},
	{
		"nats-session-unchecked", "stores",
		"a record of a session is saved only if it is the version that was read",
		"package replica, SessionStore", "bus/nats TestSessions",
	},
	{
		"redis-session-unchecked", "stores",
		"a record of a session is saved only if it is the version that was read",
		"package replica, SessionStore", "bus/redis TestSessions",
	},
	{
		"relay-gap-of-one", "relay",
		"a frame that is lost is seen as a gap in the sequence",
		"package relay, What makes up for a bus that loses frames", "mcp/internal/relay TestConverges",
	},
	{
		"relay-first-frame", "relay",
		"who hears a replica first by any frame but its first one resyncs",
		"package relay, What makes up for a bus that loses frames", "mcp/internal/relay TestFirstFrameIsLost",
	},
	{
		"relay-failed-publish-forgotten", "relay",
		"a replica that could not publish begins a new epoch",
		"package relay, What makes up for a bus that loses frames", "mcp/internal/relay TestNewcomer",
	},
	{
		"relay-overflow-forgotten", "relay",
		"a replica that had too much to publish begins a new epoch",
		"package relay, What makes up for a bus that loses frames", "mcp/internal/relay TestOverflow",
	},
	{
		"relay-bye-without-flush", "relay",
		"a replica that ends says so after its last update",
		"deploy.md, Replicas with a bus", "mcp/internal/relay TestNotesBeforeEnd",
	},
	{
		"relay-batch-boundary", "relay",
		"a burst of signals is cut into frames, none of them is lost",
		"package relay, way of a signal", "mcp/internal/relay TestNote",
	},
	{
		"relay-lists-overwritten", "relay",
		"of several lists that change at once each is announced elsewhere",
		"package relay, Relay.NoteLists", "mcp/internal/relay TestNote",
	},
	{
		"relay-loss-after-resync", "relay",
		"a loss right after a resync is followed by another one",
		"package relay, Relay.gapIn", "mcp/internal/relay TestLossAfterResync",
	},
	{
		"relay-any-server", "relay",
		"BusName tells several servers on one bus apart",
		"deploy.md, Replicas with a bus", "mcp/internal/relay TestStrangers",
	},
	{
		"relay-digests-ignored", "relay",
		"replicas that differ in their lists for 10 seconds tell clients and the log",
		"deploy.md, Replicas with a bus", "mcp/internal/relay TestDigests",
	},
	{
		"task-checkpoint-early", "tasks",
		"a checkpoint is kept when SaveCheckpoint returns",
		"tasks.md, In a handler", "mcp/internal/tasks TestTaskCheckpointIsKept",
	},
	{
		"task-fence-ignored", "tasks",
		"an owner that goes on after its lease has ended changes nothing any more",
		"task-stores.md, Where tasks are kept", "mcp/internal/taskrun TestOwnerAgain",
	},
	{
		"task-complete-over-cancel", "tasks",
		"a task that was cancelled stays cancelled",
		"tasks.md, What clients see", "mcp/internal/taskrun TestCancelAgainstComplete",
	},
	{
		"task-cancel-unnoticed", "tasks",
		"with a bus, the context of a task that was cancelled elsewhere ends within half a second",
		"task-stores.md, Several replicas", "mcp/internal/taskrun TestUpdateThenCancel",
	},
	{
		"task-question-drops-checkpoint", "tasks",
		"a handler that runs again after an answer has its checkpoint",
		"tasks.md, In a handler", "mcp/internal/tasks TestTaskCheckpointBeforeQuestion",
	},
	{
		"task-once-moves", "tasks",
		"the handler of a task=once task never runs twice: when its server closes, the task is interrupted",
		"tasks.md, When a server closes", "mcp/internal/taskrun TestClose",
	},
	{
		"task-outcome-once", "tasks",
		"what a handler returns is written again and again until the store has it",
		"task-stores.md, Where tasks are kept", "mcp/internal/taskrun TestOutcomeCountsOnce",
	},
	{
		"task-last-message-lost", "tasks",
		"the last status message is seen also when the task has ended",
		"tasks.md, In a handler", "mcp/internal/tasks TestTaskLastMessage",
	},
	{
		"task-wait-lost-wakeup", "tasks",
		"tasks/result is answered at once when the task ends",
		"task-stores.md, Several replicas", "mcp/internal/taskrun TestChangeAfterRead",
	},
	{
		"task-answers-partial-lost", "tasks",
		"a task runs again with all answers once all its questions are answered",
		"tasks.md, In a handler", "mcp/internal/tasks TestTaskUpdatesAtOnce",
	},
	{
		"task-listen-present-state", "tasks",
		"a listen is told the present state of a task first",
		"tasks.md, What clients see", "mcp/internal/tasks TestTaskProgress",
	},
	{
		"task-scopes-ignored", "tasks",
		"a task of a tool for which the caller has not the scopes any more is unknown",
		"tasks.md, What clients see", "mcp/internal/tasks TestTasksOfOthers",
	},
	{
		"sqlite-swap-unchecked", "stores",
		"a record is replaced only if it has the version that was read",
		"package task, Ownership", "tasks/sqlite TestTwoOwners",
	},
	{
		"nats-task-unfindable", "stores",
		"after each change, a task that nobody runs can be found",
		"task-stores.md, Where tasks are kept", "bus/nats TestTasksDeath",
	},
}
