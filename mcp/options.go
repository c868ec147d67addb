package mcp

import (
	"log/slog"
	"time"
)

// Options changes how a server runs. The zero value and nil mean the defaults; a negative number is an error.
type Options struct {
	// Logger receives what the operator should know, full errors among it; nil means text on
	// stderr at level Info.
	Logger *slog.Logger
	// Keys seal what the server hands to clients and takes back, such as cursors. The first key
	// seals, all of them open, so that keys can be rotated. Each has at least 16 bytes. Nil means
	// a random key for this process: cursors then die with it.
	Keys [][]byte
	// ShowErrors sends the text of every error to the client. For development.
	ShowErrors bool
	// PageSize is the most entries of one page of a list; 0 means that of the declaration.
	PageSize int
	// OnlyTags offers only features that have one of these tags, and ExceptTags none that has one of these; empty
	// means all. The others do not exist for clients, and neither do capabilities that only they need. It is an
	// error to name a tag that no feature has. Tools that are added while the program runs have no tags and
	// are always offered.
	OnlyTags, ExceptTags []string
	// DynamicTools lets tools be added and removed while clients are connected, with Server.AddTool and
	// Server.RemoveTool, and tells clients that the list of tools may change.
	DynamicTools bool
	// MaxInFlight bounds the requests of one connection that are handled at once; 0 means 256.
	// Beyond it a request is refused with an error; cancellations, pings and answers still pass.
	MaxInFlight int
	// MaxWaiting bounds the requests of one connection whose handlers wait for the answer to a question (elicitation,
	// sampling, roots); 0 means 256. They do not count for MaxInFlight. Beyond it the handler that asks gets an error.
	MaxWaiting int
	// MaxSubscriptions bounds the URIs that one connection subscribes to, and MaxListens its open
	// subscriptions/listen requests; 0 means 10,000 and 100.
	MaxSubscriptions, MaxListens int
	// Grace is how long requests that were read may go on once input ends or the process is asked
	// to stop; 0 means 10 seconds. A signal after the end of input cuts it short.
	Grace time.Duration
	// MaxFileBytes bounds what is read of a file below a root for one request; 0 means 16 MiB.
	MaxFileBytes int64
	// Caller is who the client of [Server.Serve] is, where the context does not say it: the user of a
	// stdio server. It does not count for carriers that find out by themselves, such as HTTP.
	Caller Caller
	// Audit receives one record for each tool call, read, prompt and subscription that was decided, always
	// with the keys principal, client, method, target, decision, status and duration. Nil records nothing.
	Audit *slog.Logger
	// AskTimeout is how long a question to the client may stay open: the handler of a legacy session
	// waits that long, and from 2026-07-28 on the client may repeat its request with the answer for
	// that long. 0 means 15 minutes.
	AskTimeout time.Duration
	// UpdateDelay is how long a change waits for more changes of the same resource before clients
	// are told once; 0 means 10 milliseconds.
	UpdateDelay time.Duration
	// NoUpdateDelay tells clients of every change at once.
	NoUpdateDelay bool
}
