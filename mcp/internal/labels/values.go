package labels

// Question is a kind of request to the client.
type Question uint8

// The kinds of questions.
const (
	QuestionElicitation Question = iota
	QuestionSampling
	QuestionRoots
	NumQuestions // how many there are
)

// String returns the value of the label.
func (q Question) String() string { return questionNames[q] }

var questionNames = [NumQuestions]string{"elicitation", "sampling", "roots"}

// Panic is a kind of code that has panicked or called runtime.Goexit.
type Panic uint8

// The kinds of code.
const (
	PanicHandler      Panic = iota // a tool, a reader, a prompt, middleware, a completion or list function
	PanicPolicy                    // a policy
	PanicWatcher                   // a watch function, or a read of a watcher that polls
	PanicAuthenticate              // mcphttp.Options.Authenticate
	PanicLogger                    // a handler of a logger
	PanicObserver                  // mcp.Options.Observer
	PanicTransport                 // a transport.Conn that writes, or a response writer of package exchange
	NumPanics                      // how many there are
)

// String returns the value of the label.
func (p Panic) String() string { return panicNames[p] }

var panicNames = [NumPanics]string{"handler", "policy", "watcher", "authenticate", "logger", "observer",
	"transport"}

// TaskEnd is how a task has ended.
type TaskEnd uint8

// The ways in which a task ends.
const (
	TaskCompleted   TaskEnd = iota // with a result
	TaskToolError                  // with a result that says that the tool has failed
	TaskFailed                     // with a JSON-RPC error
	TaskCancelled                  // by its client
	TaskInterrupted                // its process has ended, and the tool must not run twice, or was interrupted too often
	NumTaskEnds                    // how many there are
)

// String returns the value of the label.
func (e TaskEnd) String() string { return taskEndNames[e] }

var taskEndNames = [NumTaskEnds]string{"completed", "tool_error", "failed", "cancelled", "interrupted"}

// Transport is a kind of connection.
type Transport uint8

// The kinds of connections.
const (
	TransportServe Transport = iota // of mcp.Server.Serve: standard streams, pipes, sockets
	TransportHTTP                   // of a listener with the limits of mcphttp
	NumTransports                   // how many there are
)

// String returns the value of the label.
func (t Transport) String() string { return transportNames[t] }

var transportNames = [NumTransports]string{"serve", "http"}

// Close is why the server has closed a connection.
type Close uint8

// The reasons.
const (
	ClosedIdle   Close = iota // the connection was idle, and another one needed its place
	ClosedUnread              // the client did not read a message in time
	NumCloses                 // how many there are
)

// String returns the value of the label.
func (c Close) String() string { return closeNames[c] }

var closeNames = [NumCloses]string{"idle", "unread"}

// Stream is a kind of stream.
type Stream uint8

// The kinds of streams.
const (
	StreamListen        Stream = iota // an open subscriptions/listen, on any transport
	StreamNotifications               // the GET stream of a session
	StreamResponse                    // a response that is a stream, or the rest of such a response
	NumStreams                        // how many there are
)

// String returns the value of the label.
func (s Stream) String() string { return streamNames[s] }

var streamNames = [NumStreams]string{"listen", "notifications", "response"}

// StreamEnd is why a stream over HTTP has ended.
type StreamEnd uint8

// The reasons.
const (
	EndedUnread       StreamEnd = iota // the client did not read an event in time
	EndedPendingBytes                  // too many bytes of clients were pending
	EndedReplaced                      // a newer stream of the session has taken its place
	EndedOther                         // all was sent, the client has left, or the server ends
	NumStreamEnds                      // how many there are
)

// String returns the value of the label.
func (e StreamEnd) String() string { return streamEndNames[e] }

var streamEndNames = [NumStreamEnds]string{"unread", "pending_bytes", "replaced", "other"}

// Pending says why bytes of a client are held in memory.
type Pending uint8

// The kinds.
const (
	PendingBodies  Pending = iota // bodies of requests that are handled
	PendingAnswers                // values of responses, until the responses wait for the client
	PendingUnread                 // responses that clients have not read
	NumPending                    // how many there are
)

// String returns the value of the label.
func (p Pending) String() string { return pendingNames[p] }

var pendingNames = [NumPending]string{"bodies", "answers", "unread"}

// Drop is why a log record was not written.
type Drop uint8

// The reasons.
const (
	DroppedRate Drop = iota // clients have caused too many such records
	DroppedSlow             // the slog.Handler was busy with an earlier record
	NumDrops                // how many there are
)

// String returns the value of the label.
func (d Drop) String() string { return dropNames[d] }

var dropNames = [NumDrops]string{"rate", "slow_handler"}

// FrameDrop is why a frame from the bus was dropped.
type FrameDrop uint8

// The reasons.
const (
	FrameOfUnknownKey FrameDrop = iota // sealed with a key that this server does not have
	FrameForeign                       // of another server, or forged
	FrameMalformed                     // of another version
	FrameTooLong
	NumFrameDrops // how many there are
)

// String returns the value of the label.
func (d FrameDrop) String() string { return frameDropNames[d] }

var frameDropNames = [NumFrameDrops]string{"unknown_key", "foreign", "malformed", "too_long"}

// Resync is why changes of other replicas may have been missed.
type Resync uint8

// The reasons.
const (
	ResyncFrame     Resync = iota // a frame was lost, or is of another version
	ResyncSilent                  // a replica is silent
	ResyncHalfHeard               // others hear a replica that this one does not hear; repeated every 15 seconds
	ResyncStarted                 // a replica has started, and no other has said that it ends
	ResyncBus                     // this replica was cut off from the bus
	NumResyncs                    // how many there are
)

// String returns the value of the label.
func (r Resync) String() string { return resyncNames[r] }

var resyncNames = [NumResyncs]string{"frame_lost", "silent", "half_heard", "started", "bus"}

// Unready is why a replica is not ready.
type Unready uint8

// The reasons.
const (
	UnreadyStarting Unready = iota // it has not heard itself and the others yet
	UnreadyCutOff                  // it has not heard itself for 30 seconds
	UnreadyApart                   // the others do not hear it, or none of its keys opens their frames
	UnreadyClock                   // its clock is more than 30 seconds off that of the others
	UnreadyFew                     // it hears fewer than half of mcp.Options.Replicas
	NumUnready                     // how many there are
)

// String returns the value of the label.
func (u Unready) String() string { return unreadyNames[u] }

var unreadyNames = [NumUnready]string{"starting", "cut_off", "apart", "clock", "few"}
