package golist

import (
	"errors"
	"fmt"
	"os/exec"
	"testing"
)

// What the go command complains of is told in words of ours; the scripts of cmd/mcpgen show more of them.
func TestTrouble(t *testing.T) {
	failed := errors.New("exit status 1")
	for _, tt := range []struct {
		err         error
		says, wants string
	}{
		{fmt.Errorf("go: %w", exec.ErrNotFound), "", "there is no go command in PATH; mcpgen asks it about packages"},
		{failed, "", "the go command failed: exit status 1"},
		{failed, "go: go.mod file not found in current directory or any parent directory", NoModule},
		{failed, "go: errors parsing ../go.mod:\ngo.mod:3: unknown directive: x",
			"go.mod cannot be read: go.mod:3: unknown directive: x"},
		{failed, "go: errors parsing /m/go.work:\ngo.work:1: unknown directive: x",
			"go.work cannot be read: go.work:1: unknown directive: x"},
		{failed, "go: updates to go.mod needed; to update it:\n\tgo mod tidy",
			"go.mod and go.sum are not complete; run go mod tidy"},
		{failed, "go: -mod may only be set to readonly or vendor when in workspace mode, but it is set to \"mod\"",
			"GOFLAGS or an argument sets -mod=mod, which does not go with a go.work; leave it out, or set GOWORK=off"},
		{failed, "go: something new", "the go command: something new"},
	} {
		if got := Trouble(tt.err, tt.says).Error(); got != tt.wants {
			t.Errorf("%q: %q, want %q", tt.says, got, tt.wants)
		}
	}
}
