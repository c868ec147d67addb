// Command mcpgen-pack makes an MCPB bundle, an image of a container and the server.json of a registry from the program
// of a server. mcpgen pack starts it; mcpgen pack -h lists its flags.
package main

import (
	"context"
	"os"
	"os/signal"

	"github.com/mcpgen/mcpgen/pack"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	status := pack.Run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}
