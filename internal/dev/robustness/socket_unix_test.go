//go:build unix

package robustness

import (
	"flag"
	"io"
	"os"
	"testing"

	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

// TestSocketMode: the permissions of a Unix socket are those that the program is told.
func TestSocketMode(t *testing.T) {
	for _, mode := range []string{"0600", "660", "0777"} {
		path := socket(t)
		s := serve(t, newVictim(t, nil, nil).srv, mcphttp.Options{}, "-unix", path, "-unix-mode", mode)
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != map[string]os.FileMode{"0600": 0o600, "660": 0o660, "0777": 0o777}[mode] {
			t.Errorf("%s gives %v", mode, got)
		}
		s.alive()
		_ = s.stop()
	}
	for _, bad := range []string{"", "0", "8", "rw-", "01777", "-1"} {
		fs := flag.NewFlagSet("", flag.ContinueOnError)
		fs.SetOutput(io.Discard)
		mcphttp.AddFlags(fs)
		if err := fs.Parse([]string{"-unix-mode", bad}); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
	fs := flag.NewFlagSet("", flag.PanicOnError)
	c := mcphttp.AddFlags(fs)
	_ = fs.Parse([]string{"-http", "127.0.0.1:0", "-unix-mode", "0660"})
	if err := c.Run(t.Context(), newVictim(t, nil, nil).srv); err == nil {
		t.Error("a mode without a socket is taken")
	}
}
