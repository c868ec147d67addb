package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"runtime"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/uri"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// testServer is a server whose handlers do what the URI or the name of the tool says.
type testServer struct {
	*Server
	entered chan *call.Call // a handler has begun to block
	release chan struct{}   // lets one blocked handler go on
	items   []string        // instances of item:///{id}
}

// newTestServer returns a server for tests; nil opts are quiet defaults.
func newTestServer(t testing.TB, opts *Options) *testServer {
	t.Helper()
	st := &testServer{entered: make(chan *call.Call, 1000), release: make(chan struct{}), items: []string{"a", "b", "c"}}
	if opts == nil {
		opts = &Options{}
	}
	if opts.Logger == nil {
		opts.Logger = silent()
	}
	s, err := NewServer(st.features(), opts)
	if err != nil {
		t.Fatal(err)
	}
	st.Server = s
	t.Cleanup(func() { _ = s.Close() })
	return st
}

func (st *testServer) features() *feature.Features {
	tool := func(name string) feature.Tool {
		return feature.Tool{
			Entry: &protocol.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)},
			Call:  func(c *call.Call, args []byte) (content.ToolResult, error) { return st.tool(c, name, args) },
		}
	}
	names := []string{"echo", "fail", "public", "badargs", "panic", "exit", "block", "struct", "missing"}
	f := &feature.Features{
		Info:         protocol.Implementation{Name: "stage", Version: "v1"},
		Instructions: "play",
		Capabilities: protocol.ServerCapabilities{
			Completions: &protocol.ServerCapabilitiesCompletions{},
			Resources:   &protocol.ServerCapabilitiesResources{ListChanged: new(true), Subscribe: new(true)},
			Tools:       &protocol.ServerCapabilitiesTools{},
		},
		Resources: []feature.Resource{
			{Entry: &protocol.Resource{URI: "fix:///a", Name: "a", MIMEType: "text/plain"}, Static: new(content.Text("fixed"))},
			{
				Template:  &protocol.ResourceTemplate{URITemplate: "do:///{what}", Name: "do", MIMEType: "text/plain"},
				Read:      st.read,
				Subscribe: true,
				Complete: []feature.Completer{{Var: "what",
					Values: func(_ *call.Call, prefix string, given feature.CompletionContext) ([]string, error) {
						return st.complete(prefix, given)
					}}},
			},
			{
				Template: &protocol.ResourceTemplate{
					URITemplate: "item:///{id}{?lang}", Name: "item", Description: "An item.", MIMEType: "text/x-item",
					Annotations: &protocol.Annotations{Priority: new(0.5)},
				},
				Read: func(c *call.Call) (content.Contents, error) { return content.Text(c.Vars.Text(0, "id")), c.Vars.Err() },
				List: feature.ListSeq(st.list, func(b []byte, id string) feature.Ref {
					return feature.Ref{URI: append(append(b, "item:///"...), id...),
						Name: id}
				}),
			},
			{Entry: &protocol.Resource{URI: "fix:///z", Name: "z"}, Static: new(content.Blob([]byte{0, 1, 2})),
				Cache: feature.Cache{TTL: 1500e6, Public: true}},
		},
		Route: routeTestServer,
	}
	for _, name := range names {
		f.Tools = append(f.Tools, tool(name))
	}
	return f
}

func routeTestServer(uri string, v *uri.Vars) int {
	switch uri {
	case "fix:///a":
		return 0
	case "fix:///z":
		return 3
	}
	if !v.Split(uri) || v.N != 2 || v.Seg[0] != "" || !v.Take(0, v.Seg[1]) {
		return -1
	}
	switch v.Scheme {
	case "do":
		return 1
	case "item":
		return 2
	}
	return -1
}

func (st *testServer) list(context.Context) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for _, id := range st.items {
			if !yield(id, nil) {
				return
			}
		}
	}
}

// block waits until the test lets the handler go on, whatever the call says.
func (st *testServer) block(c *call.Call) {
	st.entered <- c
	<-st.release
}

func (st *testServer) read(c *call.Call) (content.Contents, error) {
	what := c.Vars.Text(0, "what")
	if err := c.Vars.Err(); err != nil {
		return content.Contents{}, err
	}
	switch what {
	case "text":
		return content.Text("hello"), nil
	case "blob":
		return content.Blob([]byte("hello")), nil
	case "many":
		return content.Many(content.Content{Text: "one"}, content.Content{URI: "do:///sub", Blob: []byte{},
			MIMEType: "x/y"}), nil
	case "empty":
		return content.Many(), nil
	case "none":
		return content.Contents{}, nil
	case "block":
		st.block(c)
		return content.Text("unblocked"), nil
	case "obey":
		st.entered <- c
		<-c.Done()
		return content.Contents{}, c.Err()
	}
	return content.Contents{}, st.misbehave(what)
}

// misbehave returns an error or does not return at all.
func (st *testServer) misbehave(how string) error {
	switch how {
	case "panic":
		panic("secret panic")
	case "exit":
		runtime.Goexit()
	case "missing":
		return fmt.Errorf("open secret: %w", fs.ErrNotExist)
	case "gone":
		return content.Public(content.NotFound("gone"))
	case "notfound":
		return content.NotFound("do:///notfound")
	case "public":
		return fmt.Errorf("wrapped: %w", content.Errorf("the disk is full"))
	case "var":
		return &uri.VarError{Var: "what", Reason: "want more"}
	case "coded":
		return wire.NewError(-31999, "own code")
	}
	return errors.New("secret text")
}

func (st *testServer) tool(c *call.Call, name string, args []byte) (content.ToolResult, error) {
	switch name {
	case "echo":
		return content.ToolText(string(args)), nil
	case "struct":
		return content.AsStructured(struct{ A int }{7}, nil)
	case "badargs":
		err := content.Arguments(args, func(d *wire.Decoder, _ *int) { d.Missing("x") }, nil)
		return content.ToolResult{}, err
	case "block":
		st.block(c)
		return content.ToolText("unblocked"), nil
	}
	return content.ToolResult{}, st.misbehave(name)
}

func (st *testServer) complete(prefix string, given feature.CompletionContext) ([]string, error) {
	if prefix == "fail" {
		return nil, errors.New("secret text")
	}
	if prefix == "gone" {
		return []string{"half"}, fmt.Errorf("reading: %w", content.ErrNotFound)
	}
	if prefix == "given" {
		return []string{given["lang"]}, nil
	}
	var list []string
	for i := range len(prefix) * 50 {
		list = append(list, prefix+strings.Repeat("x", i))
	}
	return list, nil
}
