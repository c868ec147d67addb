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

// Build builds a program of this module, or of one it depends on, into a folder.
func Build(ctx context.Context, dir string, v Variant, pkg string) (string, error) {
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
	cmd := exec.CommandContext(ctx, "go", append(args, pkg)...)
	cmd.Env = append(os.Environ(), "GOWORK=off")
	if text, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build %s: %w\n%s", pkg, err, text)
	}
	return out, nil
}

// Programs of a fleet.
const (
	replicaPackage = "github.com/mcpgen/mcpgen/fleet/cmd/replica"
	natsPackage    = "github.com/nats-io/nats-server/v2"
)

// BuildReplica builds the program of a replica.
func BuildReplica(ctx context.Context, dir string, v Variant) (string, error) {
	return Build(ctx, dir, v, replicaPackage)
}

// BuildNATS builds nats-server from its module.
func BuildNATS(ctx context.Context, dir string) (string, error) {
	return Build(ctx, dir, Variant{Name: "nats-server"}, natsPackage)
}
