package mcp

import (
	"log/slog"
	"time"

	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/replica"
	"github.com/mcpgen/mcpgen/mcp/stats"
	"github.com/mcpgen/mcpgen/mcp/task"
)

// Options configures a server. The zero value and nil mean the defaults; a negative number is an error, except for
// UpdateDelay.
type Options struct {
	// Logger receives messages for the operator, including the full texts of errors; nil means text on stderr at level
	// Info.
	Logger *slog.Logger
	// Keys are the secrets with which the server seals data that passes through clients, such as cursors. The first key
	// seals and all keys open, so that keys can be rotated. Each has at least 16 bytes. Nil means a random key: cursors
	// are then not valid in other processes, nor after a restart. A program that serves nothing but stdio, without
	// events and tasks, imports package mcp/keys if it sets Keys.
	Keys [][]byte
	// ShowErrors sends the text of every error to the client. For development.
	ShowErrors bool
	// PageSize is the largest number of entries of one page of a list; 0 means that of the declaration or, without one,
	// 1,000.
	PageSize int
	// OnlyTags limits the server to features with one of these tags; empty means all. ExceptTags excludes features with
	// one of these tags. Excluded features do not exist for clients, and neither do capabilities that only they need. A
	// tag that no feature has is an error. Tools that are added at run time have no tags and are always offered.
	OnlyTags, ExceptTags []string
	// DynamicTools allows Server.AddTool and Server.RemoveTool while clients are connected, and declares to clients
	// that the list of tools may change.
	DynamicTools bool
	// MaxInFlight limits the requests of one connection that run at the same time; 0 means 256. Further requests are
	// refused with an error, except pings; cancellations and responses are still processed.
	MaxInFlight int
	// MaxQuestions limits the requests of one connection whose handlers wait for an answer of the client (elicitation,
	// sampling, roots); 0 means 256. They do not count for MaxInFlight. Beyond the limit the handler gets an error.
	MaxQuestions int
	// MaxSubscriptions limits the URIs that one connection subscribes to, and MaxListens its open subscriptions/listen
	// requests; 0 means 10,000 and 100.
	MaxSubscriptions, MaxListens int
	// MaxTotalSubscriptions limits the URIs that all connections together subscribe to, and MaxWatchers the resources that
	// the server watches for them; 0 means 200,000 and 4,096. One client (a subject or, without one, an address over HTTP)
	// has at most a quarter of each. It also gets no more once it has four times what is left for others.
	MaxTotalSubscriptions, MaxWatchers int
	// Grace is how long running requests may go on after the end of input, or after the process was asked to stop; 0 means
	// 10 seconds. A signal after the end of input ends the grace period early.
	Grace time.Duration
	// MaxFileBytes limits how many bytes of a file below a root are read for one request; 0 means 16 MiB.
	MaxFileBytes int64
	// Caller is the caller of connections of [Server.Serve] whose context has none (see [WithCaller]): the user of a
	// stdio server. It is not used for transports that authenticate callers, such as HTTP.
	Caller Caller
	// Audit receives one record for each tool call, read, prompt, subscription, method of an extension of your own, and
	// change of a task, with the keys principal, client, method, target, decision, status and duration. A
	// subscriptions/listen has one record for each of its first 100 URIs and tasks. All others of it have two records
	// together: one for those that are allowed and one for those that are denied. Nil means no records.
	Audit *slog.Logger
	// AskTimeout is how long a question to the client stays open: how long a handler of a legacy session waits for the
	// answer, and how long a client of 2026-07-28 may repeat its request with the answer. 0 means 15 minutes.
	AskTimeout time.Duration
	// UpdateDelay is how long an update is delayed, so that several changes of a resource are one update; 0 means 10
	// milliseconds. A negative number sends every update at once.
	UpdateDelay time.Duration
	// Bus connects the replicas of a server: processes that serve the same features behind one address. An update that
	// one of them publishes reaches the clients of all. It needs Keys, the same for all replicas, and a load function for
	// every [Holder] and [Store]. Nil means that this process is the only one. Of servers that are joined, only the
	// outermost may have a Bus. [replica.Over] makes one.
	Bus replica.Link
	// BusName tells the servers on one bus apart; "" means the name of the server. The replicas of a server have the
	// same.
	BusName string
	// Replicas is how many replicas there should be, this one included. A replica that hears fewer than half of them is
	// not ready (mcphttp.Ready). 0 means that the number is not known; if a broker splits, the replicas of each part then
	// stay ready.
	Replicas int
	// ShareRates makes the rate of a limit hold for all replicas together: each of n live replicas allows 1/n of the rate,
	// rounded up. Without it, each replica allows the whole rate.
	ShareRates bool
	// Observer is told when each operation begins and ends, for traces and metrics; module otel has one. Nil means none.
	// Of servers that are joined, set it for the outermost.
	Observer stats.Observer
	// Tasks bounds tasks and says where they are kept. It has no effect without a tool with the option task.
	Tasks task.Options
	// Events says where the events of the server are kept, and how they reach clients: an
	// [event.Options]. Nil means the defaults.
	Events event.Settings
}
