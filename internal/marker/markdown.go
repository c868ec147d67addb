package marker

import (
	"fmt"
	"strings"
)

// Markdown is the reference page of all directives, made from the tables.
func Markdown() string {
	var b strings.Builder
	b.WriteString("# Directives\n\nThis page is generated from the tables of the generator; `go test ./internal/docs -update` writes it again.\n" +
		"A directive is one comment line, `//mcp:VERB` and its arguments, in the doc comment of a declaration.\n\n" + specials)
	for _, primary := range []bool{true, false} {
		if primary {
			b.WriteString("\n## Features\n")
		} else {
			b.WriteString("\n## Modifiers\n")
		}
		for _, v := range Verbs() {
			if v.Primary == primary {
				verbSection(&b, v)
			}
		}
	}
	return b.String()
}

func verbSection(b *strings.Builder, v *Verb) {
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
	if len(v.Keys) == 0 {
		return
	}
	b.WriteString("\n| key | type | meaning |\n|---|---|---|\n")
	for _, k := range v.Keys {
		fmt.Fprintf(b, "| `%s`%s | %s | %s |\n", k.Name, map[bool]string{true: " (required)"}[k.Required], cell(k.typeText()), cell(v.keyText(k)))
	}
}

// typeText is the type of a key for readers.
func (k *Key) typeText() string {
	if len(k.Values) > 0 {
		return k.Kind + ": " + strings.Join(k.Values, ", ")
	}
	return k.Kind
}

// keyText is the meaning of a key, what is missing and an example.
func (v *Verb) keyText(k *Key) string {
	text := v.KeyDoc(k)
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
