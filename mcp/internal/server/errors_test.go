package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/uri"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// faulty is a server with a tool, a prompt and a resource that return err.
func faulty(t *testing.T, err error, opts *Options) *Server {
	t.Helper()
	s, bad := NewServer(&feature.Features{
		Info: protocol.Implementation{Name: "faulty", Version: "1"},
		Capabilities: protocol.ServerCapabilities{
			Prompts: new(protocol.ServerCapabilitiesPrompts), Resources: new(protocol.ServerCapabilitiesResources),
			Tools: new(protocol.ServerCapabilitiesTools),
		},
		Tools: []feature.Tool{{
			Entry: &protocol.Tool{Name: "x", InputSchema: json.RawMessage(`{"type":"object"}`)},
			Call:  func(*call.Call, []byte) (content.ToolResult, error) { return content.ToolResult{}, err },
		}},
		Prompts: []feature.Prompt{{Entry: &protocol.Prompt{Name: "x"},
			Get: func(*call.Call) (content.PromptResult, error) { return content.PromptResult{}, err }}},
		Resources: []feature.Resource{{
			Entry: &protocol.Resource{URI: "a:b", Name: "x"},
			Read:  func(*call.Call) (content.Contents, error) { return content.Contents{}, err },
		}},
		Route: func(string, *uri.Vars) int { return 0 },
	}, opts)
	if bad != nil {
		t.Fatal(bad)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// clientErrorCase is an error and what clients are told of it.
type clientErrorCase struct {
	err      error
	text     string // told by a tool, and by the others if they are given none
	resource string // if not text
	code     int    // of a prompt and a resource, if not -32603
}

const maskedPrefix = "*internal error (ref "

// clientErrorCases are errors of handlers by what is particular about them.
func clientErrorCases() map[string]clientErrorCase {
	path := &fs.PathError{Op: "open", Path: "/srv/secret", Err: fs.ErrNotExist}
	public, more := content.Public(errors.New("the disk is full")), content.Errorf("try again in %d s", 5)
	const absent = "not found: what the arguments name does not exist"
	return map[string]clientErrorCase{
		"plain":         {err: errors.New("secret"), text: maskedPrefix},
		"public":        {err: public, text: "the disk is full"},
		"wrapped":       {err: fmt.Errorf("secret: %w", public), text: "the disk is full"},
		"wrapped twice": {err: fmt.Errorf("secret: %w", fmt.Errorf("secret: %w", more)), text: "try again in 5 s"},
		"errorf wraps":  {err: content.Errorf("cannot write: %w", errors.New("no space")), text: "cannot write: no space"},
		"public in public": {err: content.Errorf("cannot write: %w", fmt.Errorf("x: %w", public)),
			text: "cannot write: x: the disk is full"},
		"joined with a secret": {err: errors.Join(errors.New("secret"), public), text: "the disk is full"},
		"joined": {err: errors.Join(public, errors.New("secret"), more),
			text: "the disk is full; try again in 5 s"},
		"several in one": {err: fmt.Errorf("secret: %w, %w", public, more),
			text: "the disk is full; try again in 5 s"},
		"public join": {err: content.Public(errors.Join(errors.New("a"), errors.New("b"))), text: `a\nb`},
		"declined":    {err: fmt.Errorf("secret: %w", content.ErrDeclined), text: "the user declined"},
		"not exist":   {err: fs.ErrNotExist, text: absent, resource: "resource not found", code: -32602},
		"path": {err: fmt.Errorf("secret: %w", path), text: absent, resource: "resource not found",
			code: -32602},
		"not found": {err: content.ErrNotFound, text: absent, resource: "resource not found", code: -32602},
		"not found, named": {err: content.NotFound("file:///secret"), text: absent, resource: "resource not found",
			code: -32602},
		"not found, joined": {err: errors.Join(path, errors.New("secret")), text: absent,
			resource: "resource not found", code: -32602},
		"not found, public": {err: content.Errorf("no note of that name: %w", content.ErrNotFound),
			text: "no note of that name: resource not found", code: -32602},
		"public beside not found": {err: fmt.Errorf("secret %w: %w", path, public), text: "the disk is full", code: -32602},
		"variable": {err: fmt.Errorf("secret: %w", &uri.VarError{Var: "x", Reason: "want y"}),
			text: "variable x: want y", code: -32602},
		"public of a variable": {err: content.Errorf("look: %w", &uri.VarError{Var: "x", Reason: "want y"}),
			text: "look: variable x: want y", code: -32602},
		"coded": {err: fmt.Errorf("secret: %w", wire.NewError(-31999, "own")), text: "own", code: -31999},
		"public of a coded": {err: content.Errorf("look: %w", wire.NewError(-31999, "own")), text: "look: own (code -31999)",
			code: -31999},
		"public beside a coded": {err: errors.Join(wire.NewError(-31999, "own"), public), text: "own; the disk is full",
			code: -31999},
	}
}

// What clients are told of an error: of its public parts all, of the rest nothing.
func TestTextsForClients(t *testing.T) {
	t.Attr("requirements", "res-internal res-errors tool-error tool-sanitize")
	for name, c := range clientErrorCases() {
		t.Run(name, func(t *testing.T) {
			var log logBook
			s := faulty(t, c.err, &Options{Logger: log.logger()})
			if c.resource == "" {
				c.resource = c.text
			}
			if c.code == 0 {
				c.code = -32603
			}
			eachRevision(t, s, func(t *testing.T, rev protocol.Revision, ask func(method, params string) string) {
				tool := ask("tools/call", `"name":"x"`)
				wantMatch(t, tool, `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"`+c.text+`"}],"isError":true,"…":0}}`)
				prompt := ask("prompts/get", `"name":"x"`)
				wantMatch(t, prompt, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"error":{"code":%d,"message":"%s"}}`, c.code, c.text))
				code := c.code
				if content.IsNotFound(c.err) && !era.IsModern(rev) {
					code = -32002
				}
				resource := ask("resources/read", `"uri":"a:b"`)
				wantMatch(t, resource, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"error":{"code":%d,"message":"%s","…":0}}`, code,
					c.resource))
				if all := tool + prompt + resource; strings.Contains(all, "secret") {
					t.Errorf("leaks: %s", all)
				}
			})
			if logged := strings.Contains(log.String(), "request failed"); logged != (c.text == maskedPrefix) {
				t.Errorf("logged as a failure: %t", logged)
			}
		})
	}
}
