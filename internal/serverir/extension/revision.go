package extension

import (
	"fmt"
	"slices"
	"time"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/serverir/gotype"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
)

// revisions reads the versions of an extension, oldest first.
func (b *builder) revisions(d *load.Decl, spec *directive.Extension) []string {
	var out []string
	for _, item := range spec.Revisions.V {
		from, to := item.Arg.At(item.From), item.Arg.At(item.To)
		if !isVersion(item.V) {
			b.Report("MCP623", from, to, fmt.Sprintf("`%s` is not a version of an extension, which is a date", item.V),
				report.Fix("write it as 2026-09-15"))
			continue
		}
		if len(out) > 0 && item.V <= out[len(out)-1] {
			b.Report("MCP623", from, to, fmt.Sprintf("version `%s` does not come after `%s`", item.V, out[len(out)-1]),
				report.Fix("write each version once, the oldest first"))
			continue
		}
		out = append(out, item.V)
	}
	if len(out) == 0 || d.Obj == nil || source.Invalid(d.Obj.Type()) || !gotype.IsStruct(d.Obj.Type()) {
		return out
	}
	from, to := source.NameOf(d)
	for _, x := range b.Of(d.Obj.Type(), false).Members {
		if x.Name == "revision" || x.Name == "revisions" {
			b.Report("MCP622", from, to, fmt.Sprintf("the member `%s` of the settings is that of the versions, and a field of "+
				"`%s` has it too", x.Name, d.Name), report.Fix("give the field another name in its json tag"))
		}
	}
	return out
}

func isVersion(text string) bool {
	_, err := time.Parse(time.DateOnly, text)
	return err == nil
}

// since reads the first version of an extension that has something.
func (b *builder) since(x *ir.ServerExtension, set directive.String) string {
	if !set.Set() || slices.Contains(x.Revisions, set.V) {
		return set.V
	}
	from, to := source.ValueOf(set.Arg)
	if !isVersion(set.V) {
		better := "remove it, or write a date that is in revisions=… of the extension"
		if len(x.Revisions) > 0 {
			better = "write one of them"
		}
		b.Report("MCP623", from, to, fmt.Sprintf("`%s` is not a version of an extension, which is a date", set.V),
			report.Hint("versions: "+report.OrNone(x.Revisions)), report.Fix(better))
		return ""
	}
	repair := report.Fix("write //mcp:extension … revisions=" + set.V)
	if len(x.Revisions) > 0 {
		repair = report.Fix("write one of them, or add it to revisions=…")
	}
	b.Report("MCP623", from, to, fmt.Sprintf("`%s` is no version of the extension `%s`", set.V, x.ID),
		report.Hint("versions: "+report.OrNone(x.Revisions)), repair)
	return ""
}
