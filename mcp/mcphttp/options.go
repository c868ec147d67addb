package mcphttp

import (
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/internal/safelog"
)

const (
	defaultMaxBody        = 4 << 20
	defaultMaxSessions    = 10_000
	defaultMaxStreams     = 10_000
	defaultPerClient      = 1_000
	defaultPerSubject     = 100 // streams; an address may be that of a proxy, and hide many clients
	defaultMaxRequests    = 1_024
	defaultSessionTimeout = 30 * time.Minute
	defaultKeepAlive      = 25 * time.Second
	defaultWriteTimeout   = 5 * time.Second
	defaultAnswerTimeout  = 10 * time.Second
	defaultResumeTimeout  = 30 * time.Second
	defaultMaxWaiting     = 10_000
	defaultReadTimeout    = 10 * time.Second
)

// Options changes how a handler serves. The zero value and nil mean the defaults.
type Options struct {
	// AllowedHosts are the names by which clients may call the server, as in the Host header without
	// the port: "mcp.example.com". Localhost and loopback addresses are always allowed; "*" allows
	// every name, for servers behind a proxy that checks. Web pages of these hosts may call it too; with
	// "*" those of the very host that is called.
	AllowedHosts []string
	// AllowedOrigins are the web pages that may call the server besides those of allowed hosts,
	// as in the Origin header: "https://app.example.com"; "*" allows all. Their browsers get the answers to
	// their preflight (OPTIONS) and the headers of CORS with every response; pages of other origins get neither.
	AllowedOrigins []string
	// AllowedHeaders are the request headers that web pages may send besides those of MCP, Accept,
	// Authorization and Content-Type: those that Authenticate reads, such as "X-Api-Key".
	AllowedHeaders []string
	// Authenticate says who makes a request. Its error refuses the request with 401; the text is not
	// sent, the challenge of a [*ChallengeError] is. It is called at once for each request, and must be
	// safe for concurrent use. An answer that takes longer than 10 seconds refuses the request with 503, as do more than
	// MaxRequests calls that have not returned; the context of the request ends then. A panic refuses it with 500. Nil
	// lets everybody in, as nobody in particular.
	Authenticate func(*http.Request) (mcp.Caller, error)

	// MaxBody is the largest request body in bytes; 0 means 4 MiB.
	MaxBody int64
	// MaxSessions bounds the sessions of older revisions, MaxStreams the streams that are open at the
	// same time; 0 means 10,000 each. One client, that is one subject or else one address, has at most
	// MaxPerClient of each; 0 means 1,000, but 100 for the streams of a subject. Beyond them requests are refused with
	// 503.
	MaxSessions, MaxStreams, MaxPerClient int
	// MaxRequests bounds the requests that are handled at the same time, streams aside; 0 means 1,024.
	// Beyond it requests are refused with 503.
	MaxRequests int
	// SessionTimeout is how long a session lives without a request or stream; 0 means 30 minutes.
	SessionTimeout time.Duration
	// KeepAlive is how often a quiet stream shows that it lives; 0 means 25 seconds.
	KeepAlive time.Duration
	// WriteTimeout is how long the write of one event may take; after that the stream ends. 0 means 5 seconds.
	WriteTimeout time.Duration
	// AnswerTimeout is how long a client may take to read each 32 KiB of a response that is no stream: a JSON
	// document, or an empty body. After that the connection is closed. 0 means 10 seconds. It is longer than
	// WriteTimeout because such a response, unlike a stream, cannot be resumed.
	AnswerTimeout time.Duration
	// MaxWaiting bounds the requests of all sessions whose handlers wait for the answer to a question (elicitation,
	// sampling, roots); 0 means 10,000. One client has at most MaxPerClient of them. They do not count for
	// MaxRequests. Beyond these bounds the handler that asks gets an error.
	MaxWaiting int
	// ResumeTimeout is how long such a handler goes on waiting after its client has lost the stream that the question
	// was sent on; 0 means 30 seconds. If the client has not resumed the stream by then, the handler gets
	// [mcp.ErrNoAnswer].
	ResumeTimeout time.Duration
	// ReadTimeout is how long the body of a request may take; 0 means 10 seconds.
	ReadTimeout time.Duration
	// Logger receives what the operator should know; nil means text on stderr at level Info, as for [mcp.Options].
	Logger *slog.Logger
}

// withDefaults returns o with every limit set.
func (o *Options) withDefaults() Options {
	var c Options
	if o != nil {
		c = *o
	}
	set(&c.MaxBody, defaultMaxBody)
	set(&c.MaxSessions, defaultMaxSessions)
	set(&c.MaxStreams, defaultMaxStreams)
	set(&c.MaxPerClient, defaultPerClient)
	set(&c.MaxRequests, defaultMaxRequests)
	set(&c.SessionTimeout, defaultSessionTimeout)
	set(&c.KeepAlive, defaultKeepAlive)
	set(&c.WriteTimeout, defaultWriteTimeout)
	set(&c.AnswerTimeout, defaultAnswerTimeout)
	set(&c.MaxWaiting, defaultMaxWaiting)
	set(&c.ResumeTimeout, defaultResumeTimeout)
	set(&c.ReadTimeout, defaultReadTimeout)
	if c.Logger == nil {
		c.Logger = slog.New(slog.NewTextHandler(os.Stderr, nil))
	}
	c.Logger = safelog.New(c.Logger)
	return c
}

// check reports what is out of range.
func (o *Options) check() error {
	if o == nil {
		return nil
	}
	for _, n := range []struct {
		name  string
		value int64
	}{
		{"MaxBody", o.MaxBody},
		{"MaxSessions", int64(o.MaxSessions)},
		{"MaxStreams", int64(o.MaxStreams)},
		{"MaxPerClient", int64(o.MaxPerClient)},
		{"MaxRequests", int64(o.MaxRequests)},
		{"MaxWaiting", int64(o.MaxWaiting)},
	} {
		if n.value < 0 {
			return fmt.Errorf("mcphttp: Options.%s is %d: want 0 or more", n.name, n.value)
		}
	}
	for _, d := range []struct {
		name  string
		value time.Duration
	}{
		{"SessionTimeout", o.SessionTimeout},
		{"KeepAlive", o.KeepAlive},
		{"WriteTimeout", o.WriteTimeout},
		{"AnswerTimeout", o.AnswerTimeout},
		{"ResumeTimeout", o.ResumeTimeout},
		{"ReadTimeout", o.ReadTimeout},
	} {
		if d.value < 0 {
			return fmt.Errorf("mcphttp: Options.%s is %v: want 0 or more", d.name, d.value)
		}
	}
	return nil
}

// set sets what is not set.
func set[T int | int64 | time.Duration](v *T, value T) {
	if *v == 0 {
		*v = value
	}
}

// ChallengeError is an error of [Options.Authenticate] that tells clients how to prove who they are
// (basic/authorization).
type ChallengeError struct {
	// Header is the WWW-Authenticate header, such as
	//
	//	Bearer resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource"
	Header string
	// Forbidden says that the caller is known but may not do this: 403 instead of 401.
	Forbidden bool
	// Err is what the log says.
	Err error
}

// Error implements error.
func (c *ChallengeError) Error() string {
	if c.Err == nil {
		return "not authenticated"
	}
	return c.Err.Error()
}

// Unwrap returns Err.
func (c *ChallengeError) Unwrap() error { return c.Err }

const (
	// Path is where a [Command] serves.
	Path = "/mcp"

	headerTimeout = 5 * time.Second
	idleTimeout   = 2 * time.Minute
	maxHeader     = 64 << 10
	// stopTimeout is how long requests and streams may go on once the process is asked to stop.
	stopTimeout = 10 * time.Second
)
