package main

import (
	"github.com/mcpgen/mcpgen/bench/internal/report"
	"github.com/mcpgen/mcpgen/bench/internal/work"
)

// Allocations below hold those of the handler too. Of the rows here only the template's handler
// makes one, and the answer of a tool is a string that the handler would make anyhow.
var microTargets = map[string]report.Target{
	"ping":                   {SDK: 30, MCPGo: 10, Allocs: 2, Bytes: 144},
	"discover":               {SDK: 30, MCPGo: 12, Allocs: 2, Bytes: 144},
	"text 1 KiB":             {SDK: 36, MCPGo: 5, Allocs: 3, Bytes: 272},
	"blob 64 KiB dynamic":    {SDK: 30, MCPGo: 7, Allocs: 3, Bytes: 4 << 10},
	"blob 64 KiB immutable":  {SDK: 100, MCPGo: 25, Allocs: 2},
	"template, 1":            {SDK: 33, MCPGo: 9, Allocs: 3},
	"template among 1000":    {SDK: 3000, MCPGo: 20, Allocs: 3, Of: templateOne, Most: 1.3},
	"list of 1000 dynamic":   {SDK: 4, MCPGo: 4, Allocs: 3},
	"list of 1000 immutable": {SDK: 80, MCPGo: 60, Allocs: 2},
	"typed tool":             {SDK: 40, MCPGo: 7, Allocs: 8, Bytes: 700},
}

// microTarget is the target of a row in memory. A token that changes may cost one allocation more, and what it takes to
// read it.
func microTarget(name string, era work.Era) report.Target {
	t := microTargets[name]
	if era == work.Modern && (name == "text 1 KiB" || name == "typed tool") {
		t.Allocs++
		t.Bytes = 0
	}
	return t
}

// templateOne is a column that exists in one row only: ours with a single template.
const templateOne = "template, 1"

// These are the targets of the typed tool: its round trip and its CPU time. The other rows over pipes have none. The
// round trip is judged beside the echo loop: how often it fits into that of another library depends on how long the
// machine takes to wake a process.
var (
	stdioTarget    = report.Target{SDK: 8, MCPGo: 4, Of: work.Echo, Most: 2}
	stdioCPUTarget = report.Target{SDK: 11, MCPGo: 4, Of: work.Echo, Most: 4}
)

// webTarget is that of the typed tool over HTTP, in CPU time of the server.
func webTarget(op work.Op, conns int) report.Target {
	if op.Name != "typed tool" || conns != 1 && conns != 64 {
		return report.Target{}
	}
	t := report.Target{SDK: 8, MCPGo: 2.4, Of: work.Null, Most: 2.1}
	if op.Era == work.Modern {
		t.SDK, t.MCPGo = 13, 4
	}
	if conns == 1 {
		t.SDK, t.MCPGo = 4, 1.6
	}
	return t
}

var (
	keptTarget    = report.Target{Size: 256}
	sessionTarget = report.Target{SDK: 9, MCPGo: 13, Size: 768}
	streamTarget  = report.Target{SDK: 2.2, MCPGo: 3, Size: 16 << 10}
)

var (
	coldTarget = report.Target{SDK: 1.2, MCPGo: 2, Of: work.Hello, Most: 2.1}
	sizeTarget = report.Target{SDK: 2.05, MCPGo: 1.6, Size: 3.8e6}
)

// hookTarget is for the time until a callback has an event, however many have subscribed. Measured were 86 to
// 117 microseconds for 1,000 to 100,000 subscriptions, and 36 to 69 for the floor.
var hookTarget = report.Target{Of: work.Floor, Most: 5}

// webhookBytes is the most that a subscription holds.
const webhookBytes = 4 << 10
