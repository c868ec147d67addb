package natsbus_test

import (
	"log"
	"os"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/bus/nats"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/replica"
	"github.com/mcpgen/mcpgen/mcp/task"
)

// The bus of a server, and a store for its tasks, by one connection.
func ExampleNewTasks() {
	conn, err := natsbus.Connect(os.Getenv("NATS_URL"))
	if err != nil {
		log.Fatal(err)
	}
	bus, err := natsbus.NewBus(conn, "mcp.notes")
	if err != nil {
		log.Fatal(err)
	}
	js, err := jetstream.New(conn)
	if err != nil {
		log.Fatal(err)
	}
	tasks, err := natsbus.NewTasks(js, "mcp-notes-tasks", natsbus.TasksOptions{Replicas: 3})
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	serve(&mcp.Options{Bus: replica.Over(bus), Keys: [][]byte{[]byte(os.Getenv("MCP_KEY"))},
		Tasks: task.Options{Store: tasks}}, nil)
}
