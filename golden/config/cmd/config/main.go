// Command config serves settings over MCP, on stdio or with -http. A tool changes them.
package main

import (
	"context"
	"flag"
	"log"
	"time"

	"github.com/mcpgen/mcpgen/golden/config"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

func main() {
	serve := mcphttp.AddFlags(flag.CommandLine)
	flag.Parse()
	if err := run(serve); err != nil {
		log.Fatal(err)
	}
}

func run(serve *mcphttp.Command) error {
	settings := config.NewSettingsHolder(config.Settings{Theme: config.Light, FontSize: 12, Changed: time.Now()})
	srv, err := config.NewConfigServer(config.ConfigImpl{
		Settings: settings,
		Banner:   config.NewBannerHolder(config.Banner{Text: "*Welcome*", Kind: "Greeting"}),
		Panel:    &config.Panel{Settings: settings, Now: time.Now},
	}, nil)
	if err != nil {
		return err
	}
	return serve.Run(context.Background(), srv)
}
