package mcphttp_test

import (
	"context"
	"flag"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

// noServer is what a program has that does not look at the error of the constructor.
type noServer struct{}

// Base implements mcphttp.Server.
func (noServer) Base() *mcp.Server { return nil }

// run runs a program with these arguments, which must end at once, and returns its error.
func run(t *testing.T, srv mcphttp.Server, args ...string) string {
	t.Helper()
	fs := flag.NewFlagSet("", flag.ContinueOnError)
	c := mcphttp.AddFlags(fs)
	if err := fs.Parse(args); err != nil {
		t.Fatal(err)
	}
	err := c.Run(t.Context(), srv)
	if err == nil {
		t.Fatal("no error")
	}
	return err.Error()
}

// Flags for HTTP are errors without it, also those that only make limits count right.
func TestHTTPFlagsOnStdio(t *testing.T) {
	t.Attr("requirements", "auth-transport")
	srv := newRig(t, nil).srv
	for flag, value := range map[string]string{
		"-trusted-proxy": "nonsense", "-allow-host": "x", "-allow-origin": "https://x.example", "-unix-mode": "0660",
		"-metrics": "localhost:0", "-keys": "keys", "-tls-cert": "cert.pem",
	} {
		if err := run(t, srv, flag, value); !strings.Contains(err, flag) {
			t.Errorf("%s: %s", flag, err)
		}
	}
}

// Files of flags that cannot be used are errors at the start, which name the flag.
func TestFilesOfFlags(t *testing.T) {
	dir := t.TempDir()
	for _, tt := range []struct {
		want string
		opts *mcp.Options
		args []string
	}{
		{"-keys: mcp.Options.Keys are set", &mcp.Options{Keys: [][]byte{make([]byte, 32)}}, []string{"-keys", dir + "/keys"}},
		{"-keys: open", nil, []string{"-keys", dir + "/no/keys"}},
		{"-tls-cert: ", nil, []string{"-tls-cert", dir + "/no", "-tls-key", dir + "/no"}},
		{"set both", nil, []string{"-tls-cert", dir + "/no"}},
	} {
		if err := run(t, newRigWith(t, nil, tt.opts).srv, append(tt.args, "-http", "127.0.0.1:0")...); !strings.Contains(err, tt.want) {
			t.Errorf("%q: %s", tt.args, err)
		}
	}
}

func TestCommandWithoutServer(t *testing.T) {
	for _, args := range [][]string{{"-http", "127.0.0.1:0"}, nil} {
		if err := run(t, noServer{}, args...); !strings.Contains(err, "the server is nil") {
			t.Errorf("%q: %s", args, err)
		}
	}
}

// Numbers are served at their own address, as long as the command runs, and not at that of the clients.
func TestCommandMetrics(t *testing.T) {
	r := newRig(t, nil)
	fs := flag.NewFlagSet("", flag.ContinueOnError)
	c := mcphttp.AddFlags(fs)
	if err := fs.Parse([]string{"-http", "127.0.0.1:0", "-metrics", "127.0.0.1:0"}); err != nil {
		t.Fatal(err)
	}
	addresses := make(chan string, 10)
	c.Options.Logger = slog.New(addressed(addresses))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- c.Run(ctx, r.srv) }()
	numbers, clients := <-addresses, <-addresses
	get := func(address string) (int, string) {
		resp, err := http.Get("http://" + address + "/metrics")
		if err != nil {
			return 0, err.Error()
		}
		defer resp.Body.Close()
		text, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, string(text)
	}
	if code, text := get(clients); code != 404 {
		t.Errorf("clients: %d %s", code, text)
	}
	code, text := get(numbers)
	all := parseMetrics(t, text)
	if code != 200 || all[`mcp_connections{transport="http"}`] != 1 { // that of the other get
		t.Errorf("%d %s", code, text)
	}
	http.DefaultClient.CloseIdleConnections()
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if code, text := get(numbers); code != 0 {
		t.Errorf("after the end: %d %s", code, text)
	}
}

// addressed tells the addresses of a log.
type addressed chan string

func (a addressed) Enabled(context.Context, slog.Level) bool { return true }
func (a addressed) WithAttrs([]slog.Attr) slog.Handler       { return a }
func (a addressed) WithGroup(string) slog.Handler            { return a }

func (a addressed) Handle(_ context.Context, r slog.Record) error {
	r.Attrs(func(attr slog.Attr) bool {
		if attr.Key == "address" {
			a <- attr.Value.String()
		}
		return true
	})
	return nil
}
