package mcphttp

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/internal/safelog"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/limits"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/sse"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/web"
	"github.com/mcpgen/mcpgen/mcp/replica"
)

const (
	defaultMaxBody         = 4 << 20
	defaultMaxSessions     = 10_000
	defaultPerClient       = 1_000
	defaultConnections     = 8_192
	defaultPendingBytes    = 256 << 20
	defaultRetainedBytes   = 64 << 20
	defaultPerSubject      = 100 // streams; an address may have more, as it may be that of a proxy of many clients
	defaultMaxRequests     = 1_024
	defaultSessionTimeout  = 30 * time.Minute
	defaultSessionLifetime = time.Hour
	defaultKeepAlive       = 25 * time.Second
	defaultWriteTimeout    = 5 * time.Second
	defaultResumeTimeout   = 30 * time.Second
	defaultMaxWaiting      = 10_000
	defaultReadTimeout     = 10 * time.Second
	defaultStopDelay       = time.Second
)

// Options configures a handler. The zero value and nil mean the defaults; a negative number is an error, except for
// StopDelay.
//
// Under each limit, a client gets no more once it has four times what is left for others, and the last sixteenth is for
// clients that have nothing yet. So two clients cannot shut out a third. This does not hold for clients that cannot be
// told apart, such as those of a Unix socket.
type Options struct {
	// AllowedHosts are the host names by which clients may call the server, as in the Host header without the port:
	// "mcp.example.com". Localhost and loopback addresses are always allowed. "*" allows every name, for servers behind
	// a proxy that checks names. Web pages of these hosts may call the server too; with "*", those of the host in the
	// request.
	AllowedHosts []string
	// AllowedOrigins are the origins of web pages that may call the server, in addition to those of allowed hosts, as
	// in the Origin header: "https://app.example.com"; "*" allows all. Their browsers get responses to preflights
	// (OPTIONS) and the headers of CORS with every response; other origins get neither.
	AllowedOrigins []string
	// AllowedHeaders are request headers that web pages may send in addition to those of MCP, Accept, Authorization and
	// Content-Type: headers that Authenticate reads, such as "X-Api-Key".
	AllowedHeaders []string
	// Authenticate returns the caller of a request. It is called for every request, before anything else is read, and must
	// be safe for concurrent use. It runs on the goroutine of the request. An error refuses the request with 401; its text
	// is not sent, but the challenge of a [*ChallengeError] is. After 10 seconds the context of the request ends and the
	// request is refused with 503, even if the call goes on. The connection is closed when the call has returned; over
	// HTTP/2 the stream is reset after AnswerTimeout. Requests are also refused with 503 while MaxRequests calls have not
	// returned, or half as many for one address. A panic refuses the request with 500. Nil means that every caller is
	// anonymous.
	Authenticate func(*http.Request) (mcp.Caller, error)
	// StepUp is called if a request uses a listed feature (hide=false) without the scopes for it. It returns the
	// WWW-Authenticate header of the response, which gets status 403. ctx is the context of the request. The caller has
	// the scopes in granted, and needs one scope of each set in needs; neither may be changed. If StepUp returns "", or
	// is nil, the response has no such header and keeps its status. StepUp must be safe for concurrent use, and must not
	// block.
	StepUp func(ctx context.Context, granted []string, needs [][]string) string
	// Middleware wraps the endpoint. It runs after the checks of Host and Origin, and before Authenticate. Values that it
	// adds to the context of a request reach Authenticate and handlers. When that context ends, the request ends. It must
	// pass on the http.ResponseWriter that it gets. Nil means none.
	Middleware func(http.Handler) http.Handler

	// MaxBody is the largest request body in bytes; 0 means 4 MiB.
	MaxBody int64
	// MaxSessions limits the sessions of older revisions; 0 means 10,000. MaxStreams limits the open streams; 0 means
	// three quarters of MaxConnections, so that connections are left on which further streams can be refused. One client
	// (a subject or, without one, an address) has at most MaxPerClient of each; 0 means 1,000, and 100 for the streams of
	// a subject. If MaxPerClient is not below a limit, one client can have all. Beyond the limits requests are refused
	// with 503.
	MaxSessions, MaxStreams, MaxPerClient int
	// MaxRequests limits the requests that run at the same time, without streams; 0 means 1,024. One client has at most
	// half of them. Beyond the limits requests are refused with 503. Notifications, such as cancellations, and answers to
	// questions are still processed.
	MaxRequests int
	// MaxConnections limits the connections of a [Command] and of [Serve]. 0 means 8,192, or three quarters of the file
	// descriptors that the process may have if that is less. One address has at most half of them; the first 64 bits of an
	// IPv6 address count as one address, and clients of a Unix socket have no address. Beyond the limits an idle
	// connection is closed for the new one: one of a client that has more connections, or else one of the same client. If
	// there is none, the new one is closed. A Handler limits requests over HTTP/2 to the same numbers, from their headers
	// to the end of their responses; one too many is reset.
	MaxConnections int
	// MaxPendingBytes limits the memory of all clients for the bodies of requests, and for responses until clients have
	// read them; 0 means 256 MiB. A body of more than 16 KiB counts until its request is answered, because handlers use
	// its bytes. An estimate of the memory of its decoded values counts for the same time. The body of a stream counts
	// until the stream ends. Files, readers and resources with a size count before they are read, and their requests wait
	// their turn for at most 30 seconds. Other results count once a handler returns them. One client has at most a quarter
	// of the limit, or a single message. Beyond the limits bodies and responses are refused with 503, and streams end.
	MaxPendingBytes int64
	// MaxRetainedBytes limits the memory of all clients for events that sessions keep, for clients that come back with
	// Last-Event-ID; 0 means 64 MiB. One client has at most a quarter of it, one session 4 MiB, and one stream 256 events
	// and 2 MiB. Beyond the limits older events of the session are forgotten, or else the new one is not kept; no request
	// is refused. Kept events do not count for MaxPendingBytes, so that they take no room from requests. An event of a
	// stream is forgotten when the client resumes after a later one, and ResumeTimeout after the response was written.
	// Notifications of changes are not kept, because a new stream announces everything that may have changed.
	MaxRetainedBytes int64
	// TrustedProxies are the reverse proxies whose Forwarded (RFC 7239) and X-Forwarded-For headers tell the address of
	// the client, for the limits. They are addresses, networks such as "10.0.0.0/8", and the names "loopback", "private"
	// and "unix", which is every peer of a Unix socket. Without them the headers are ignored. Connections of trusted
	// proxies have no limit for one address.
	TrustedProxies []string
	// SessionTimeout is how long a session lasts without a request or stream; 0 means 30 minutes.
	SessionTimeout time.Duration
	// SessionLifetime is how long after initialize a process that does not know a session may continue it: another
	// replica, or the same server after a restart. It needs [mcp.Options.Keys]; 0 means one hour. The session has no
	// subscriptions there. A process that knows the session serves it without this limit.
	SessionLifetime time.Duration
	// SessionStore holds the sessions of older revisions for all replicas of a server, so that any of them serves any
	// request of a session: subscriptions, streams and responses to questions included. It needs [mcp.Options.Keys] and,
	// with more than one replica, [mcp.Options.Bus]. If the store is not available, requests that need it are refused with
	// 503. With a store the requestState of the last round of a request of 2026-07-28 can be used only once on all
	// replicas; after that it is an invalid parameter. Nil means that each process has its own sessions, and that the last
	// round can be sent again.
	SessionStore replica.SessionStore
	// SSE serves clients that know only HTTP+SSE, the transport of revision 2024-11-05, at paths whose last element is
	// sse. A [Command] serves [SSEPath]; a Handler must be mounted at such a path too. GET opens a session, which ends
	// with its stream; POST sends its messages. These paths speak revisions before 2026-07-28. The sessions belong to one
	// process, even with a SessionStore. All other options apply: a stream counts as a session and as a stream.
	SSE bool
	// KeepAlive is the time between two comments in a quiet stream; 0 means 25 seconds.
	KeepAlive time.Duration
	// WriteTimeout is how long the write of one event may take; then the stream ends. 0 means 5 seconds.
	WriteTimeout time.Duration
	// AnswerTimeout is how long a client may take to read each 32 KiB of a response that is not a stream; then the
	// connection is closed. 0 means 10 seconds. It is longer than WriteTimeout because such a response cannot be
	// resumed.
	AnswerTimeout time.Duration
	// MaxWaiting limits the requests of all sessions whose handlers wait for an answer of the client (elicitation,
	// sampling, roots); 0 means 10,000. One client has at most MaxPerClient of them. They do not count for MaxRequests.
	// Beyond the limits the handler gets an error.
	MaxWaiting int
	// ResumeTimeout is how long a handler goes on waiting for an answer of the client after the stream of its question has
	// broken; 0 means 30 seconds. If the client has not resumed the stream by then, the handler gets [mcp.ErrNoAnswer].
	// ResumeTimeout is also how long the events of a stream are kept after its response was written. A request of a
	// session whose client has left is cancelled after SessionTimeout; but after ResumeTimeout while at least a quarter of
	// MaxRequests are running.
	ResumeTimeout time.Duration
	// ReadTimeout is how long the body of a request may take; 0 means 10 seconds. It begins after the header, and begins
	// again when Authenticate has returned.
	ReadTimeout time.Duration
	// StopDelay is how long a [Command] accepts connections after SIGTERM while /readyz responds with 503; 0 means 1
	// second, and a negative number no delay. Set it to the period of the probes of the load balancer if that is longer.
	// After SIGINT there is no delay.
	StopDelay time.Duration
	// MetricsAddr is an address at which a [Command] that serves HTTP also serves its numbers, such as "localhost:9090":
	// GET /metrics, see [Metrics]. Empty means nowhere. It should not be reachable for clients.
	MetricsAddr string
	// Card makes a [Command] serve documents by which others find the server; nil means none.
	Card *Card
	// Logger receives messages for the operator; nil means text on stderr at level Info, as for [mcp.Options].
	Logger *slog.Logger
}

// withDefaults returns o with the defaults in place of zero values.
func (o *Options) withDefaults() Options {
	var c Options
	if o != nil {
		c = *o
	}
	set(&c.MaxBody, defaultMaxBody)
	set(&c.MaxSessions, defaultMaxSessions)
	set(&c.MaxStreams, int(max(c.connections().All*3/4, 1)))
	set(&c.MaxPerClient, defaultPerClient)
	set(&c.MaxRequests, defaultMaxRequests)
	set(&c.MaxPendingBytes, defaultPendingBytes)
	set(&c.MaxRetainedBytes, defaultRetainedBytes)
	set(&c.SessionTimeout, defaultSessionTimeout)
	set(&c.SessionLifetime, defaultSessionLifetime)
	set(&c.KeepAlive, defaultKeepAlive)
	set(&c.WriteTimeout, defaultWriteTimeout)
	set(&c.AnswerTimeout, web.AnswerTimeout)
	set(&c.MaxWaiting, defaultMaxWaiting)
	set(&c.ResumeTimeout, defaultResumeTimeout)
	set(&c.ReadTimeout, defaultReadTimeout)
	set(&c.StopDelay, defaultStopDelay)
	if c.Logger == nil {
		c.Logger = slog.New(slog.NewTextHandler(os.Stderr, nil))
	}
	c.Logger = safelog.New(c.Logger)
	return c
}

// shares returns the limits by resource. o has its defaults; perClient says that the user has set MaxPerClient.
func (o *Options) shares(perClient bool) (s [limits.NumResources]limits.Share) {
	s[limits.Connections] = o.connections()
	half := int64(max(o.MaxRequests/2, 1))
	s[limits.Asking] = limits.Share{All: int64(o.MaxRequests), Client: half, Subject: half}
	s[limits.Requests] = s[limits.Asking]
	places := func(all int) limits.Share {
		most := int64(o.MaxPerClient)
		return limits.Share{All: int64(all), Client: most, Subject: most, Alone: perClient && o.MaxPerClient >= all}
	}
	s[limits.Sessions], s[limits.Streams] = places(o.MaxSessions), places(o.MaxStreams)
	s[limits.Waiting] = places(o.MaxWaiting)
	if !perClient {
		s[limits.Streams].Subject = defaultPerSubject
	}
	quarter := func(all int64) limits.Share { return limits.Share{All: all, Client: all / 4, Subject: all / 4} }
	s[limits.PendingBytes], s[limits.RetainedBytes] = quarter(o.MaxPendingBytes), quarter(o.MaxRetainedBytes)
	return s
}

// connections returns the limits of the connections of a [Command], for all clients and for one.
func (o *Options) connections() limits.Share {
	n := int64(o.MaxConnections)
	if n == 0 {
		n = defaultConnections
		if most := limits.Descriptors(); most > 0 {
			n = max(min(n, most*3/4), 1)
		}
	}
	return limits.Share{All: n, Client: max(n/2, 1), Subject: n}
}

// check returns an error about the first option that is out of range; nil if there is none. o may be nil.
func (o *Options) check() error {
	if o == nil {
		return nil
	}
	if _, err := limits.NewProxies(o.TrustedProxies, nil); err != nil {
		return err
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
		{"MaxConnections", int64(o.MaxConnections)},
		{"MaxPendingBytes", o.MaxPendingBytes},
		{"MaxRetainedBytes", o.MaxRetainedBytes},
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
		{"SessionLifetime", o.SessionLifetime},
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

// set sets *v to value if it is zero.
func set[T int | int64 | time.Duration](v *T, value T) {
	if *v == 0 {
		*v = value
	}
}

// ChallengeError is an error that [Options.Authenticate] returns to send the client a challenge (basic/authorization).
type ChallengeError struct {
	// Header is the WWW-Authenticate header, such as
	//
	//	Bearer resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource"
	//
	// If Header is empty, a response with status 401 has "Bearer", and one with another status has no such header.
	Header string
	// Status is the status of the response; 0 means 401. 403 means that the caller is authenticated but has no right, 400
	// that the request contradicts itself, and 503 that the caller could not be authenticated at present.
	Status int
	// Err has the text for Options.Logger. It is not sent.
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

// Paths of a [Command].
const (
	Path    = web.Path // of the endpoint
	SSEPath = sse.Path // of HTTP+SSE, with [Options.SSE]
)
