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
	"github.com/mcpgen/mcpgen/mcp/mcprt"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// secret is in every error that is not meant for clients.
const secret = "secret-a7f3"

// literals are the resources without variables, in the order of route.
var literals = []string{"text", "blob", "many", "empty", "fails", "public", "panics", "gone", "bare"}

func (p *program) resources() []mcprt.Resource {
	read := map[string]func(*mcprt.Call) (mcprt.Contents, error){
		"text": func(*mcprt.Call) (mcprt.Contents, error) { return mcprt.Text("Grüße\u2028\x00\"\\\n"), nil },
		"blob": func(*mcprt.Call) (mcprt.Contents, error) { return mcprt.Blob([]byte{0, 1, 0xfe, 0xff, '\n'}), nil },
		"many": func(*mcprt.Call) (mcprt.Contents, error) {
			return mcprt.ContentsOf(mcp.Many(mcp.Content{Text: "a"}, mcp.Content{URI: "test:///many/b", Blob: []byte("b")}), nil)
		},
		"empty":  func(*mcprt.Call) (mcprt.Contents, error) { return mcprt.ContentsOf(mcp.Many(), nil) },
		"fails":  func(*mcprt.Call) (mcprt.Contents, error) { return mcprt.Contents{}, errors.New(secret) },
		"public": func(*mcprt.Call) (mcprt.Contents, error) { return mcprt.Contents{}, mcp.Errorf("for-everybody") },
		"panics": func(*mcprt.Call) (mcprt.Contents, error) { panic(secret) },
		"gone": func(c *mcprt.Call) (mcprt.Contents, error) {
			return mcprt.Contents{}, fmt.Errorf("%s: %w", secret, mcp.ErrNotFound)
		},
		"bare": func(*mcprt.Call) (mcprt.Contents, error) { return mcprt.Text("bare"), nil },
	}
	var all []mcprt.Resource
	for _, name := range literals {
		all = append(all, mcprt.Resource{
			Entry:     &protocol.Resource{URI: "test:///" + name, Name: name},
			Read:      read[name],
			Subscribe: name != "bare",
		})
	}
	return append(all, item(), watched())
}

// item is a template with a list and with more completions than one answer may have.
func item() mcprt.Resource {
	return mcprt.Resource{
		Template:  &protocol.ResourceTemplate{URITemplate: "test:///item/{name}", Name: "item"},
		Read:      func(c *mcprt.Call) (mcprt.Contents, error) { return mcprt.Text(c.Vars.Text(0, "name")), c.Vars.Err() },
		Topic:     topicOf("test:///item/"),
		Subscribe: true,
		List: mcprt.ListSeq(func(context.Context) iter.Seq2[string, error] { return instances },
			func(b []byte, name string) mcprt.Ref {
				return mcprt.Ref{URI: append(append(b, "test:///item/"...), name...), Name: name}
			}),
		Complete: []mcprt.Completer{{Var: "name", Values: func(_ *mcprt.Call, prefix string,
			given mcprt.CompletionContext) ([]string, error) {
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
func watched() mcprt.Resource {
	return mcprt.Resource{
		Template:  &protocol.ResourceTemplate{URITemplate: "test:///watched/{name}", Name: "watched"},
		Read:      func(c *mcprt.Call) (mcprt.Contents, error) { return mcprt.Text(c.URI()), nil },
		Topic:     topicOf("test:///watched/"),
		Subscribe: true,
		Watch: func(c *mcprt.Call) (iter.Seq2[time.Time, error], error) {
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
func topicOf(prefix string) func(b []byte, v *mcprt.Vars) ([]byte, error) {
	return func(b []byte, v *mcprt.Vars) ([]byte, error) {
		return wire.AppendSegment(append(b, prefix...), v.Text(0, "name")), v.Err()
	}
}

// route is what mcpgen would generate.
func route(uri string, v *mcprt.Vars) int {
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
