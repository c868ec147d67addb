// Package fleet starts a fleet on this machine: replicas with one state, a broker between them and a balancer before
// them.
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
		file, err := Overlay(dir, v)
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

// Skewed are changes that let the clock of the runtime be off by as much as FLEET_CLOCK says, where it writes times
// that other replicas read: in sealed ids of sessions, their records and cursors, and in leases of tasks by a fifteenth
// of it, because these need clocks that are within seconds of each other. What only measures intervals stays as it is.
func Skewed() []Change {
	const (
		now   = "time.Now()"
		since = "time.Since("
	)
	return []Change{
		{"mcp/mcphttp/adopt.go", now, "fleetNow().Add(0 * time.Second)"},
		{"mcp/mcphttp/sealedid.go", since + "o.issued)", "fleetNow().Sub(o.issued)"},
		{"mcp/mcphttp/shared.go", "issued: " + now, "issued: fleetNow()"},
		{"mcp/mcphttp/fleetnow.go", "", "package mcphttp\n" + fleetNow},
		{"mcp/internal/paging/cursor.go", now, "fleetNow()"},
		{"mcp/internal/paging/cursor.go", since, "fleetNow().Sub("},
		{"mcp/internal/paging/fleetnow.go", "", "package paging\n" + fleetNow},
		{"mcp/internal/taskrun/take.go", "claimOne(" + now, "claimOne(fleetLeaseNow()"},
		{"mcp/internal/taskrun/take.go", "began := " + now, "began := fleetLeaseNow()"},
		{"mcp/internal/taskrun/take.go", now + ".Add(leaseTime)", "fleetLeaseNow().Add(leaseTime)"},
		{"mcp/internal/taskrun/run.go", "now := " + now + "\n\t\tuntil =", "now := fleetLeaseNow()\n\t\tuntil ="},
		{"mcp/internal/taskrun/run.go", "time.Until(until) - lapse", "until.Sub(fleetLeaseNow()) - lapse"},
		{"mcp/internal/taskrun/run.go", "time.Until(until)-lapse", "until.Sub(fleetLeaseNow())-lapse"},
		{"mcp/internal/taskrun/fleetnow.go", "", "package taskrun\n" + fleetNow +
			"\nfunc fleetLeaseNow() time.Time { return time.Now().Add(fleetOff / 15) }\n"},
	}
}

// Hurried are changes that let the leases of tasks end sooner, so that a run need not wait for half a minute.
func Hurried() []Change {
	const file = "mcp/internal/taskrun/engine.go"
	return []Change{
		{file, "leaseTime    = 30 * time.Second", "leaseTime    = 6 * time.Second"},
		{file, "renewEvery   = 10 * time.Second", "renewEvery   = 2 * time.Second"},
		{file, "claimEvery   = 5 * time.Second", "claimEvery   = time.Second"},
	}
}

const fleetNow = `
import (
	"os"
	"time"
)

var fleetOff, _ = time.ParseDuration(os.Getenv("FLEET_CLOCK"))

func fleetNow() time.Time { return time.Now().Add(fleetOff) }
`
