package mcphttp

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/mcpgen/mcpgen/mcp/internal/counters"
	"github.com/mcpgen/mcpgen/mcp/internal/safelog"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/limits"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/web"
	"github.com/mcpgen/mcpgen/mcp/stdio"
)

// Command serves as the flags of a program say: on stdio, or over HTTP at [Path]. [AddFlags] makes one.
type Command struct {
	addr, socket   string
	metrics        string
	cert, key      string
	keys           string
	hosts, origins listFlag
	proxies        listFlag
	mode           modeFlag
	sse            bool
	// Options are the options of the handler. The flags add allowed hosts, allowed origins and trusted proxies, and can
	// set MetricsAddr, SSE and SessionStore.
	Options Options
	// Routes are handlers of the program beside the endpoint, by pattern of [http.ServeMux]. Requests for hosts that are
	// not allowed do not reach them. Everything else they must check themselves, such as the origin of web pages.
	Routes map[string]http.Handler
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

// modeFlag is a flag for permissions, in octal digits.
type modeFlag os.FileMode

// String implements flag.Value.
func (m *modeFlag) String() string { return fmt.Sprintf("%#o", uint32(*m)) }

// Set implements flag.Value.
func (m *modeFlag) Set(s string) error {
	n, err := strconv.ParseUint(s, 8, 32)
	if err != nil || n == 0 || n > 0o777 {
		return errors.New("want permissions in octal digits, such as 0660")
	}
	*m = modeFlag(n)
	return nil
}

// AddFlags defines the flags -http, -unix, -unix-mode, -allow-host, -allow-origin, -trusted-proxy, -metrics,
// -sse, -tls-cert, -tls-key and -keys.
// Call Run after fs was parsed.
func AddFlags(fs *flag.FlagSet) *Command {
	c := new(Command)
	fs.StringVar(&c.addr, "http", "", "serve Streamable HTTP at this address, such as localhost:8080, instead of stdio")
	fs.StringVar(&c.socket, "unix", "", "serve Streamable HTTP at this Unix socket instead of stdio")
	fs.StringVar(&c.metrics, "metrics", "",
		"serve numbers for Prometheus at this address, such as localhost:9090, apart from clients")
	fs.StringVar(&c.cert, "tls-cert", "",
		"serve HTTPS with the certificate in this `file` of PEM, which is read again when it changes")
	fs.StringVar(&c.key, "tls-key", "", "the `file` of PEM with the key of -tls-cert")
	fs.StringVar(&c.keys, "keys", "",
		"keep keys in this `file`, which is made if need be, and sessions beside it, so that both outlive a restart")
	fs.BoolVar(&c.sse, "sse", false,
		"serve HTTP+SSE of 2024-11-05 too, at "+SSEPath+", for clients that know nothing newer")
	fs.Var(&c.mode, "unix-mode",
		"the `permissions` of the Unix socket, such as 0660 to let a group connect; who may write may connect")
	fs.Var(&c.hosts, "allow-host",
		"a host `name` by which HTTP clients may call the server, besides localhost; * for any")
	fs.Var(&c.origins, "allow-origin",
		"an `origin` of web pages that may call the server, such as https://app.example.com")
	fs.Var(&c.proxies, "trusted-proxy",
		"a `network` of reverse proxies, such as 10.0.0.0/8 or loopback, that say in headers who the client is")
	return c
}

// Main parses the command line, serves srv as its flags say, and ends the process. Programs with flags of their own use
// [AddFlags].
func Main(srv Server) {
	c := AddFlags(flag.CommandLine)
	flag.Parse()
	if err := c.Run(context.Background(), srv); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// Run serves srv until ctx ends, the process gets SIGINT or SIGTERM or, on stdio, input ends. Then open listens get
// their result, and running requests have [mcp.Options.Grace] to finish. Run does not wait longer for handlers, and
// answers their requests with an error. A second signal ends the process at once. Over HTTP, Run closes srv.
//
// Over HTTP, /readyz responds with 503 from the signal on. After SIGTERM the server accepts connections for
// [Options.StopDelay], so that load balancers stop sending requests; then it closes the listener. Handlers that still
// run are logged, and are no error.
func (c *Command) Run(ctx context.Context, srv Server) error {
	if err := c.checkFlags(); err != nil {
		return err
	}
	if srv == nil || srv.Base() == nil {
		return errNilServer
	}
	if c.addr == "" && c.socket == "" {
		return srv.Base().Serve(ctx, stdio.New(nil))
	}
	// First, because who can reach the listener may send a signal at once.
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(asked)
	l, err := c.listen(ctx)
	if err != nil {
		return err
	}
	return c.serve(ctx, asked, srv, l)
}

// checkFlags reports malformed flags, and flags that have no meaning together with the others.
func (c *Command) checkFlags() error {
	for _, origin := range c.origins {
		if err := checkOrigin(origin); err != nil {
			return err
		}
	}
	switch http := c.addr != "" || c.socket != ""; {
	case c.addr != "" && c.socket != "":
		return errors.New("mcphttp: -http and -unix exclude each other")
	case c.mode != 0 && c.socket == "":
		return errors.New("mcphttp: -unix-mode is for the socket of -unix")
	case !http && (c.hosts != nil || c.origins != nil):
		return errors.New("mcphttp: -allow-host and -allow-origin say who may call over HTTP: set -http or -unix too")
	case !http && c.metrics != "":
		return errors.New("mcphttp: -metrics is about a server over HTTP: set -http or -unix too")
	case !http && c.sse:
		return errors.New("mcphttp: -sse is a transport over HTTP: set -http or -unix too")
	case !http && c.keys != "":
		return errors.New("mcphttp: -keys is for sessions over HTTP: set -http or -unix too")
	case (c.cert == "") != (c.key == ""):
		return errors.New("mcphttp: -tls-cert and -tls-key belong together: set both")
	case c.cert != "" && c.addr == "":
		return errors.New("mcphttp: -tls-cert is for connections over a network: set -http too")
	case !http && c.proxies != nil:
		return errors.New("mcphttp: -trusted-proxy says what HTTP requests come through: set -http or -unix too")
	}
	return nil
}

// listen opens the listener that the flags name.
func (c *Command) listen(ctx context.Context) (net.Listener, error) {
	var lc net.ListenConfig
	if c.socket == "" {
		return lc.Listen(ctx, "tcp", c.addr)
	}
	// A socket of a dead process is removed; one that a process serves is an error.
	if conn, err := new(net.Dialer).DialContext(ctx, "unix", c.socket); err == nil {
		_ = conn.Close()
		return nil, fmt.Errorf("mcphttp: another process serves at %s already", c.socket)
	}
	if info, err := os.Lstat(c.socket); err == nil && info.Mode().Type() == os.ModeSocket {
		_ = os.Remove(c.socket)
	}
	l, err := lc.Listen(ctx, "unix", c.socket)
	if err == nil && c.mode != 0 {
		if err = os.Chmod(c.socket, os.FileMode(c.mode)); err != nil {
			return nil, errors.Join(err, l.Close())
		}
	}
	return l, err
}

// serve serves at l until ctx ends or the process is asked to stop.
func (c *Command) serve(ctx context.Context, asked chan os.Signal, srv Server, l net.Listener) error {
	opts := c.Options
	opts.AllowedHosts = slices.Concat(opts.AllowedHosts, c.hosts)
	opts.AllowedOrigins = slices.Concat(opts.AllowedOrigins, c.origins)
	opts.TrustedProxies = slices.Concat(opts.TrustedProxies, c.proxies)
	if c.metrics != "" {
		opts.MetricsAddr = c.metrics
	}
	opts.SSE = opts.SSE || c.sse
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.NewTextHandler(os.Stderr, nil))
	}
	opts.Logger = safelog.New(opts.Logger)
	pair, err := c.open(srv, &opts)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	if (*server.Server)(srv.Base()).RandomKeys() {
		opts.Logger.Info("mcphttp: keys are random: cursors and questions do not survive a restart" +
			" and are not shared by replicas; set -keys or mcp.Options.Keys to change that")
	}
	if opts.Authenticate == nil && isPublic(l.Addr()) {
		opts.Logger.Warn("mcphttp: every client that reaches this address may call: set Options.Authenticate, "+
			"or listen at localhost", "address", l.Addr().String())
	}
	h, err := newHandler(srv, &opts)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	ending := make(chan struct{})
	mux, err := c.routes(srv, h, ready(h.srv, ending))
	if err != nil {
		return errors.Join(err, l.Close())
	}
	paths := []any{"address", l.Addr().String(), "path", Path, "tls", pair != nil}
	if opts.SSE {
		paths = append(paths, "sse", SSEPath)
	}
	numbers, err := c.serveMetrics(ctx, srv, &opts)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	defer func() { _ = numbers.Close() }()
	hs := &http.Server{Handler: mux, ReadHeaderTimeout: limits.HeaderTimeout}
	all := opts.withDefaults()
	g := all.httpServer().Limit(hs, l, server.CountersOf((*server.Server)(srv.Base())))
	opts.Logger.Info("mcphttp: serving", paths...)
	failed := make(chan error, 1)
	if pair != nil {
		hs.TLSConfig = pair.Config()
	}
	go func() { failed <- serveAt(hs, g) }()
	end := ender{hs: hs, srv: srv.Base(), log: opts.Logger, failed: failed, ending: ending, asked: asked,
		words: lastWords}
	end.delay = max(all.StopDelay, 0)
	return end.await(ctx)
}

// routes returns a mux with everything that a command serves. It is an error if a pattern of Routes is not valid, or is
// one of the command's own.
func (c *Command) routes(srv Server, h *handler, ready http.Handler) (mux *http.ServeMux, err error) {
	mux = http.NewServeMux()
	mux.Handle(Path, h)
	if h.opts.SSE {
		mux.Handle(SSEPath, h)
	}
	mux.Handle("GET /livez", Live())
	mux.Handle("GET /readyz", ready)
	if c.Routes["/"] == nil {
		mux.HandleFunc("/", notFound)
	}
	var pattern string
	defer func() {
		if p := recover(); p != nil { // ServeMux panics if a pattern is not valid
			err = fmt.Errorf("mcphttp: Command.Routes[%q]: %v", pattern, p)
		}
	}()
	routes := maps.Clone(c.Routes)
	if card := h.opts.Card; card != nil {
		if routes, err = card.Routes(srv); err != nil {
			return nil, err
		}
		maps.Copy(routes, c.Routes)
	}
	for pattern = range routes {
		mux.Handle(pattern, h.behindGuard(routes[pattern]))
	}
	return mux, nil
}

// behindGuard returns the handler of a route of the program, with the deadlines of the endpoint and its check of the
// host.
func (h *handler) behindGuard(route http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer web.EndSoon(w, h.opts.AnswerTimeout)
		web.AwaitBody(w, r, h.opts.ReadTimeout)
		if why := h.guard.checkHost(r); why != nil {
			web.HangUp(w, r)
			web.Refuse(w, why)
			return
		}
		route.ServeHTTP(w, r)
	})
}

// serveMetrics serves the numbers of srv at [Options].MetricsAddr, if it is set, until the result is closed.
func (c *Command) serveMetrics(ctx context.Context, srv Server, opts *Options) (*http.Server, error) {
	hs := new(http.Server)
	if opts.MetricsAddr == "" {
		return hs, nil
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", opts.MetricsAddr)
	if err != nil {
		return nil, err
	}
	h, err := Metrics(srv, opts)
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	mux := http.NewServeMux()
	mux.Handle(MetricsPath, h)
	mux.HandleFunc("/", notFound)
	hs.Handler = mux
	all := opts.withDefaults()
	g := all.httpServer().Limit(hs, l, new(counters.Counters)) // no connections of clients
	opts.Logger.Info("mcphttp: serving metrics", "address", l.Addr().String(), "path", MetricsPath)
	go func() {
		if err := hs.Serve(g); !errors.Is(err, http.ErrServerClosed) {
			opts.Logger.Error("mcphttp: metrics are not served any more", "err", err)
		}
	}()
	return hs, nil
}

// isPublic reports whether other machines may reach a listener at a. They cannot reach a Unix socket.
func isPublic(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return ok && !tcp.IP.IsLoopback()
}
