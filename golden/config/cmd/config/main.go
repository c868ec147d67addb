// Command config serves settings over MCP on stdio. A tool changes them.
package main

import (
	"context"
	"log"
	"time"

	"github.com/mcpgen/mcpgen/golden/config"
	"github.com/mcpgen/mcpgen/mcp/transport/stdio"
)

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	settings := config.NewSettingsHolder(config.Settings{Theme: config.Light, FontSize: 12, Changed: time.Now()})
	srv, err := config.NewConfigServer(config.ConfigImpl{
		Settings: settings,
		Banner:   config.NewBannerHolder(config.Banner{Text: "*Welcome*", Kind: "Greeting"}),
		Panel:    &config.Panel{Settings: settings, Now: time.Now},
	}, nil)
	if err != nil {
		return err
	}
	return srv.Serve(context.Background(), stdio.New(nil))
}
