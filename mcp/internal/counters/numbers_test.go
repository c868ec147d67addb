package counters

import (
	"slices"
	"strconv"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	ext "github.com/mcpgen/mcpgen/generated/protocol/ext/tasks"
)

// Every request that a client can send has a number, every other text is one of two, and the names of codes are theirs.
func TestCountedNames(t *testing.T) {
	seen := map[Method]bool{MethodInvalid: true, MethodOther: true}
	methods := slices.Clone(protocol.Methods)
	for _, m := range ext.Methods {
		methods = append(methods, protocol.MethodInfo{Name: m.Name, From: m.From, Kind: m.Kind})
	}
	for _, m := range methods {
		n := MethodOf([]byte(m.Name))
		if counted := m.Kind == protocol.Request && m.From&protocol.Client != 0; counted != (n != MethodOther) {
			t.Errorf("%s is counted as %s", m.Name, methodNames[n])
		} else if counted && methodNames[n] != m.Name {
			t.Errorf("%s is counted as %s", m.Name, methodNames[n])
		}
		seen[n] = true
	}
	if len(seen) != int(numMethods) {
		t.Errorf("%d methods of %d are used", len(seen), numMethods)
	}
	for _, text := range []string{"", "tools/calls", "TOOLS/CALL", "other", "invalid"} {
		if n := MethodOf([]byte(text)); n != MethodOther {
			t.Errorf("%q is counted as %s", text, methodNames[n])
		}
	}
	for i, code := range codes {
		if got := codeNames[int(firstCode)+i]; got != strconv.Itoa(code) || CodeOf(code) != firstCode+Code(i) {
			t.Errorf("%d is counted as %s", code, got)
		}
	}
	if codeNames[CodeOf(77)] != "other" || codeNames[CodeOf(0)] != "ok" {
		t.Error("a code that nobody knows, or none")
	}
}
