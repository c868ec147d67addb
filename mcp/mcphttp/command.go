package mcphttp

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/mcpgen/mcpgen/mcp/internal/safelog"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/stdio"
)

// Command is what the flags of a program say about how it serves: stdio, or HTTP at [Path].
type Command struct {
	addr, socket   string
	hosts, origins listFlag
	// Options are those of the handler; the flags add allowed hosts and origins.
	Options Options
}

// listFlag is a flag that may be repeated, or list its values with commas.
type listFlag []string

// String implements flag.Value.
func (l *listFlag) String() string { return strings.Join(*l, ",") }

// Set implements flag.Value.
func (l *listFlag) Set(s string) error {
	*l = append(*l, strings.Split(s, ",")...)
	return nil
}

// AddFlags defines -http, -unix, -allow-host and -allow-origin. Call Run once fs is parsed.
func AddFlags(fs *flag.FlagSet) *Command {
	c := new(Command)
	fs.StringVar(&c.addr, "http", "", "serve Streamable HTTP at this address, such as localhost:8080, instead of stdio")
	fs.StringVar(&c.socket, "unix", "", "serve Streamable HTTP at this Unix socket instead of stdio")
	fs.Var(&c.hosts, "allow-host", "a host `name` by which HTTP clients may call the server, besides localhost; * for any")
	fs.Var(&c.origins, "allow-origin",
		"an `origin` of web pages that may call the server, such as https://app.example.com")
	return c
}

// Main serves srv as the flags of the program say, and ends the process. Programs with flags of
// their own use [AddFlags].
func Main(srv Server) {
	c := AddFlags(flag.CommandLine)
	flag.Parse()
	if err := c.Run(context.Background(), srv); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// Run serves srv until ctx ends, the process gets SIGINT or SIGTERM or, on stdio, input ends. Then
// requests may go on for 10 seconds, and listens get their result; a second signal ends the process at once. It closes
// srv if it has served HTTP.
func (c *Command) Run(ctx context.Context, srv Server) error {
	for _, origin := range c.origins {
		if err := checkOrigin(origin); err != nil {
			return err
		}
	}
	if c.addr == "" && c.socket == "" {
		if c.hosts != nil || c.origins != nil {
			return errors.New("mcphttp: -allow-host and -allow-origin say who may call over HTTP: set -http or -unix too")
		}
		return srv.Base().Serve(ctx, stdio.New(nil))
	}
	// First, because who can reach the listener may send a signal at once.
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	l, err := c.listen(ctx)
	if err != nil {
		return err
	}
	return c.serve(ctx, stop, srv, l)
}

// listen opens what the flags name.
func (c *Command) listen(ctx context.Context) (net.Listener, error) {
	var lc net.ListenConfig
	if c.addr != "" && c.socket != "" {
		return nil, errors.New("mcphttp: -http and -unix exclude each other")
	}
	if c.socket == "" {
		return lc.Listen(ctx, "tcp", c.addr)
	}
	// A socket that a process left behind when it died is in the way; one that somebody serves is not ours.
	if conn, err := new(net.Dialer).DialContext(ctx, "unix", c.socket); err == nil {
		_ = conn.Close()
		return nil, fmt.Errorf("mcphttp: somebody serves at %s already", c.socket)
	}
	if info, err := os.Lstat(c.socket); err == nil && info.Mode().Type() == os.ModeSocket {
		_ = os.Remove(c.socket)
	}
	return lc.Listen(ctx, "unix", c.socket)
}

// serve serves at l until ctx ends, and calls stop then, so that nobody catches a second signal.
func (c *Command) serve(ctx context.Context, stop func(), srv Server, l net.Listener) error {
	opts := c.Options
	opts.AllowedHosts = slices.Concat(opts.AllowedHosts, c.hosts)
	opts.AllowedOrigins = slices.Concat(opts.AllowedOrigins, c.origins)
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.NewTextHandler(os.Stderr, nil))
	}
	opts.Logger = safelog.New(opts.Logger)
	if (*server.Server)(srv.Base()).RandomKeys() {
		opts.Logger.Info("mcphttp: keys are random: cursors and questions do not survive a restart and are not shared by replicas; set mcp.Options.Keys to change that")
	}
	if opts.Authenticate == nil && isPublic(l.Addr()) {
		opts.Logger.Warn("mcphttp: whoever reaches this address may call: set Options.Authenticate, or listen at localhost",
			"address", l.Addr().String())
	}
	mux := http.NewServeMux()
	h, err := Handler(srv, &opts)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	mux.Handle(Path, h)
	mux.HandleFunc("/", notFound)
	mux.Handle("GET /livez", Live())
	mux.Handle("GET /readyz", Ready(srv))
	hs := &http.Server{
		Handler:           mux,
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(opts.Logger.Handler(), slog.LevelDebug),
	}
	opts.Logger.Info("mcphttp: serving", "address", l.Addr().String(), "path", Path)
	failed := make(chan error, 1)
	go func() { failed <- hs.Serve(l) }()
	select {
	case err := <-failed:
		return errors.Join(err, srv.Base().Close())
	case <-ctx.Done():
	}
	stop()
	return shutDown(hs, srv)
}

// isPublic reports whether other machines may reach a listener at a. A Unix socket has the permissions of its
// directory.
func isPublic(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return ok && !tcp.IP.IsLoopback()
}

// shutDown ends a server: streams first, or nobody would wait for them.
func shutDown(hs *http.Server, srv Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	closed := make(chan error, 1)
	go func() { closed <- srv.Base().Close() }()
	if err := hs.Shutdown(ctx); err != nil {
		_ = hs.Close() // the contexts of what is left end
	}
	select {
	case err := <-closed:
		return err
	case <-ctx.Done():
		return errors.New("mcphttp: requests were still running when the process ended")
	}
}

// Live answers probes that ask whether the process runs.
func Live() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		endSoon(w, defaultAnswerTimeout)
		w.WriteHeader(http.StatusOK)
	})
}

// Ready answers probes that ask whether srv takes requests: 503 once it is closing.
func Ready(srv Server) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		endSoon(w, defaultAnswerTimeout)
		select {
		case <-(*server.Server)(srv.Base()).Stopping():
			w.WriteHeader(http.StatusServiceUnavailable)
		default:
			w.WriteHeader(http.StatusOK)
		}
	})
}
