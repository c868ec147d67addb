package desk_test

import (
	"encoding/json"
	"regexp"
	"testing"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/golden/desk"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
)

// projectKey is what the pattern of the argument project says.
var projectKey = regexp.MustCompile(`\A[A-Z]+\z`)

// FuzzPromptArguments sends any text as arguments. The answer is the prompt or -32602, and a text that is
// taken as it stands arrives unharmed.
func FuzzPromptArguments(f *testing.F) {
	for _, s := range []string{"", "1", "-1", "::1", "true", "2026-01-31", "90m", "%2f", "../x", "a/b", "a?b#c", "\x00",
		"é", "{}", "99999999999999999999"} {
		f.Add(s, s)
	}
	d := &desk.Desk{Tickets: []desk.Ticket{{Project: "OPS", Number: 1}}}
	f.Fuzz(func(t *testing.T, a, b string) {
		if !utf8.ValidString(a) || !utf8.ValidString(b) {
			return // no JSON text
		}
		d.Tickets[0].Project = a
		srv, err := desk.NewDeskServer(desk.DeskImpl{Desk: d}, nil)
		if err != nil {
			t.Fatal(err)
		}
		c := mcptest.New(t, srv, mcptest.WithRevision(protocol.Revision20251125))
		for name, arguments := range map[string]map[string]string{
			"desk-report": {"from": a, "since": b, "max_tickets": a, "open": b, "every": a},
			"review":      {"project": a, "number": "1", "tone": ""},
			"welcome":     {a: b},
		} {
			params, err := json.Marshal(map[string]any{"name": name, "arguments": arguments})
			if err != nil {
				t.Fatal(err)
			}
			_, fault := c.Do(protocol.MethodPromptsGet, params)
			refused := mcptest.CodeOf(fault) == -32602
			if fault != nil && !refused || name == "review" && (fault == nil) != projectKey.MatchString(a) {
				t.Errorf("%s %q %q: %v", name, a, b, fault)
			}
		}
	})
}
