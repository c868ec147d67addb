package sessions_test

import (
	"testing"

	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/sessions"
)

// A key names a session without being its id, and is read back from its text.
func TestKeys(t *testing.T) {
	k := sessions.KeyOf("a")
	if k == sessions.KeyOf("b") {
		t.Error("two sessions have one key")
	}
	if back, ok := sessions.ParseKey(k.Text()); !ok || back != k {
		t.Errorf("%q is read as %v, %v", k.Text(), back, ok)
	}
	for _, text := range []string{"", "a", k.Text() + "AA", "+" + k.Text()[1:]} {
		if _, ok := sessions.ParseKey(text); ok {
			t.Errorf("%q is a key", text)
		}
	}
}
