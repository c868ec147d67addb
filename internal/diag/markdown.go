package diag

import (
	"fmt"
	"strings"
)

// Markdown is the reference page of all diagnostics, made from the table.
func Markdown() string {
	var b strings.Builder
	b.WriteString("# Diagnostics\n\n" +
		"This page explains every diagnostic of mcpgen; `mcpgen explain CODE` prints the same text. It is generated from\n" +
		"the table of the generator by `go test ./internal/dev/docs -update`.\n\n" +
		"Errors stop generation. Warnings stop it with `-strict`, and notes never do. `//mcp:allow CODE reason`\n" +
		"suppresses a warning or a note on one declaration.\n")
	for _, c := range Codes() {
		severity := strings.ToUpper(c.Severity.String()[:1]) + c.Severity.String()[1:]
		fmt.Fprintf(&b, "\n## %s\n\n%s: %s.\n\n%s\n", c.ID, severity, c.Meaning, c.Why)
		fmt.Fprintf(&b, "\nWrong:\n\n```text\n%s\n```\n\nRight:\n\n```text\n%s\n```\n", c.Wrong, c.Right)
	}
	return b.String()
}
