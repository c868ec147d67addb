package redisbus_test

import (
	"log"
	"os"

	"github.com/redis/go-redis/v9"

	"github.com/mcpgen/mcpgen/bus/redis"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/replica"
)

// The bus of a server, and a store for its sessions, by one client.
func Example() {
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
	sessions, err := redisbus.NewSessions(client, "mcp:notes:session:")
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	serve(&mcp.Options{Bus: replica.Over(bus), Keys: [][]byte{[]byte(os.Getenv("MCP_KEY"))}},
		&mcphttp.Options{SessionStore: sessions})
}
