package diag

import (
	"fmt"
	"strings"
)

// Markdown is the reference page of all diagnostics, made from the table.
func Markdown() string {
	var b strings.Builder
	b.WriteString("# Diagnostics\n\nThis page is generated from the table of the generator; `go test ./internal/docs -update` writes it again.\n" +
		"Errors stop generation. Warnings do with `-strict`, and notes never do; `//mcp:allow CODE reason` suppresses either on one declaration.\n")
	for _, c := range Codes() {
		fmt.Fprintf(&b, "\n## %s\n\n%s: %s.\n\n%s\n", c.ID, strings.ToUpper(c.Severity.String()[:1])+c.Severity.String()[1:], c.Meaning, c.Why)
		fmt.Fprintf(&b, "\nWrong:\n\n```text\n%s\n```\n\nRight:\n\n```text\n%s\n```\n", c.Wrong, c.Right)
	}
	return b.String()
}
