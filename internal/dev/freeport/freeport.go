// Package freeport finds ports for programs of tests that cannot be told to take any port, or that must come back at
// the port that they had.
package freeport

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
)

// Ports of this range are given away by no system: Linux begins at 32768, others at 49152. A port that the system has
// chosen, and that is free again, can be the next that it chooses, for a server or for the near end of a connection.
const (
	first = 20_000
	count = 10_000
)

// given has the addresses that Find has returned. Who gets one may take it much later.
var given sync.Map

var errGiven = errors.New("freeport: all ports that were tried have been given before")

// Find returns an address of this machine, as 127.0.0.1:PORT, at which nobody listens, and another one each time. The
// error says that it has found none, or that ctx has ended. It is safe for concurrent use.
func Find(ctx context.Context) (string, error) {
	err := ctx.Err()
	for n := 0; n < 100 && ctx.Err() == nil; n++ {
		addr := net.JoinHostPort("127.0.0.1", strconv.Itoa(first+rand.IntN(count))) //nolint:gosec // no secret
		if _, twice := given.LoadOrStore(addr, true); twice {
			err = errGiven
			continue
		}
		var l net.Listener
		if l, err = new(net.ListenConfig).Listen(ctx, "tcp", addr); err == nil {
			return addr, l.Close()
		}
	}
	return "", err
}
