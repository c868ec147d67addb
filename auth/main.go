package auth

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

// Main is [mcphttp.Main] for callers with access tokens. It has the flags of that and -issuer, -audience and -url,
// see [Options]; over HTTP it wants an issuer. On stdio the caller is whoever has started the process, and no token
// is needed.
func Main(srv mcphttp.Server) {
	c := mcphttp.AddFlags(flag.CommandLine)
	o := addFlags(flag.CommandLine)
	flag.Parse()
	err := attach(srv, c, *o, flag.CommandLine)
	if err == nil {
		err = c.Run(context.Background(), srv)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// addFlags defines the flags of Main, and returns the options that they set.
func addFlags(fs *flag.FlagSet) *Options {
	o := new(Options)
	fs.Func("issuer", "take access tokens of this authorization `server`, such as https://login.example.com; "+
		"may be repeated", func(s string) error {
		for id := range strings.SplitSeq(s, ",") {
			if o.Issuer == "" {
				o.Issuer = id
			} else {
				o.OtherIssuers = append(o.OtherIssuers, id)
			}
		}
		return nil
	})
	fs.StringVar(&o.Audience, "audience", "",
		"what tokens for this server have as their audience, such as https://mcp.example.com/mcp")
	fs.StringVar(&o.URL, "url", "", "the `address` at which clients call the endpoint, if it is not the audience")
	return o
}

// attach adds what the flags say to a command. Over HTTP there is no way without an issuer.
func attach(srv mcphttp.Server, c *mcphttp.Command, o Options, fs *flag.FlagSet) error {
	isSet := func(name string) bool { return fs.Lookup(name).Value.String() != "" }
	switch http := isSet("http") || isSet("unix"); {
	case !http && (o.Issuer != "" || o.Audience != "" || o.URL != ""):
		return errors.New("auth: -issuer, -audience and -url are for a server over HTTP: set -http or -unix too")
	case !http:
		return nil
	case o.Issuer == "":
		return errors.New("auth: -issuer is missing: over HTTP this server takes callers with tokens only")
	case srv == nil || srv.Base() == nil:
		return nil // Run says it
	}
	s, err := New(o)
	if err != nil {
		return err
	}
	s.Attach(srv, c)
	return nil
}
