// Package freeport finds ports for programs of tests that cannot be told to take any port, or that must come back at
// the port that they had.
package freeport

import (
	"context"
	"math/rand/v2"
	"net"
	"strconv"
)

// Ports of this range are given away by no system: Linux begins at 32768, others at 49152. A port that the system has
// chosen, and that is free again, can be the next that it chooses, for a server or for the near end of a connection.
const (
	first = 20_000
	count = 10_000
)

// Find returns an address of this machine, as 127.0.0.1:PORT, at which nobody listens. The error says that it has found
// none, or that ctx has ended. It is safe for concurrent use, and may then return the same address twice.
func Find(ctx context.Context) (string, error) {
	err := ctx.Err()
	for n := 0; n < 100 && ctx.Err() == nil; n++ {
		addr := net.JoinHostPort("127.0.0.1", strconv.Itoa(first+rand.IntN(count))) //nolint:gosec // no secret
		var l net.Listener
		if l, err = new(net.ListenConfig).Listen(ctx, "tcp", addr); err == nil {
			return addr, l.Close()
		}
	}
	return "", err
}
