package server

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/replica"
	"github.com/mcpgen/mcpgen/mcp/stats"
	"github.com/mcpgen/mcpgen/mcp/task"
)

// Options changes how a server runs. The zero value and nil mean the defaults.
type Options struct {
	// Logger receives records for the operator, including the full texts of errors; nil means text on stderr at level
	// Info.
	Logger *slog.Logger
	// Keys are the secrets with which the server seals data that passes through clients, such as cursors. The first key
	// seals and all keys open, so that keys can be rotated. Each has at least 16 bytes. Nil means a random key: cursors
	// are then not valid in other processes, nor after a restart. A program that serves nothing but stdio, without
	// events and tasks, imports package mcp/keys if it sets Keys.
	Keys [][]byte
	// ShowErrors sends the text of every error to the client. It is for development.
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
	// 10 seconds. If the process gets a signal after the end of input, the grace ends early.
	Grace time.Duration
	// MaxFileBytes limits the size of a file below a root that a request reads; 0 means 16 MiB.
	MaxFileBytes int64
	// Caller is the caller of connections of [Server.Serve] whose context has none (see [WithCaller]): the user of a
	// stdio server. It is not used for transports that authenticate callers, such as HTTP.
	Caller call.Caller
	// Audit receives one record for each tool call, read, prompt and subscription, with the keys principal, client,
	// method, target, decision, status and duration. A listen has one record for each of its first 100 URIs; for the
	// others there is one record of those that are allowed and one of those that are denied. Nil means no records.
	Audit *slog.Logger
	// AskTimeout is how long a client may take to answer a question. A handler of a legacy session waits for the answer
	// for this time. A client of 2026-07-28 may repeat its request with the answer during this time. 0 means 15 minutes.
	AskTimeout time.Duration
	// UpdateDelay is how long an update is delayed, so that several changes of a resource cause one update; 0 means 10
	// milliseconds. A negative number sends every update at once.
	UpdateDelay time.Duration
	// Bus connects the replicas of a server, which must have the same Keys. Nil means that this process is the only
	// replica. A server that is a member of another must not have a Bus.
	Bus replica.Link
	// BusName tells the servers on one bus apart; "" means the name of the server.
	BusName string
	// Replicas is the expected number of replicas, including this one; 0 if it is not known.
	Replicas int
	// ShareRates makes Limit.Rate of each feature hold for all replicas together: each replica allows its share, rounded
	// up.
	ShareRates bool
	// Observer is told of each operation; nil means nobody.
	Observer stats.Observer
	// Tasks bounds tasks and says where they are kept.
	Tasks task.Options
	// Events says where events are kept; nil means the defaults.
	Events event.Settings
}

// check returns an error if an option is out of range.
func (o *Options) check() error {
	for _, n := range []struct {
		name  string
		value int64
	}{
		{"PageSize", int64(o.PageSize)},
		{"MaxInFlight", int64(o.MaxInFlight)},
		{"MaxQuestions", int64(o.MaxQuestions)},
		{"MaxSubscriptions", int64(o.MaxSubscriptions)},
		{"MaxListens", int64(o.MaxListens)},
		{"MaxTotalSubscriptions", int64(o.MaxTotalSubscriptions)},
		{"MaxWatchers", int64(o.MaxWatchers)},
		{"Grace", int64(o.Grace)},
		{"AskTimeout", int64(o.AskTimeout)},
		{"Replicas", int64(o.Replicas)},
		{"MaxFileBytes", o.MaxFileBytes},
	} {
		if n.value < 0 {
			return fmt.Errorf("mcp: Options.%s is %d: want 0 or more", n.name, n.value)
		}
	}
	return nil
}

// firstPositive returns the first positive value; 0 if there is none.
func firstPositive[T int | int64 | time.Duration](values ...T) T {
	for _, v := range values {
		if v > 0 {
			return v
		}
	}
	return 0
}

const (
	defaultPageSize     = 1000
	defaultMaxInFlight  = 256
	defaultMaxQuestions = 256
	defaultGrace        = 10 * time.Second
	defaultAskTimeout   = 15 * time.Minute // long enough for a person who has to think
)

const (
	defaultMaxSubscriptions = 10_000
	defaultMaxListens       = 100
	defaultMaxTotal         = 200_000 // 40 MB
	defaultMaxWatchers      = 4096    // each has a goroutine, and may poll
	defaultUpdateDelay      = 10 * time.Millisecond
)
