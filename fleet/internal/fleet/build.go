// Package fleet starts a fleet on this machine: replicas with one state, a broker between them and a balancer before them.
package fleet

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Variant is a way to build the program of a replica.
type Variant struct {
	Name string
	// Tags are build tags.
	Tags []string
	// Changes replace parts of the source of this project, for this build only.
	Changes []Change
}

const replicaPackage = "github.com/mcpgen/mcpgen/fleet/cmd/replica"

// BuildReplica builds the program of a replica into a folder.
func BuildReplica(ctx context.Context, dir string, v Variant) (string, error) {
	out := filepath.Join(dir, v.Name)
	args := []string{"build", "-o", out}
	if len(v.Tags) > 0 {
		args = append(args, "-tags", strings.Join(v.Tags, ","))
	}
	if len(v.Changes) > 0 {
		file, err := overlay(dir, v)
		if err != nil {
			return "", fmt.Errorf("%s: %w", v.Name, err)
		}
		args = append(args, "-overlay", file)
	}
	cmd := exec.CommandContext(ctx, "go", append(args, replicaPackage)...)
	cmd.Env = append(os.Environ(), "GOWORK=off")
	if text, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build of %s: %w\n%s", v.Name, err, text)
	}
	return out, nil
}
