package natsbus_test

import (
	"log"
	"os"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/bus/nats"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/replica"
	"github.com/mcpgen/mcpgen/mcp/webhook"
)

// The bus of a server, its events and the subscriptions of its webhooks, by one connection.
func ExampleNewSubscriptions() {
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
	events, err := natsbus.NewEvents(js, "mcp-notes", natsbus.EventsOptions{Replicas: 3})
	if err != nil {
		log.Fatal(err)
	}
	hooks, err := natsbus.NewSubscriptions(js, "mcp-notes-hooks", natsbus.SubscriptionsOptions{Replicas: 3})
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	serve(&mcp.Options{Bus: replica.Over(bus), Keys: [][]byte{[]byte(os.Getenv("MCP_KEY"))},
		Events: &event.Options{Log: events, Webhooks: webhook.New(webhook.Options{Store: hooks})}}, nil)
}
