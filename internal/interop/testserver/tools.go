package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
)

// program is what the tools act upon.
type program struct {
	srv            *mcp.Server
	started, ended atomic.Int64  // calls of wait
	gate           chan struct{} // closed by open
}

// in are the arguments of every tool.
type in struct {
	Text string `json:"text"`
	MS   int    `json:"ms"`
}

type tool struct {
	name string
	call func(*mcp.Call, in) (mcp.ToolResult, error)
}

// list returns the tools in the order of tools/list.
func (p *program) list() []tool {
	return []tool{
		{"echo", func(_ *mcp.Call, v in) (mcp.ToolResult, error) { return mcp.ToolText(v.Text), nil }},
		{"wait", p.wait},
		{"stubborn", func(_ *mcp.Call, v in) (mcp.ToolResult, error) {
			time.Sleep(time.Duration(v.MS) * time.Millisecond)
			return mcp.ToolText("late"), nil
		}},
		{"gate", func(*mcp.Call, in) (mcp.ToolResult, error) { <-p.gate; return mcp.ToolText("passed"), nil }},
		{"open", func(*mcp.Call, in) (mcp.ToolResult, error) { close(p.gate); return mcp.ToolText("opened"), nil }},
		{"panic", func(*mcp.Call, in) (mcp.ToolResult, error) { panic(secret) }},
		{"goexit", func(*mcp.Call, in) (mcp.ToolResult, error) { runtime.Goexit(); return mcp.ToolResult{}, nil }},
		{"print", printAll},
		{"touch", func(_ *mcp.Call, v in) (mcp.ToolResult, error) {
			p.srv.ResourceUpdated(v.Text)
			return mcp.ToolText("touched"), nil
		}},
		{"churn", func(*mcp.Call, in) (mcp.ToolResult, error) {
			p.srv.ResourceListChanged()
			return mcp.ToolText("churned"), nil
		}},
		{"fail", func(*mcp.Call, in) (mcp.ToolResult, error) { return mcp.ToolResult{}, errors.New(secret) }},
		{"public", func(*mcp.Call, in) (mcp.ToolResult, error) { return mcp.ToolResult{}, mcp.Errorf("for-everybody") }},
		{"stats", func(*mcp.Call, in) (mcp.ToolResult, error) {
			return mcp.ToolText(fmt.Sprintf("started=%d ended=%d", p.started.Load(), p.ended.Load())), nil
		}},
	}
}

// wait ends when its context does.
func (p *program) wait(c *mcp.Call, _ in) (mcp.ToolResult, error) {
	p.started.Add(1)
	<-c.Done()
	p.ended.Add(1)
	return mcp.ToolText("ended"), nil
}

// fd1 is never closed.
var fd1 = os.NewFile(1, "fd1")

// printAll writes to standard output in all ways that come to mind.
func printAll(*mcp.Call, in) (mcp.ToolResult, error) {
	fmt.Println("print: fmt")
	_, _ = os.Stdout.WriteString(`{"jsonrpc":"2.0","id":1,"result":{}}` + "\n")
	_, _ = fd1.WriteString("print: file descriptor 1\n")
	return mcp.ToolText("printed"), nil
}

func (p *program) tools() []mcp.Tool {
	var all []mcp.Tool
	for _, t := range p.list() {
		all = append(all, mcp.Tool{
			Entry: &protocol.Tool{Name: t.name, InputSchema: json.RawMessage(
				`{"type":"object","properties":{"text":{"type":"string"},"ms":{"type":"integer"}}}`)},
			Call: func(c *mcp.Call, args []byte) (mcp.ToolResult, error) {
				var v in
				if err := json.Unmarshal(args, &v); err != nil {
					return mcp.ToolResult{}, mcp.Public(err)
				}
				return t.call(c, v)
			},
		})
	}
	return all
}

func (p *program) routeTool(name string) int {
	for i, t := range p.list() {
		if t.name == name {
			return i
		}
	}
	return -1
}
