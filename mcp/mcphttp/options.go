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
	defaultPerSubject      = 100 // streams; an address may be that of a proxy, and hide many clients
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
// No client has more than four times what is left of anything that a limit counts. The last sixteenth is for clients
// that have nothing. So two clients never shut out a third. Clients that cannot be told from others, as those of a Unix
// socket, are exempt.
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
	// Authenticate returns the caller of a request. It is called for every request, before anything else is read, and
	// must be safe for concurrent use. It runs on the goroutine of the request. An error refuses the request with 401;
	// its text is not sent, but the challenge of a [*ChallengeError] is. After 10 seconds the context of the request
	// ends and the request is refused with 503, even if the call goes on; the connection is closed when it has
	// returned, and over HTTP/2 the stream is reset after AnswerTimeout. Requests are refused so too while MaxRequests
	// calls have not returned, or half of these for one address. A panic refuses the request with 500. Nil means that
	// every caller is anonymous.
	Authenticate func(*http.Request) (mcp.Caller, error)
	// StepUp returns the WWW-Authenticate header of the response to a request that uses a listed feature (hide=false)
	// without the scopes for it, which then has status 403. The context is that of the request. The caller has the
	// scopes granted, and needs one of each set; neither may be changed. "" and a nil StepUp leave the status as it is
	// without a header. It must be safe for concurrent use and not wait.
	StepUp func(ctx context.Context, granted []string, needs [][]string) string
	// Middleware wraps the endpoint behind the checks of Host and Origin, around Authenticate: values that it adds to
	// the context of a request reach Authenticate and handlers, and the request ends with its context. It must
	// pass on the http.ResponseWriter that it gets. Nil means none.
	Middleware func(http.Handler) http.Handler

	// MaxBody is the largest request body in bytes; 0 means 4 MiB.
	MaxBody int64
	// MaxSessions limits the sessions of older revisions; 0 means 10,000. MaxStreams limits the open streams; 0 means
	// three quarters of MaxConnections, so that there are connections left on which more are refused. One client, which
	// is one subject or else one address, has at most MaxPerClient of each; 0 means 1,000, and 100 for the streams of a
	// subject. MaxPerClient that is not below a limit lets one client have all. Beyond the limits requests are refused
	// with 503.
	MaxSessions, MaxStreams, MaxPerClient int
	// MaxRequests limits the requests that run at the same time, without streams; 0 means 1,024. One client has at most
	// half of them. Beyond the limits requests are refused with 503, but not notifications, such as those that cancel a
	// request, and answers to questions.
	MaxRequests int
	// MaxConnections limits the connections of a [Command], and of [Serve]; 0 means 8,192, or three quarters of the
	// file descriptors that the process may have if these are fewer. One address has at most half of them; the first 64
	// bits of an IPv6 address count as one address, and clients of a Unix socket have none. Beyond the limits a
	// connection that waits for its next request is closed for the new one: one of a client that has more, or else one
	// of the same client. If there is none, the new one is closed. Requests over HTTP/2 are limited to the same
	// numbers, in a Handler, from their headers to the end of their responses; one too many is reset.
	MaxConnections int
	// MaxPendingBytes limits the memory for the bodies of requests and for responses, until clients have read them, of
	// all clients; 0 means 256 MiB. A body of more than 16 KiB counts until its request is answered, because handlers use
	// its bytes, and with it about what its values are decoded into; that of a stream counts until the stream ends.
	// Files, readers and resources with a size count before they are read, and their requests wait their turn for 30
	// seconds at most; what handlers return counts from then on. One client has at most a quarter of it, or a single
	// message. Beyond the limits bodies and responses are refused with 503, and streams end.
	MaxPendingBytes int64
	// MaxRetainedBytes limits the memory in which sessions keep the events of their streams for clients that come back
	// for them with Last-Event-ID, of all clients; 0 means 64 MiB. One client has at most a quarter of it, one session 4
	// MiB, and one stream 256 events and 2 MiB. Beyond the limits older events of the session are forgotten, or else
	// the new one is not kept; no request is refused. It is apart from MaxPendingBytes for that reason: what
	// is kept must not take the room of requests. The events of a stream are forgotten when the client names a later one,
	// and ResumeTimeout after the response was written; notifications of changes are not kept, because a stream that is
	// opened again announces all that may have changed.
	MaxRetainedBytes int64
	// TrustedProxies are the reverse proxies whose Forwarded (RFC 7239) and X-Forwarded-For headers give the address of
	// the client that limits count for: addresses, networks such as "10.0.0.0/8", and the names "loopback", "private"
	// and "unix", which is every peer of a Unix socket. Without them the headers are ignored. Connections of trusted
	// proxies have no limit for one address.
	TrustedProxies []string
	// SessionTimeout is how long a session lasts without a request or stream; 0 means 30 minutes.
	SessionTimeout time.Duration
	// SessionLifetime is how long after initialize a process that does not know a session goes on with it: another
	// replica, or the same server after a restart. It needs [mcp.Options.Keys]; 0 means one hour. The session has no
	// subscriptions there. A process that knows a session serves it for any time.
	SessionLifetime time.Duration
	// SessionStore holds the sessions of older revisions for all replicas of a server, so that any of them serves any
	// request of a session: subscriptions, streams and responses to questions included. It needs [mcp.Options.Keys] and,
	// with more than one replica, [mcp.Options.Bus]. Requests that need a store which is not available are refused with
	// 503. With a store the requestState of the last round of a request of 2026-07-28 can be used once, on all replicas;
	// after that it is an invalid parameter. Nil means that each process has its own sessions, and that the last round
	// can be sent again.
	SessionStore replica.SessionStore
	// SSE serves clients that know HTTP+SSE only, the transport of revision 2024-11-05, at paths whose last element is
	// sse: a [Command] has [SSEPath], and a Handler is mounted at such a path too. GET opens a session, which ends with
	// its stream; POST sends its messages. Only revisions before 2026-07-28 are spoken there. The sessions are those of
	// one process, whatever SessionStore is. All other options apply: a stream counts as a session and as a stream.
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
	// ResumeTimeout is how long such a handler waits after the stream of its question has broken; 0 means 30 seconds.
	// If the client has not resumed the stream by then, the handler gets [mcp.ErrNoAnswer]. It is also how long the
	// events of a stream are kept after its response was written, and after which a request of a session is cancelled
	// whose client has left, if a quarter of MaxRequests runs; else that happens after SessionTimeout.
	ResumeTimeout time.Duration
	// ReadTimeout is how long the body of a request may take, from the end of its header, and once more from the end of
	// Authenticate; 0 means 10 seconds.
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

// withDefaults returns o with every limit set.
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

// shares returns the limits, given that the defaults are set; perClient says that MaxPerClient is not the default.
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

// connections returns the limit of connections of a [Command].
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

// check reports what is out of range.
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

// set sets what is not set.
func set[T int | int64 | time.Duration](v *T, value T) {
	if *v == 0 {
		*v = value
	}
}

// ChallengeError is an error of [Options.Authenticate] with a challenge for the client (basic/authorization).
type ChallengeError struct {
	// Header is the WWW-Authenticate header, such as
	//
	//	Bearer resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource"
	//
	// If it is empty, it is "Bearer" for 401, and missing for another status.
	Header string
	// Status is the status of the response; 0 means 401. With 403 the caller is authenticated and has not the right,
	// with 400 the request contradicts itself, and with 503 it could not be found out who the caller is.
	Status int
	// Err is the text for the log.
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
