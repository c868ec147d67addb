package main

import (
	"context"
	"fmt"
	"os"

	"github.com/mcpgen/mcpgen/fleet/internal/feedrun"
	"github.com/mcpgen/mcpgen/fleet/internal/fleet"
	"github.com/mcpgen/mcpgen/internal/dev/broker"
)

// events proves that events arrive at webhooks. With -engine nats they are in NATS, else in a file.
func events(ctx context.Context, f flags, dir string) error {
	c := feedrun.Config{Dir: dir, Seed: f.seed, Out: os.Stdout}
	switch f.events {
	case "short":
		c = feedrun.Short(c)
	case "long":
		c = feedrun.Long(c)
	default:
		return fmt.Errorf("-events is short or long, and not %q", f.events)
	}
	if f.engine == fleet.NATS {
		b, err := broker.StartNATS(ctx, dir, "")
		if err != nil {
			return err
		}
		defer b.Kill() //nolint:errcheck // the end
		c.NATS = "nats://" + b.Addr
	}
	const replica = "github.com/mcpgen/mcpgen/fleet/cmd/feedreplica"
	var err error
	c.Program, err = fleet.Build(ctx, dir, replica, fleet.Variant{Name: "feedreplica"})
	if err != nil {
		return err
	}
	return feedrun.Run(ctx, c)
}
