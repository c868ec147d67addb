package auth

import (
	"flag"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/golden/plain"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

// Flags that would serve everybody, or say nothing, are errors.
func TestFlags(t *testing.T) {
	t.Attr("requirements", "auth-transport")
	srv, err := plain.NewPlainServer(plain.PlainImpl{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = srv.Close() }()
	const serve = "-http :0 -audience https://m.example/mcp "
	for args, word := range map[string]string{
		"":                                    "",
		"-http :0":                            "-issuer is missing",
		"-unix s":                             "-issuer is missing",
		"-issuer https://a.example":           "set -http",
		"-audience https://m.example/mcp":     "set -http",
		"-http :0 -issuer https://a.example":  "Options.URL",
		serve + "-issuer https://a.example,b": "an issuer",
		serve + "-issuer https://a.example -issuer https://b.example -issuer http://c.example": "http://c.example",
		serve + "-issuer https://a.example,http://b.example -issuer https://c.example":         "http://b.example",
	} {
		fs := flag.NewFlagSet("", flag.ContinueOnError)
		c, o := mcphttp.AddFlags(fs), addFlags(fs)
		if err := fs.Parse(strings.Fields(args)); err != nil {
			t.Fatal(err)
		}
		err := attach(srv, c, *o, fs)
		if (err == nil) != (word == "") || err != nil && !strings.Contains(err.Error(), word) {
			t.Errorf("%q: %v, want %q", args, err, word)
		}
	}
}
