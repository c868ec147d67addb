package client

import (
	"context"
	"math/rand/v2"
)

// Watch subscribes to a resource until ctx ends, and returns a channel with what it reads, at first and after each update.
func Watch(ctx context.Context, c *Conn, uri string) <-chan string {
	texts := make(chan string, 16)
	b := &Behaviour{URIs: []string{uri}, Most: 1, Random: rand.New(rand.NewPCG(1, 1)), Read: func(_, text string) {
		select {
		case texts <- text:
		default: // nobody wants to know
		}
	}}
	go Run(ctx, c, b)
	return texts
}
