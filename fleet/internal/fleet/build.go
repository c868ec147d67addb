// Package fleet starts a fleet on this machine: replicas with one state, a broker between them and a balancer before
// them.
package fleet

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
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
	return Build(ctx, dir, replicaPackage, v)
}

// Build builds the program of a package into a folder.
func Build(ctx context.Context, dir, pkg string, v Variant) (string, error) {
	out := filepath.Join(dir, v.Name)
	args := []string{"build", "-ldflags=-w", "-o", out} // nobody debugs these programs
	if len(v.Tags) > 0 {
		args = append(args, "-tags", strings.Join(v.Tags, ","))
	}
	if len(v.Changes) > 0 {
		file, err := Overlay(dir, v)
		if err != nil {
			return "", fmt.Errorf("%s: %w", v.Name, err)
		}
		args = append(args, "-overlay", file)
	}
	cmd := exec.CommandContext(ctx, "go", append(args, pkg)...)
	cmd.Env = append(os.Environ(), "GOWORK=off")
	if text, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build of %s: %w\n%s", v.Name, err, text)
	}
	return out, nil
}

// Skewed are changes that let the clock of a process be off by as much as FLEET_CLOCK says. What measures intervals
// stays as it is.
func Skewed() []Change {
	return []Change{
		{Folder: "std:time", Old: regexp.MustCompile(`(?m)^\tsec, nsec, mono := runtimeNow\(\)\n\tif mono == 0`),
			New: "\tsec, nsec, mono := runtimeNow()\n\tsec += fleetOff\n\tif mono == 0"},
		{Folder: "std:time", File: "fleetoff.go", New: fleetOff},
	}
}

// Hurried are changes that let the leases of tasks end sooner, so that a run need not wait for half a minute.
func Hurried() []Change {
	const folder = "mcp/internal/taskrun"
	return []Change{
		constant(folder, "leaseTime", "6 * time.Second"),
		constant(folder, "renewEvery", "2 * time.Second"),
		constant(folder, "claimEvery", "time.Second"),
	}
}

// Hasty are changes that let replicas notice sooner that others are silent and forget them, so that a partition beyond
// all times does not last for minutes.
func Hasty() []Change {
	const folder = "mcp/internal/relay"
	return []Change{
		constant(folder, "beatGap", "2 * time.Second"),
		constant(folder, "MaxBlind", "12 * time.Second"),
	}
}

// SkewedBeats are changes that let only the clock be off that a replica tells the others.
func SkewedBeats() []Change {
	const folder = "mcp/internal/relay"
	return []Change{
		{Folder: folder, Old: regexp.MustCompile(`time\.Now\(\)\.Add\(r\.clock\)`),
			New: "time.Now().Add(r.clock + fleetOff)"},
		{Folder: folder, File: "fleetoff.go", New: beatsOff},
	}
}

// Quick are how the replicas of a run are built: with a clock that can be off for all that they do, and shorter times.
func Quick() []Change { return slices.Concat(Skewed(), Hurried(), Hasty()) }

// Brief are Quick where the clock of the beats is enough: a change of package time has all that imports it compiled
// once more, which takes minutes, this one only what imports the relay.
func Brief() []Change { return slices.Concat(SkewedBeats(), Hurried(), Hasty()) }

const fleetOff = `package time

import "syscall"

var fleetOff = func() int64 {
	text, _ := syscall.Getenv("FLEET_CLOCK")
	d, _ := ParseDuration(text)
	return int64(d / Second)
}()
`

const beatsOff = `package relay

import (
	"os"
	"time"
)

var fleetOff = func() time.Duration {
	d, _ := time.ParseDuration(os.Getenv("FLEET_CLOCK"))
	return d
}()
`
