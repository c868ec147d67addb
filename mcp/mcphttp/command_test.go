package mcphttp_test

import (
	"flag"
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
	srv := newRig(t, nil).srv
	for flag, value := range map[string]string{
		"-trusted-proxy": "nonsense", "-allow-host": "x", "-allow-origin": "https://x.example", "-unix-mode": "0660",
		"-metrics": "localhost:0",
	} {
		if err := run(t, srv, flag, value); !strings.Contains(err, flag) {
			t.Errorf("%s: %s", flag, err)
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
