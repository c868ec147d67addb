package extension

import (
	"fmt"
	"go/types"
	"strings"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/goname"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/serverir/gotype"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
)

// formOf is the signature of a method.
func formOf(m *ir.ServerMethod) string {
	switch {
	case m.Filter:
		return directive.FilterForm
	case m.Notification:
		return directive.NotificationForm
	}
	return directive.MethodForm
}

// filter reports what cannot stand beside filter: a listen is one request for many things, which has no limits of one
// of them, and there are no listens before 2026-07-28. Names without a slash are left to the protocol.
func (b *builder) filter(d *load.Decl, spec *directive.Method) {
	if spec.Notification.V {
		from, to := spec.Filter.Arg.Pos, spec.Filter.Arg.End
		b.Report("MCP401", from, to, "a filter is no notification: a client sends it within subscriptions/listen",
			report.Hint("valid form: "+directive.FilterForm), report.Fix("remove `notification`"))
	}
	if spec.Name.Set() && !strings.Contains(spec.Name.V, "/") {
		from, to := source.ValueOf(spec.Name.Arg)
		b.Report("MCP621", from, to, fmt.Sprintf("`%s` has no slash, as the members have that the protocol itself adds to "+
			"filters", spec.Name.V), report.Fix("begin it with the id of the extension"))
	}
	for _, m := range d.Directives {
		if !m.Bad && m.Def != nil && (m.Name == "limit" || m.Name == "use" || m.Name == "availability") {
			b.Report("MCP108", m.NamePos, m.NameEnd(), fmt.Sprintf("`%s` cannot stand on a filter", m.Name),
				report.Hint("beside a filter: access allow"), report.Fix("remove the line"))
		}
	}
}

// topics checks the results of a filter: ([]string, error).
func (b *builder) topics(d *load.Decl, res *types.Tuple, form string) {
	strs := types.NewSlice(types.Typ[types.String])
	if res.Len() == 2 && types.Identical(res.At(0).Type(), strs) && gotype.IsError(res.At(1).Type()) {
		return
	}
	from, to := source.ResultRange(d)
	b.Report("MCP401", from, to, fmt.Sprintf("a filter returns the names of topics and an error; found %s",
		types.TypeString(res, b.Qualifier)), report.Hint("valid form: "+form), report.Fix("return ([]string, error)"))
}

// topicOf reads topic=: a field of the struct t of a notification that is a string.
func (b *builder) topicOf(n *ir.ServerNotification, d *load.Decl, ref directive.Ref, t types.Type) {
	f := b.Field(ref, t, d.Name)
	switch {
	case f == nil:
	case !gotype.IsString(f.Type()):
		b.WrongField(ref, f, d.Name, "a string")
	default:
		n.Topic, n.TopicText = f.Name(), types.Identical(f.Type(), types.Typ[types.String])
		n.Publish = "Publish" + goname.UpperFirst(d.Name)
	}
}
