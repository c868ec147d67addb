package main

import (
	"errors"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/redis/go-redis/v9"

	natsbus "github.com/mcpgen/mcpgen/bus/nats"
	redisbus "github.com/mcpgen/mcpgen/bus/redis"
	"github.com/mcpgen/mcpgen/mcp/replica"
)

// The names that all replicas of the fleet use.
const (
	subject = "mcp.fleet"
	bucket  = "fleet"
)

// shared is what the replicas share through a broker; the zero value is for a replica that is alone.
type shared struct {
	bus      replica.Bus
	sessions replica.SessionStore
	close    func()
}

// connect connects to the broker that the flags name.
func connect(f flags) (shared, error) {
	switch {
	case f.nats != "" && f.redis != "":
		return shared{}, errors.New("-nats and -redis exclude each other")
	case f.nats != "":
		return connectNATS(f.nats)
	case f.redis != "":
		return connectRedis(f.redis)
	}
	return shared{close: func() {}}, nil
}

func connectNATS(url string) (shared, error) {
	conn, err := natsbus.Connect(url)
	if err != nil {
		return shared{}, err
	}
	s := shared{close: conn.Close}
	bus, err := natsbus.NewBus(conn, subject)
	if err != nil {
		return s, err
	}
	js, err := jetstream.New(conn)
	if err != nil {
		return s, err
	}
	sessions, err := natsbus.NewSessions(js, bucket, natsbus.SessionsOptions{})
	s.bus, s.sessions = bus, sessions
	return s, err
}

func connectRedis(url string) (shared, error) {
	options, err := redis.ParseURL(url)
	if err != nil {
		return shared{}, err
	}
	options.ContextTimeoutEnabled = true // a server that hangs holds no call longer than its context
	client := redis.NewClient(options)
	s := shared{close: func() { _ = client.Close() }}
	bus, err := redisbus.NewBus(client, subject)
	if err != nil {
		return s, err
	}
	sessions, err := redisbus.NewSessions(client, bucket+":")
	s.bus, s.sessions = bus, sessions
	return s, err
}
