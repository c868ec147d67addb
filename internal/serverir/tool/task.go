package tool

import (
	"fmt"
	"go/types"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/serverir/gotype"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
)

// taskOf sets whether calls of a tool may be tasks.
func taskOf(b *builder, t *ir.Tool, spec *directive.Tool) {
	t.Task, t.TaskRequired = spec.Task.V, spec.TaskRequired.V
	if t.TaskRequired && !spec.Task.Set() {
		arg := spec.TaskRequired.Arg
		b.Report("MCP613", arg.Pos, arg.End, "`task-required` has no meaning without `task=`",
			report.Fix("add task=once, or task=restart if the tool may run twice"))
	}
}

// askingTask reports a tool that runs only once and asks its client: to go on after the answer, a task has to run
// again.
func askingTask(b *builder, d *load.Decl, sig *types.Signature, spec *directive.Tool) {
	if spec.Task.V != "once" {
		return
	}
	for p := range sig.Params().Variables() {
		if !gotype.IsNamed(p.Type(), gotype.RuntimePath, "Peer") {
			continue
		}
		from, to := source.ParamType(d, p)
		ofrom, oto := source.ValueOf(spec.Task.Arg)
		b.Report("MCP612", from, to,
			fmt.Sprintf("`%s` asks its client, and `task=once` does not run it again with the answer", d.Name),
			b.Related(ofrom, oto, "the task"),
			report.Fix("task=restart, or ask in a middleware, which runs before the task is created"))
	}
}
