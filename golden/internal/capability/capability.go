// Package capability compares the declared capabilities of a server with its responses.
package capability

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Declared are the names of capabilities and of their members, joined by a dot: "resources", "resources.subscribe".
type Declared []string

// behind are the methods of each capability, and params that a server can at least read.
var behind = []struct{ capability, method, params string }{
	{"resources", protocol.MethodResourcesList, `{}`},
	{"resources", protocol.MethodResourcesTemplatesList, `{}`},
	{"resources", protocol.MethodResourcesRead, `{"uri":"none:///such"}`},
	{"resources.subscribe", protocol.MethodResourcesSubscribe, `{"uri":"none:///such"}`},
	{"resources.subscribe", protocol.MethodResourcesUnsubscribe, `{"uri":"none:///such"}`},
	{"tools", protocol.MethodToolsList, `{}`},
	{"tools", protocol.MethodToolsCall, `{"name":"none"}`},
	{"prompts", protocol.MethodPromptsList, `{}`},
	{"prompts", protocol.MethodPromptsGet, `{"name":"none"}`},
	{"completions", protocol.MethodCompletionComplete,
		`{"ref":{"type":"ref/prompt","name":"none"},"argument":{"name":"a","value":""}}`},
	{"logging", protocol.MethodLoggingSetLevel, `{"level":"error"}`},
	{"tasks.list", protocol.MethodTasksList, `{}`},
	{"tasks", protocol.MethodTasksGet, `{"taskId":"x"}`},
	{"tasks.cancel", protocol.MethodTasksCancel, `{"taskId":"x"}`},
	{"events", "events/list", `{}`},
}

// Check serves srv in every revision. The capabilities must be those wanted, as far as the revision has them; each
// method of a declared capability must be known, and each method of another must be refused with -32601.
func Check(t *testing.T, start func() mcptest.Server, want Declared) {
	for _, rev := range mcp.Revisions() {
		t.Run(rev.String(), func(t *testing.T) {
			c := mcptest.New(t, start(), mcptest.WithRevision(rev))
			got := declared(t, c, rev)
			for _, name := range want {
				if !slices.Contains(got, name) && knows(rev, name) {
					t.Errorf("%s is not declared, only %v", name, got)
				}
			}
			for _, name := range got {
				if !slices.Contains(want, name) {
					t.Errorf("%s is declared, and nothing asks for it", name)
				}
			}
			for _, m := range behind {
				_, fault := c.Do(m.method, json.RawMessage(m.params))
				answers := mcptest.CodeOf(fault) != wire.CodeMethodNotFound
				has := protocol.HasMethod(rev, m.method) || m.capability == "events" && knows(rev, m.capability)
				should := slices.Contains(want, m.capability) && has
				if answers != should {
					t.Errorf("%s: answers: %t, want %t (%v); declared are %v", m.method, answers, should, fault, got)
				}
			}
		})
	}
}

// knows reports whether servers declare a capability to clients of a revision.
func knows(rev protocol.Revision, name string) bool {
	switch {
	case name == "completions":
		return rev >= protocol.Revision20250326
	case strings.HasPrefix(name, "events"):
		return protocol.HasMethod(rev, protocol.MethodServerDiscover)
	}
	return true
}

// declared reads the capabilities out of the answer to initialize or server/discover.
func declared(t *testing.T, c *mcptest.Client, rev protocol.Revision) (out Declared) {
	t.Helper()
	if protocol.HasMethod(rev, protocol.MethodServerDiscover) {
		if _, fault := c.Do(protocol.MethodServerDiscover, nil); fault != nil {
			t.Fatal(fault)
		}
	}
	for _, line := range c.Transcript() {
		_, text, ok := strings.Cut(line, "<- ")
		if !ok {
			continue
		}
		var answer struct {
			Result struct {
				Capabilities map[string]map[string]any `json:"capabilities"`
			} `json:"result"`
		}
		if err := json.Unmarshal([]byte(text), &answer); err != nil {
			t.Fatal(err)
		}
		for name, members := range answer.Result.Capabilities {
			if name == "extensions" { // events are beside them too
				continue
			}
			out = append(out, name)
			for member, on := range members {
				if on != false {
					out = append(out, name+"."+member)
				}
			}
		}
	}
	slices.Sort(out)
	return out
}
