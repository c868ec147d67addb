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
	"github.com/mcpgen/mcpgen/mcp/mcprt"
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
	call func(*mcprt.Call, in) (mcprt.ToolResult, error)
}

// list returns the tools in the order of tools/list.
func (p *program) list() []tool {
	return []tool{
		{"echo", func(_ *mcprt.Call, v in) (mcprt.ToolResult, error) {
			return mcprt.ToolResultOf(mcp.ToolText(v.Text), nil)
		}},
		{"wait", p.wait},
		{"stubborn", func(_ *mcprt.Call, v in) (mcprt.ToolResult, error) {
			time.Sleep(time.Duration(v.MS) * time.Millisecond)
			return mcprt.ToolResultOf(mcp.ToolText("late"), nil)
		}},
		{"gate", func(*mcprt.Call, in) (mcprt.ToolResult, error) {
			<-p.gate
			return mcprt.ToolResultOf(mcp.ToolText("passed"), nil)
		}},
		{"open", func(*mcprt.Call, in) (mcprt.ToolResult, error) {
			close(p.gate)
			return mcprt.ToolResultOf(mcp.ToolText("opened"), nil)
		}},
		{"panic", func(*mcprt.Call, in) (mcprt.ToolResult, error) { panic(secret) }},
		{"goexit", func(*mcprt.Call, in) (mcprt.ToolResult, error) { runtime.Goexit(); return mcprt.ToolResult{}, nil }},
		{"print", printAll},
		{"touch", func(_ *mcprt.Call, v in) (mcprt.ToolResult, error) {
			p.srv.ResourceUpdated(v.Text)
			return mcprt.ToolResultOf(mcp.ToolText("touched"), nil)
		}},
		{"churn", func(*mcprt.Call, in) (mcprt.ToolResult, error) {
			p.srv.ResourceListChanged()
			return mcprt.ToolResultOf(mcp.ToolText("churned"), nil)
		}},
		{"fail", func(*mcprt.Call, in) (mcprt.ToolResult, error) { return mcprt.ToolResult{}, errors.New(secret) }},
		{"public", func(*mcprt.Call, in) (mcprt.ToolResult, error) {
			return mcprt.ToolResult{}, mcp.Errorf("for-everybody")
		}},
		{"stats", func(*mcprt.Call, in) (mcprt.ToolResult, error) {
			return mcprt.ToolResultOf(mcp.ToolText(fmt.Sprintf("started=%d ended=%d", p.started.Load(), p.ended.Load())), nil)
		}},
	}
}

// wait ends when its context does.
func (p *program) wait(c *mcprt.Call, _ in) (mcprt.ToolResult, error) {
	p.started.Add(1)
	<-c.Done()
	p.ended.Add(1)
	return mcprt.ToolResultOf(mcp.ToolText("ended"), nil)
}

// fd1 is never closed.
var fd1 = os.NewFile(1, "fd1")

// printAll writes to standard output in all ways that come to mind.
func printAll(*mcprt.Call, in) (mcprt.ToolResult, error) {
	fmt.Println("print: fmt")
	_, _ = os.Stdout.WriteString(`{"jsonrpc":"2.0","id":1,"result":{}}` + "\n")
	_, _ = fd1.WriteString("print: file descriptor 1\n")
	return mcprt.ToolResultOf(mcp.ToolText("printed"), nil)
}

func (p *program) tools() []mcprt.Tool {
	var all []mcprt.Tool
	for _, t := range p.list() {
		all = append(all, mcprt.Tool{
			Entry: &protocol.Tool{Name: t.name, InputSchema: json.RawMessage(
				`{"type":"object","properties":{"text":{"type":"string"},"ms":{"type":"integer"}}}`)},
			Call: func(c *mcprt.Call, args []byte) (mcprt.ToolResult, error) {
				var v in
				if err := json.Unmarshal(args, &v); err != nil {
					return mcprt.ToolResult{}, mcp.Public(err)
				}
				return t.call(c, v)
			},
		})
	}
	return all
}
