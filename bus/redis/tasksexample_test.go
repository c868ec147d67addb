package redisbus_test

import (
	"log"
	"os"

	"github.com/redis/go-redis/v9"

	"github.com/mcpgen/mcpgen/bus/redis"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/replica"
	"github.com/mcpgen/mcpgen/mcp/task"
)

// A bus, and a store for tasks, by one client.
func ExampleNewTasks() {
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
	tasks, err := redisbus.NewTasks(client, "mcp:notes:tasks")
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	serve(&mcp.Options{Bus: replica.Over(bus), Keys: [][]byte{[]byte(os.Getenv("MCP_KEY"))},
		Tasks: task.Options{Store: tasks}}, nil)
}
