package redisbus_test

import (
	"log"
	"os"

	"github.com/redis/go-redis/v9"

	"github.com/mcpgen/mcpgen/bus/redis"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/replica"
	"github.com/mcpgen/mcpgen/mcp/webhook"
)

// A bus, the events of a server and the subscriptions of its webhooks, by one client.
func ExampleNewSubscriptions() {
	options, err := redis.ParseURL(os.Getenv("REDIS_URL"))
	if err != nil {
		log.Fatal(err)
	}
	options.ContextTimeoutEnabled = true
	client := redis.NewClient(options)
	bus, err := redisbus.NewBus(client, "mcp:notes")
	if err != nil {
		log.Fatal(err)
	}
	events, err := redisbus.NewEvents(client, "mcp:notes:events")
	if err != nil {
		log.Fatal(err)
	}
	hooks, err := redisbus.NewSubscriptions(client, "mcp:notes:hooks")
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	serve(&mcp.Options{Bus: replica.Over(bus), Keys: [][]byte{[]byte(os.Getenv("MCP_KEY"))},
		Events: &event.Options{Log: events, Webhooks: webhook.New(webhook.Options{Store: hooks})}}, nil)
}
