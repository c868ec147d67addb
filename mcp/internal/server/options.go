package server

import (
	"fmt"
	"log/slog"
	"time"
)

// Options changes how a server runs. The zero value and nil mean the defaults.
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

// check reports what is out of range.
func (o *Options) check() error {
	for _, n := range []struct {
		name  string
		value int64
	}{
		{"PageSize", int64(o.PageSize)},
		{"MaxInFlight", int64(o.MaxInFlight)},
		{"MaxWaiting", int64(o.MaxWaiting)},
		{"MaxSubscriptions", int64(o.MaxSubscriptions)},
		{"MaxListens", int64(o.MaxListens)},
		{"Grace", int64(o.Grace)},
		{"AskTimeout", int64(o.AskTimeout)},
		{"UpdateDelay", int64(o.UpdateDelay)},
		{"MaxFileBytes", o.MaxFileBytes},
	} {
		if n.value < 0 {
			return fmt.Errorf("mcp: Options.%s is %d: want 0 or more", n.name, n.value)
		}
	}
	if o.UpdateDelay > 0 && o.NoUpdateDelay {
		return fmt.Errorf("mcp: Options.UpdateDelay is %v beside NoUpdateDelay", o.UpdateDelay)
	}
	return nil
}

// firstPositive returns the first of the values that is set.
func firstPositive[T int | int64 | time.Duration](values ...T) T {
	for _, v := range values {
		if v > 0 {
			return v
		}
	}
	return 0
}

const (
	defaultPageSize    = 1000
	defaultMaxInFlight = 256
	defaultMaxWaiting  = 256
	defaultGrace       = 10 * time.Second
	defaultAskTimeout  = 15 * time.Minute // long enough for a person who has to think
)

const (
	defaultMaxSubscriptions = 10_000
	defaultMaxListens       = 100
	defaultUpdateDelay      = 10 * time.Millisecond
)

// maxFileKey finds Options.MaxFileBytes in the context of a watcher, whose call has no conn.
type maxFileKey struct{}
