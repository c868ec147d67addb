// Command vault serves letters over MCP, on stdio or with -http. The user of a stdio server is whoever has started it;
// here the program decides that this is ann, and what she may do. Over HTTP users show the tokens of -tokens, and who
// shows none is nobody.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"log"
	"log/slog"
	"net/http"
	"os"
	"strings"

	"github.com/mcpgen/mcpgen/golden/vault"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

func main() {
	tokens := flag.String("tokens", "",
		`a JSON file such as {"SECRET": {"subject": "bob", "scopes": ["vault"], "roles": ["keeper"]}}`)
	serve := mcphttp.AddFlags(flag.CommandLine)
	flag.Parse()
	if err := run(serve, *tokens); err != nil {
		log.Fatal(err)
	}
}

func run(serve *mcphttp.Command, tokens string) error {
	users, err := readUsers(tokens)
	if err != nil {
		return err
	}
	serve.Options.Authenticate = users.authenticate
	impl := vault.VaultImpl{Vault: new(vault.Vault), Middleware: new(vault.Tracer)}
	srv, err := vault.NewVaultServer(impl, &mcp.Options{
		Caller: mcp.Caller{Subject: "ann", Scopes: []string{"vault", "vault.write"}},
		Audit:  slog.New(slog.NewJSONHandler(os.Stderr, nil)),
	})
	if err != nil {
		return err
	}
	return serve.Run(context.Background(), srv)
}

// users are known by the hashes of their tokens, so that looking one up takes as long for every wrong token.
type users map[[sha256.Size]byte]mcp.Caller

func readUsers(file string) (users, error) {
	if file == "" {
		return nil, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var callers map[string]mcp.Caller
	if err := json.Unmarshal(text, &callers); err != nil {
		return nil, err
	}
	all := users{}
	for token, who := range callers {
		all[sha256.Sum256([]byte(token))] = who
	}
	return all, nil
}

func (u users) authenticate(r *http.Request) (mcp.Caller, error) {
	header := r.Header.Get("Authorization")
	if header == "" {
		return mcp.Caller{}, nil
	}
	token, bearer := strings.CutPrefix(header, "Bearer ")
	who, known := u[sha256.Sum256([]byte(token))]
	if !bearer || !known {
		return mcp.Caller{}, &mcphttp.ChallengeError{Header: `Bearer error="invalid_token"`, Err: errors.New("unknown token")}
	}
	return who, nil
}
