package golist

import (
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
)

// NoModule is what to do without a go.mod.
const NoModule = "there is no go.mod here or above: run go mod init PATH first, or mcpgen init DIR for a new server"

// troubles has messages of the go command, and what we say in place of them. $1 is the first group of the pattern.
var troubles = []struct {
	says *regexp.Regexp
	ours string
}{
	{regexp.MustCompile(`go\.mod file not found`), NoModule},
	{regexp.MustCompile(`missing module declaration`),
		"go.mod does not name its module; begin it with a line module PATH"},
	{regexp.MustCompile(`(?s)errors parsing (?:\S*/)?(go\.(?:mod|work)):\s*(.*)`), "$1 cannot be read: $2"},
	{regexp.MustCompile(`(go\.(?:mod|work)\S*) requires go >= (\S+) \(running go ([^;)]+)`),
		"$1 requires Go $2, and the go command in PATH is $3; install Go $2 or newer"},
	{regexp.MustCompile(`inconsistent vendoring in `), "the folder vendor is not what go.mod says; run go mod vendor"},
	{regexp.MustCompile(`updates to go\.(?:mod|sum) needed|missing go\.sum entry`),
		"go.mod and go.sum are not complete; run go mod tidy"},
	{regexp.MustCompile(`-mod may only be set to readonly or vendor when in workspace mode`),
		"GOFLAGS or an argument sets -mod=mod, which does not go with a go.work; leave it out, or set GOWORK=off"},
}

// Trouble returns the error of the go command, in our words where we have some.
func Trouble(err error, stderr string) error {
	text := strings.TrimSpace(stderr)
	if errors.Is(err, exec.ErrNotFound) {
		return errors.New("there is no go command in PATH; mcpgen asks it about packages")
	}
	if text == "" {
		return fmt.Errorf("the go command failed: %w", err)
	}
	for _, t := range troubles {
		if m := t.says.FindStringSubmatchIndex(text); m != nil {
			return errors.New(string(t.says.ExpandString(nil, t.ours, text, m)))
		}
	}
	return fmt.Errorf("the go command: %s", strings.TrimPrefix(text, "go: "))
}
