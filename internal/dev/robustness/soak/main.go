// Command soak puts servers of package served, in processes of their own, under load for a while: thousands of streams,
// connections that are made and abandoned, and hostile lines and bodies, over stdio, HTTP and a Unix socket. Honest
// clients check their answers all along. It fails if an answer is wrong, or if a server holds more afterwards than
// before, or not all of the load was sent in time. It talks to 127.0.0.1 only and ends by itself.
package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"time"

	"github.com/mcpgen/mcpgen/internal/dev/robustness/attack"
	"github.com/mcpgen/mcpgen/internal/dev/robustness/served"
)

// serveVariable makes the program the server.
const serveVariable = "MCPGEN_SOAK_SERVE"

func main() {
	if os.Getenv(serveVariable) != "" {
		served.Main()
	}
	duration := flag.Duration("d", 20*time.Minute, "how long the load lasts; below 20m there is less of it, unless -full")
	full := flag.Bool("full", false, "all of the load, however short the time is")
	limit := flag.Duration("limit", 0, "how long it may last until all of the load was sent; 0 means half as long again")
	seed := flag.Uint64("seed", 0, "what chooses all that is random; 0 means a random seed, which is printed")
	flag.Parse()
	if err := run(*duration, *limit, *full, *seed); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
	fmt.Println("soak: all was answered, and nothing is left")
}

func run(duration, limit time.Duration, full bool, seed uint64) error {
	if seed == 0 {
		seed = rand.Uint64()
	}
	share := min(1, duration.Minutes()/20)
	if full {
		share = 1
	}
	if limit == 0 {
		limit = duration * 3 / 2
	}
	c := attack.SoakConfig{Duration: duration, Limit: limit, Streams: 5000, Cycles: int(100_000 * share),
		Messages: int(1_000_000 * share), Seed: seed,
		SessionTimeout: min(20*time.Second, max(duration/20, 5*time.Second)), Log: os.Stdout}
	// Each stream is a descriptor here and one in a server, which takes three quarters of its descriptors for
	// connections.
	if most := raiseDescriptors(); most > 0 && c.Streams > most/2 {
		fmt.Printf("only %d descriptors: %d streams instead of %d\n", most, most/2, c.Streams)
		c.Streams = most / 2
	}
	fmt.Printf("%v, %d streams, %d cycles, %d messages, -seed %d\n", duration, c.Streams, c.Cycles, c.Messages, seed)
	self, err := os.Executable()
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	program := &attack.Program{Command: []string{self}, Env: []string{serveVariable + "=1"}, Own: true}
	return attack.Soak(ctx, program, c)
}
