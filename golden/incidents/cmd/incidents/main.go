// Command incidents serves incidents and their events over MCP, on stdio or with -http. Over HTTP each -token is a
// caller with a subject of its own; who shows none is nobody, and gets no webhooks.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"log"
	"net/http"
	"strings"

	"github.com/mcpgen/mcpgen/golden/incidents"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/webhook"
)

func main() {
	known, hooks := callers{}, webhook.Options{}
	flag.BoolVar(&hooks.AllowPrivate, "events-allow-private", false, "call webhooks at private addresses too, for tests")
	flag.BoolVar(&hooks.AllowHTTP, "events-allow-http", false, "call webhooks without TLS too, for tests")
	flag.Func("token", "a `secret` that a caller shows as a bearer token; several may be given", known.add)
	serve := mcphttp.AddFlags(flag.CommandLine)
	flag.Parse()
	if err := run(serve, known, hooks); err != nil {
		log.Fatal(err)
	}
}

func run(serve *mcphttp.Command, known callers, hooks webhook.Options) error {
	serve.Options.Authenticate = known.authenticate
	srv, err := incidents.New(incidents.NewOps(), &mcp.Options{Events: &event.Options{
		Local: true, Sessions: true, Webhooks: webhook.New(hooks),
	}})
	if err != nil {
		return err
	}
	return serve.Run(context.Background(), srv)
}

// callers are known by the hashes of their tokens, so that looking one up takes as long for every wrong token.
type callers map[[sha256.Size]byte]mcp.Caller

// add makes a caller of a token. Its subject is the same whenever the program runs.
func (k callers) add(token string) error {
	if token == "" {
		return errors.New("it is empty")
	}
	sum := sha256.Sum256([]byte(token))
	k[sum] = mcp.Caller{Subject: "caller-" + hex.EncodeToString(sum[:4]), Scopes: []string{"incidents.closed"}}
	return nil
}

// authenticate finds the caller of a request.
func (k callers) authenticate(r *http.Request) (mcp.Caller, error) {
	token, shown := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !shown {
		return mcp.Caller{}, nil
	}
	who, known := k[sha256.Sum256([]byte(token))]
	if !known {
		return mcp.Caller{}, &mcphttp.ChallengeError{}
	}
	return who, nil
}
