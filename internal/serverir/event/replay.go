package event

import (
	"fmt"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
)

// replayed checks an event whose history the program keeps. An event that is read again must be recognised, and the
// server keeps none.
func (b *builder) replayed(e *event) {
	if e.Replay == nil {
		return
	}
	from, to := source.NameOf(e.decl)
	for _, k := range []struct {
		ref             directive.Ref
		what, of, field string
	}{
		{e.spec.ID, "id", "an occurrence that is read again has the same id", "ID"},
		{e.spec.Time, "time", "the program says when it happened", "Time"},
	} {
		if !k.ref.Set() {
			b.Report("MCP627", from, to, fmt.Sprintf("`%s` is replayed by `%s` and has no `%s=`: %s", e.decl.Name,
				e.Replay.Name, k.what, k.of), report.Fix("name the field in the event: "+k.what+"="+k.field))
		}
	}
	for _, arg := range []*directive.Arg{e.spec.Retain.Arg, e.spec.Keep.Arg} {
		if arg != nil {
			b.Report("MCP624", arg.Pos, arg.End, fmt.Sprintf("`%s` says what a log keeps, and `%s` returns `%s` from the "+
				"history of the program", arg.Option, e.Replay.Name, e.decl.Name), report.Fix("remove it"))
		}
	}
}
