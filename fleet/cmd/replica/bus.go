package main

import (
	"context"
	"errors"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/redis/go-redis/v9"

	natsbus "github.com/mcpgen/mcpgen/bus/nats"
	redisbus "github.com/mcpgen/mcpgen/bus/redis"
	"github.com/mcpgen/mcpgen/mcp/replica"
	"github.com/mcpgen/mcpgen/mcp/task"
	sqlitetasks "github.com/mcpgen/mcpgen/tasks/sqlite"
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
	tasks    task.Store // nil for one in memory
	close    func()
}

// connect connects to the broker that the flags name, and opens the store of tasks.
func connect(ctx context.Context, f flags) (shared, error) {
	s, err := connectBroker(f)
	if err != nil || f.tasks == "" {
		return s, err
	}
	tasks, err := sqlitetasks.Open(ctx, f.tasks)
	if err != nil {
		return s, err
	}
	s.tasks = tasks
	broker := s.close
	s.close = func() {
		_ = tasks.Close()
		broker()
	}
	return s, nil
}

func connectBroker(f flags) (shared, error) {
	switch {
	case f.nats != "" && f.redis != "":
		return shared{}, errors.New("-nats and -redis exclude each other")
	case f.nats != "":
		return connectNATS(f)
	case f.redis != "":
		return connectRedis(f)
	}
	return shared{close: func() {}}, nil
}

func connectNATS(f flags) (shared, error) {
	conn, err := natsbus.Connect(f.nats)
	if err != nil {
		return shared{}, err
	}
	s := shared{close: conn.Close}
	bus, err := natsbus.NewBus(conn, subject)
	if err != nil {
		return s, err
	}
	stores := conn
	if f.stores != "" {
		if stores, err = natsbus.Connect(f.stores); err != nil {
			return s, err
		}
		s.close = func() {
			conn.Close()
			stores.Close()
		}
	}
	js, err := jetstream.New(stores)
	if err != nil {
		return s, err
	}
	sessions, err := natsbus.NewSessions(js, bucket, natsbus.SessionsOptions{})
	if err != nil {
		return s, err
	}
	s.bus, s.sessions = bus, sessions
	if f.tasksInBroker {
		s.tasks, err = natsbus.NewTasks(js, bucket+"-tasks", natsbus.TasksOptions{})
	}
	return s, err
}

func connectRedis(f flags) (shared, error) {
	options, err := redis.ParseURL(f.redis)
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
	if err != nil {
		return s, err
	}
	s.bus, s.sessions = bus, sessions
	if f.tasksInBroker {
		s.tasks, err = redisbus.NewTasks(client, bucket+":tasks")
	}
	return s, err
}
