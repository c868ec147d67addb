package client

import (
	"context"
	"math/rand/v2"
)

// NewRandom returns random numbers that are the same each time for the same two numbers.
func NewRandom(seed, of uint64) *rand.Rand {
	return rand.New(rand.NewPCG(seed, of)) //nolint:gosec // a run is repeated by its seed
}

// Watch subscribes to a resource until ctx ends, and returns a channel with what it reads, at first and after each
// update.
func Watch(ctx context.Context, c *Conn, uri string) <-chan string {
	texts := make(chan string, 16)
	b := &Behaviour{URIs: []string{uri}, Most: 1, Random: NewRandom(1, 1), Read: func(_, text string) {
		select {
		case texts <- text:
		default: // nobody wants to know
		}
	}}
	go Run(ctx, c, b)
	return texts
}
