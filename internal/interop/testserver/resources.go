package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// secret is in every error that is not meant for clients.
const secret = "secret-a7f3"

// literals are the resources without variables, in the order of route.
var literals = []string{"text", "blob", "many", "empty", "fails", "public", "panics", "gone", "bare"}

func (p *program) resources() []mcp.Resource {
	read := map[string]func(*mcp.Call) (mcp.Contents, error){
		"text": func(*mcp.Call) (mcp.Contents, error) { return mcp.Text("Grüße\u2028\x00\"\\\n"), nil },
		"blob": func(*mcp.Call) (mcp.Contents, error) { return mcp.Blob([]byte{0, 1, 0xfe, 0xff, '\n'}), nil },
		"many": func(*mcp.Call) (mcp.Contents, error) {
			return mcp.Many(mcp.Content{Text: "a"}, mcp.Content{URI: "test:///many/b", Blob: []byte("b")}), nil
		},
		"empty":  func(*mcp.Call) (mcp.Contents, error) { return mcp.Many(), nil },
		"fails":  func(*mcp.Call) (mcp.Contents, error) { return mcp.Contents{}, errors.New(secret) },
		"public": func(*mcp.Call) (mcp.Contents, error) { return mcp.Contents{}, mcp.Errorf("for-everybody") },
		"panics": func(*mcp.Call) (mcp.Contents, error) { panic(secret) },
		"gone": func(c *mcp.Call) (mcp.Contents, error) {
			return mcp.Contents{}, fmt.Errorf("%s: %w", secret, mcp.ErrNotFound)
		},
		"bare": func(*mcp.Call) (mcp.Contents, error) { return mcp.Text("bare"), nil },
	}
	var all []mcp.Resource
	for _, name := range literals {
		all = append(all, mcp.Resource{
			Entry:     &protocol.Resource{URI: "test:///" + name, Name: name},
			Read:      read[name],
			Subscribe: name != "bare",
		})
	}
	return append(all, item(), watched())
}

// item is a template with a list and with more completions than one answer may have.
func item() mcp.Resource {
	return mcp.Resource{
		Template:  &protocol.ResourceTemplate{URITemplate: "test:///item/{name}", Name: "item"},
		Read:      func(c *mcp.Call) (mcp.Contents, error) { return mcp.Text(c.Vars.Text(0, "name")), c.Vars.Err() },
		Topic:     topicOf("test:///item/"),
		Subscribe: true,
		List: mcp.ListSeq(func(context.Context) iter.Seq2[string, error] { return instances },
			func(b []byte, name string) mcp.Ref {
				return mcp.Ref{URI: append(append(b, "test:///item/"...), name...), Name: name}
			}),
		Complete: []mcp.Completer{{Var: "name", Values: func(_ *mcp.Call, prefix string, given mcp.Given) ([]string, error) {
			values := []string{}
			for i := range 150 {
				if v := fmt.Sprintf("v%03d", i); strings.HasPrefix(v, prefix) {
					values = append(values, v+given["suffix"])
				}
			}
			return values, nil
		}}},
	}
}

// watched is a template whose watcher is refused for the instance "refused" and does not come to its end for the
// instance "stuck" before the subscriber has gone.
func watched() mcp.Resource {
	return mcp.Resource{
		Template:  &protocol.ResourceTemplate{URITemplate: "test:///watched/{name}", Name: "watched"},
		Read:      func(c *mcp.Call) (mcp.Contents, error) { return mcp.Text(c.URI()), nil },
		Topic:     topicOf("test:///watched/"),
		Subscribe: true,
		Watch: func(c *mcp.Call) (iter.Seq2[time.Time, error], error) {
			switch c.Vars.Text(0, "name") {
			case "refused":
				return nil, errors.New(secret)
			case "panics":
				panic(secret)
			case "stuck":
				<-c.Done()
				return nil, c.Err()
			}
			return func(func(time.Time, error) bool) { <-c.Done() }, nil
		},
	}
}

// topicOf is what mcpgen would generate for a template that ends in {name}.
func topicOf(prefix string) func(b []byte, v *mcp.Vars) ([]byte, error) {
	return func(b []byte, v *mcp.Vars) ([]byte, error) {
		return wire.AppendSegment(append(b, prefix...), v.Text(0, "name")), v.Err()
	}
}

// route is what mcpgen would generate.
func route(uri string, v *mcp.Vars) int {
	for i, name := range literals {
		if uri == "test:///"+name {
			return i
		}
	}
	if !v.Split(uri) || v.Scheme != "test" || v.N != 3 || v.Seg[0] != "" || !v.Take(0, v.Seg[2]) {
		return -1
	}
	switch v.Seg[1] {
	case "item":
		return len(literals)
	case "watched":
		return len(literals) + 1
	}
	return -1
}
