package main

import (
	"errors"

	natsbus "github.com/mcpgen/mcpgen/bus/nats"
	"github.com/mcpgen/mcpgen/mcp/replica"
)

// subject is that of all replicas of the fleet.
const subject = "mcp.fleet"

// connect returns the bus that the flags name, nil for none, and a function that disconnects.
func connect(f flags) (replica.Bus, func(), error) {
	switch {
	case f.nats != "":
		conn, err := natsbus.Connect(f.nats)
		if err != nil {
			return nil, nil, err
		}
		bus, err := natsbus.NewBus(conn, subject)
		if err != nil {
			conn.Close()
			return nil, nil, err
		}
		return bus, conn.Close, nil
	case f.redis != "":
		return nil, nil, errors.New("there is no Redis here yet")
	}
	return nil, func() {}, nil
}
