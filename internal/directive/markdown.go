package directive

import (
	"fmt"
	"strings"
)

// Markdown is the reference page of all directives, made from the tables.
func Markdown() string {
	var b strings.Builder
	b.WriteString("# Directives\n\nThis page is generated from the tables of the generator; `go test ./internal/docs -update` writes it again.\n" +
		"A directive is one comment line, `//mcp:NAME` and its options, in the doc comment of a declaration.\n\n" + specials)
	for _, primary := range []bool{true, false} {
		if primary {
			b.WriteString("\n## Features\n")
		} else {
			b.WriteString("\n## Refinements\n")
		}
		for _, v := range Definitions() {
			if v.Primary == primary {
				definitionSection(&b, v)
			}
		}
	}
	return b.String()
}

func definitionSection(b *strings.Builder, v *Definition) {
	doc := v.Doc()
	fmt.Fprintf(b, "\n### %s\n\n%s%s\n\nStands on: %s.", v.Name, strings.ToUpper(doc[:1]), doc[1:], v.On)
	if v.Default {
		b.WriteString(" On a receiver type, or beside `server`, it is a default.")
	}
	if v.Repeat {
		b.WriteString(" It may be repeated.")
	}
	if v.Planned {
		b.WriteString(" This version of mcpgen refuses it (MCP804).")
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
		fmt.Fprintf(b, "| `%s`%s | %s | %s |\n", k.Name, map[bool]string{true: " (required)"}[k.Required], cell(k.typeText()), cell(v.optionText(k)))
	}
}

// typeText is the type of an option for readers.
func (k *Option) typeText() string {
	if len(k.Values) > 0 {
		return k.Kind + ": " + strings.Join(k.Values, ", ")
	}
	return k.Kind
}

// optionText is the meaning of an option, what is missing and an example.
func (v *Definition) optionText(k *Option) string {
	text := v.OptionDoc(k)
	if k.Planned {
		text += " Refused by this version (MCP804)."
	}
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
