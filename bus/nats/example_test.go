package natsbus_test

import (
	"log"
	"os"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/bus/nats"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/replica"
)

// The bus of a server, and a store for its sessions, by one connection.
func Example() {
	conn, err := natsbus.Connect(os.Getenv("NATS_URL"),
		nats.Name("notes"), nats.UserCredentials("/etc/notes/nats.creds"))
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
	sessions, err := natsbus.NewSessions(js, "mcp-notes-sessions", natsbus.SessionsOptions{Replicas: 3})
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	serve(&mcp.Options{Bus: replica.Over(bus), Keys: [][]byte{[]byte(os.Getenv("MCP_KEY"))}},
		&mcphttp.Options{SessionStore: sessions})
}
