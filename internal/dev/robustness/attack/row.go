package attack

import "time"

// Transport is a way to a server.
type Transport int

// The transports.
const (
	Stdio    Transport = iota // lines on pipes
	Sessions                  // HTTP with sessions, 2025-11-25
	Modern                    // HTTP of 2026-07-28
	Unix                      // HTTP of 2026-07-28 at a Unix socket
	Events                    // HTTP+SSE of 2024-11-05, with sessions of 2025-11-25
	HTTP2                     // HTTP/2 of 2026-07-28, with an http.Server of the program that has TLS
	HTTPS                     // HTTP/2 of 2026-07-28, by -tls-cert of mcphttp.Main
)

// String returns the name for people.
func (t Transport) String() string {
	return [...]string{"stdio", "HTTP with sessions", "HTTP of 2026-07-28", "Unix socket", "HTTP+SSE", "HTTP/2",
		"HTTP/2 by -tls-cert"}[t]
}

// isSecure reports whether the server has TLS.
func (t Transport) isSecure() bool { return t == HTTP2 || t == HTTPS }

// Row is one attack.
type Row struct {
	// Number is that of the defect; several rows may show one.
	Number int
	// Name says what the clients do.
	Name string
	// On are the transports on which the attack makes sense.
	On []Transport
	// Options are options of the server that differ from the defaults, as NAME=VALUE. In the full size the defaults
	// apply.
	Options []string
	// Flags are further flags of the server.
	Flags []string
	// Revision is that of sessions and of stdio; "" means 2025-11-25.
	Revision string
	// Descriptors limits those of the process of the server; 0 means no limit.
	Descriptors int
	// Hostile are the clients, one group after another.
	Hostile []Clients
	// Server is the name of the package below golden that serves; "" means that of package served.
	Server string
	// Files are the sizes of files in the directory of the server, by name; FilesFull those of the full size. A name with
	// $n stands for so many files, and has their number as its size.
	Files, FilesFull map[string]int
	// Tasks says that clients know tasks, and Subjects that callers have subjects.
	Tasks, Subjects bool
	// Ask is what honest clients do. Tool is what they call; "" means echo. URI is what they read.
	Ask       Asking
	Tool, URI string
	// Ends says that the server gets SIGTERM once the hostile clients are in place.
	Ends bool
	// Want is what must hold.
	Want Verdict
	// Pending says since when and why the row is not fulfilled yet; "" means that it is. Tests leave such rows out.
	Pending string
	// FullOnly and SmallOnly say that the row is made in one size only.
	FullOnly, SmallOnly bool
	// Stays says that what clients open on stdio stays open until the input ends, and that tasks go on.
	Stays bool
	// Alone says why other libraries take no part, "" if they do.
	Alone string
}

// Clients are hostile clients that do the same.
type Clients struct {
	// N is how many connections they open, and Full how many in the full size; 0 means N. On stdio, which has one
	// connection, everything is sent that often.
	N, Full int
	// Addresses is from how many addresses they come; 0 means one. First is the number of the first; 0 means 1.
	Addresses, First int
	// Modern says that they speak 2026-07-28, in a row over HTTP with sessions.
	Modern bool
	// Opens is how many sessions they open before and share in turn; 0 means those of the group before, or no session
	// if there is none. OneEach means one for each connection.
	Opens int
	// Send is what each connection sends, and Times how often; 0 means once.
	Send  []Message
	Times int
	// Read is what each client reads after each message.
	Read Reading
	// AtOnce says that all of them send at the same time, even if they read.
	AtOnce bool
	// Subject is that of the callers; $n is the number of the address.
	Subject string
	// Keeps says that the ids of tasks in what they read are for those after them: $task is one of these, $tasks all of
	// them as elements of an array.
	Keeps bool
	// Until is what a reply must have; until then a client sends its message again.
	Until string
	// Flood is what clients of HTTP/2 send in place of Send, Times as often on each connection.
	Flood Flood
	// Bytes are what clients send in place of a handshake of TLS, where Flood is NoHandshake.
	Bytes string
	// Closed says that over HTTP/2 they let the server send nothing of its responses.
	Closed bool
	// Small limits the receive buffer of the connection, so that what is not read fills the server.
	Small bool
	// Drops says that they break their connections as soon as they have sent all, and not in the end.
	Drops bool
	// Leaves says that they close their connections once they have read what they read, and not in the end.
	Leaves bool
	// Then is what a client does when all are in place and honest clients were served.
	Then Ending
}

// OneEach are as many sessions as connections.
const OneEach = -1

// Message is a message, in a form for every transport. In texts, $n is the number of the message, and $uris(K,prefix)
// are K URIs as elements of an array.
type Message struct {
	// RPC is the method of JSON-RPC; "" means that Body is sent.
	RPC string
	// Params are those of the request, without _meta.
	Params string
	// ID is that of the request; "" means "c$n", and "-" none.
	ID string
	// Modern gives the message the _meta of 2026-07-28 on stdio.
	Modern bool

	// Method and Path are those of HTTP; "" means POST and the path of the endpoint.
	Method, Path string
	// Header are lines that replace those of the same name; a line without a value removes them.
	Header []string
	// Body is the body, if RPC is empty.
	Body string
	// Missing is how many bytes of the body are announced and not sent.
	Missing int
	// Ahead is the beginning of the next request, which is sent once this one is handled.
	Ahead string
}

// Reading is how much of responses a client reads.
type Reading int

// What clients read.
const (
	Nothing    Reading = iota
	Head               // status and headers
	FirstEvent         // the first event of a stream
	Reply              // the response with its body
)

// Asking is what honest clients do.
type Asking int

// What honest clients do.
const (
	Calls   Asking = iota // call a tool
	Reads                 // read a resource
	Works                 // make a task of golden/jobs, and wait for its end
	Lists                 // list their tasks
	Listens               // open a listen for an update, and leave
	Answers               // call a tool that asks, and answer
	Watches               // open a listen for a resource that is watched
)

// Flood are frames of HTTP/2 that a client sends in place of its messages, as often as told.
type Flood int

// The floods.
const (
	NoFlood       Flood = iota
	Resets              // each message, which is broken off at once
	Continuations       // headers of one message that never end
	ManySettings        // settings
	Pings               // pings
	LargeHeader         // a message with a header of 1 MiB
	EmptyData           // a message whose body are empty frames
	OpenHeaders         // messages whose headers have come, and not their bodies
	NoHandshake         // bytes in place of a handshake of TLS, and then nothing
)

// Ending is what a client does in the end.
type Ending int

// What clients do.
const (
	Close     Ending = iota // it closes its connections
	Reset                   // it breaks them
	HalfClose               // it closes its side, and reads what comes
	Drain                   // it reads what it has not read
	Await                   // it reads nothing, and waits until the server has closed them
	Delete                  // it closes them and ends its sessions
	Answer                  // it answers the question that it was asked, and reads the result
)

// Verdict is what must hold, besides that honest clients are served and that goroutines and descriptors are as many
// afterwards as before.
type Verdict struct {
	// Memory is how many bytes the process may grow by; 0 means 64 MiB. Full is that with default options; 0 means the
	// same.
	Memory, Full int64
	// Log is how many bytes it may log; 0 means 64 KiB.
	Log int
	// Replies are the kinds of replies to hostile clients that are allowed; nil means any.
	Replies []string
	// Check reports what else is wrong.
	Check func(*Result) error
}

// Config says how attacks are made.
type Config struct {
	// Full makes them in their full size, with default options.
	Full bool
	// Patience is how long one honest client waits, and how long descriptors may take to come back; 0 means 30 seconds.
	Patience time.Duration
	// Hold is how long honest clients are counted at least while hostile ones are in place; 0 means five requests.
	Hold time.Duration
	// MaxMemory is the size in bytes at which the process is killed; 0 means 2 GiB.
	MaxMemory int64
	// Deadline bounds the whole attack; 0 means two minutes.
	Deadline time.Duration
}

// withDefaults returns c with every bound set.
func (c Config) withDefaults() Config {
	if c.Patience == 0 {
		c.Patience = 30 * time.Second
	}
	if c.MaxMemory == 0 {
		c.MaxMemory = 2 << 30
	}
	if c.Deadline == 0 {
		c.Deadline = 2 * time.Minute
	}
	return c
}
