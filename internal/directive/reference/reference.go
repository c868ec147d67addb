package reference

import (
	"fmt"
	"strings"

	"github.com/mcpgen/mcpgen/internal/directive"
)

// Markdown is the reference page of all directives, made from the tables.
func Markdown() string {
	var b strings.Builder
	b.WriteString("# Directives\n\nThis page lists every directive and every option. It is generated from the " +
		"tables of the generator by `go test ./internal/dev/docs -update`.\n\n" +
		"A directive is one line of the doc comment of a declaration: `//mcp:NAME` and its options, separated by spaces. " +
		"An option is `KEY=VALUE`, or `KEY` alone for a bool. A value with spaces is a Go string: " +
		"`title=\"Team notes\"`. A value of type text may be `@FILE`, a file of the package.\n\n")
	b.WriteString(specials)
	for _, primary := range []bool{true, false} {
		if primary {
			b.WriteString("\n## Features\n")
		} else {
			b.WriteString("\n## Refinements\n")
		}
		for _, v := range directive.Definitions() {
			if v.Primary == primary {
				definitionSection(&b, v)
			}
		}
	}
	return b.String()
}

func definitionSection(b *strings.Builder, v *directive.Definition) {
	doc := v.Doc()
	fmt.Fprintf(b, "\n### %s\n\n%s%s\n\nApplies to: %s", v.Name, strings.ToUpper(doc[:1]), doc[1:], v.On)
	features := "features"
	if len(v.Of) > 0 {
		features = strings.Join(v.Of, "s and ") + "s"
		fmt.Fprintf(b, "; of %s only", features)
	}
	b.WriteString(".")
	switch {
	case v.DefaultPlanned:
		b.WriteString(" This version of mcpgen refuses it on a receiver type and beside `server` (MCP804).")
	case v.Default:
		fmt.Fprintf(b, " On a receiver type or beside `server` it is a default for the %s of that type or server.", features)
	}
	if v.Repeat {
		b.WriteString(" It may be repeated.")
	}
	b.WriteString("\n")
	if f := functions[v.Name]; f != nil {
		fmt.Fprintf(b, "\nFunction: `%s`. %s\n", f[0], f[1])
	}
	if len(v.Options) == 0 {
		return
	}
	b.WriteString("\n| option | type | meaning |\n|---|---|---|\n")
	for _, k := range v.Options {
		fmt.Fprintf(b, "| `%s`%s | %s | %s |\n", k.Name, map[bool]string{true: " (required)"}[k.Required],
			cell(typeText(k)), cell(optionText(v, k)))
	}
}

// typeText is the type of an option for readers.
func typeText(k *directive.Option) string {
	if len(k.Values) > 0 {
		return k.Kind + ": " + strings.Join(k.Values, ", ")
	}
	return k.Kind
}

// optionText is the meaning of an option, what is missing and an example.
func optionText(v *directive.Definition, k *directive.Option) string {
	text := v.OptionDoc(k)
	switch {
	case k.Example == "":
	case k.Positional:
		text += " Example: `" + k.Example + "`."
	default:
		text += " Example: `" + k.Name + "=" + k.Example + "`."
	}
	return text
}

// cell makes text fit for a cell of a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
