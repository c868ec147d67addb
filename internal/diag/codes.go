package diag

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Code is one row of the table of diagnostics. Ids are never reused: a rule
// that is dropped keeps its number.
type Code struct {
	// ID is "MCP" and three digits; the first is the family.
	ID string
	// Severity is what the rule has before strict mode is applied.
	Severity Severity
	// Meaning is one line for lists.
	Meaning string
	// Why explains the rule to somebody who has just met it.
	Why string
	// Wrong and Right are a short example before and after.
	Wrong, Right string
}

var table = sync.OnceValue(func() []Code {
	all := slices.Concat(syntaxCodes, uriCodes, bindingCodes, resultCodes, referenceCodes, protocolCodes, buildCodes)
	slices.SortStableFunc(all, func(a, b Code) int { return strings.Compare(a.ID, b.ID) })
	return all
})

// Codes returns the whole table in order of id. The caller may change the slice.
func Codes() []Code { return slices.Clone(table()) }

// Find returns the row of an id, such as MCP504. It reports false if there is none.
func Find(id string) (Code, bool) {
	i, ok := slices.BinarySearchFunc(table(), id, func(c Code, id string) int { return strings.Compare(c.ID, id) })
	if !ok {
		return Code{}, false
	}
	return table()[i], true
}

// Explain returns the long explanation of a diagnostic, ready to print. The id
// may be written in either case and without the letters, as in "104".
func Explain(id string) (string, bool) {
	id = strings.ToUpper(strings.TrimSpace(id))
	if !strings.HasPrefix(id, "MCP") {
		id = "MCP" + id
	}
	c, ok := Find(id)
	if !ok {
		return "", false
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s): %s\n\n%s\n", c.ID, c.Severity, c.Meaning, c.Why)
	fmt.Fprintf(&b, "\nWrong:\n\n%s\n\nRight:\n\n%s\n", indent(c.Wrong), indent(c.Right))
	if c.Severity != Error {
		fmt.Fprintf(&b, "\nIf it is as you want it:\n\n    //mcp:allow %s REASON\n", c.ID)
	}
	return b.String(), true
}

func indent(s string) string {
	return "    " + strings.ReplaceAll(s, "\n", "\n    ")
}
