package main

import (
	"github.com/mcpgen/mcpgen/bench/internal/report"
	"github.com/mcpgen/mcpgen/bench/internal/work"
)

// Allocations below hold those of the handler too. Of the rows here only the template's handler
// makes one, and the answer of a tool is a string that the handler would make anyhow.
var microTargets = map[string]report.Target{
	"ping":                   {SDK: 30, MCPGo: 20, Allocs: 2, Bytes: 128},
	"discover":               {SDK: 30, MCPGo: 20, Allocs: 2, Bytes: 128},
	"text 1 KiB":             {SDK: 25, MCPGo: 9, Allocs: 2},
	"blob 64 KiB dynamic":    {SDK: 30, MCPGo: 10, Allocs: 2, Bytes: 4 << 10},
	"blob 64 KiB immutable":  {SDK: 100, MCPGo: 25, Allocs: 2},
	"template, 1":            {SDK: 40, MCPGo: 25, Allocs: 3},
	"template among 1000":    {SDK: 5000, MCPGo: 50, Allocs: 3, Of: templateOne, Most: 1.3},
	"list of 1000 dynamic":   {SDK: 8, MCPGo: 5, Allocs: 2},
	"list of 1000 immutable": {SDK: 80, MCPGo: 60, Allocs: 2},
	"typed tool":             {SDK: 40, MCPGo: 20, Allocs: 8, Bytes: 256},
}

// templateOne is a column that exists in one row only: ours with a single template.
const templateOne = "template, 1"

// stdioTarget is that of the typed tool. The other rows over pipes have no target of their own.
var stdioTarget = report.Target{SDK: 12, MCPGo: 6, Of: work.Echo, Most: 1.6}

// webTarget is that of the typed tool over HTTP, in CPU time of the server.
func webTarget(op work.Op, conns int) report.Target {
	if op.Name != "typed tool" {
		return report.Target{}
	}
	t := report.Target{SDK: 8, MCPGo: 2.2, Of: work.Null, Most: 1.3}
	if op.Era == work.Modern {
		t.MCPGo = 4
	}
	if conns == 1 {
		t.SDK, t.MCPGo = 4, 1.7
	}
	return t
}

var (
	sessionTarget = report.Target{SDK: 15, MCPGo: 20, Size: 512}
	streamTarget  = report.Target{SDK: 1.2, MCPGo: 1.4, Size: 30 << 10}
)

var (
	coldTarget = report.Target{SDK: 2.2, MCPGo: 4, Of: work.Hello, Most: 1.3}
	sizeTarget = report.Target{SDK: 3, MCPGo: 2.3, Size: 2.7e6}
)
