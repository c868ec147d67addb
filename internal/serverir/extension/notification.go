package extension

import (
	"fmt"
	"go/types"
	"path/filepath"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/serverir/gotype"
	"github.com/mcpgen/mcpgen/internal/serverir/jsoncheck"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
)

// maker is the method that generated code adds to the struct of a notification.
const maker = "MCPNotification"

// buildNotification turns one notification directive into IR.
func (b *builder) buildNotification(d *load.Decl, spec *directive.Notification) {
	x := b.extensionOf(d, spec.Extension)
	for _, m := range d.Directives {
		if !m.Bad && m.Def != nil && !m.Def.Primary && m.Name != "allow" {
			b.Report("MCP108", m.NamePos, m.NameEnd(), fmt.Sprintf("`%s` cannot stand on a notification that the server sends",
				m.Name), report.Fix("remove the line"))
		}
	}
	if x == nil || d.Obj == nil || source.Invalid(d.Obj.Type()) {
		return
	}
	n := &ir.ServerNotification{
		Pos: b.Res.Pos(d.Primary.Pos, d.Primary.End), Description: source.Description(d.Doc, d.Name),
		Name: b.methodName(d, spec.Name, x.ID, true), Since: b.since(x, spec.Since),
		File: filepath.Base(d.File.Path),
	}
	t := d.Obj.Type()
	from, to := source.NameOf(d)
	if why := b.notNotification(t); why != "" {
		b.Report("MCP401", from, to, why, report.Fix("declare a struct with a field for each member of the params"))
		return
	}
	if !jsoncheck.Output(b.Types, t, from, to) {
		return
	}
	b.reserved(b.Of(t, false), "params", from, to)
	b.topicOf(n, d, spec.Topic, t)
	n.Type, n.Schema, n.Encode = b.ParamGoType(t), b.OutputSchema(t), b.Encoder(t)
	x.Notifications = append(x.Notifications, n)
}

// notNotification says why a struct cannot be the params of a notification; empty if it can.
func (b *builder) notNotification(t types.Type) string {
	named, _ := t.(*types.Named)
	switch {
	case named == nil || named.TypeParams().Len() > 0:
		return "a notification has no type parameters, nor is it an alias"
	case gotype.MarshalsJSON(t) || gotype.MarshalsText(t):
		return fmt.Sprintf("`%s` writes itself, so its members are not known", b.TypeText(t))
	}
	u, _ := t.Underlying().(*types.Struct)
	clash := false
	for f := range u.Fields() {
		clash = clash || f.Name() == maker
	}
	for m := range named.Methods() {
		clash = clash || m.Name() == maker
	}
	if clash {
		return fmt.Sprintf("`%s` has a %s, which is the method that generated code adds", b.TypeText(t), maker)
	}
	return ""
}
