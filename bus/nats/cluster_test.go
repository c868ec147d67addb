package natsbus_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/bus/nats"
	"github.com/mcpgen/mcpgen/internal/dev/freeport"
	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/event/storetest"
	"github.com/mcpgen/mcpgen/mcp/replica"
	"github.com/mcpgen/mcpgen/mcp/replica/bustest"
	"github.com/mcpgen/mcpgen/mcp/replica/sessiontest"
	"github.com/mcpgen/mcpgen/mcp/task"
	"github.com/mcpgen/mcpgen/mcp/task/taskstoretest"
)

// cluster starts three NATS servers that are one cluster, and returns their addresses.
func cluster(t *testing.T) []string {
	t.Helper()
	var routes []string
	for len(routes) < 3 {
		addr, err := freeport.Find(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if route := "nats://" + addr; !slices.Contains(routes, route) {
			routes = append(routes, route)
		}
	}
	var addresses []string
	for n, route := range routes {
		addresses = append(addresses, start(t, fmt.Sprintf("server_name: n%d\ncluster { name: c, listen: %q, routes: [%s] }",
			n, strings.TrimPrefix(route, "nats://"), strings.Join(routes, ", "))).Addr)
	}
	return addresses
}

// Replicas at different servers of a cluster hear each other, and a record that one has saved is there for all.
func TestCluster(t *testing.T) {
	if testing.Short() {
		t.Skip("starts three servers")
	}
	addresses := cluster(t)
	var count atomic.Int32
	next := func() string { return addresses[int(count.Add(1))%len(addresses)] }
	store := func(t *testing.T) replica.SessionStore {
		t.Helper()
		js, err := jetstream.New(connect(t, next()))
		if err != nil {
			t.Fatal(err)
		}
		s, err := natsbus.NewSessions(js, "sessions", natsbus.SessionsOptions{Replicas: 3})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for ready, ctx := store(t), limit(t); ; time.Sleep(100 * time.Millisecond) { // the servers elect a leader
		once, cancel := context.WithTimeout(ctx, 2*time.Second) // without a leader nobody answers
		_, _, err := ready.Load(once, "none")
		cancel()
		if errors.Is(err, replica.ErrNotFound) {
			break
		}
		if ctx.Err() != nil {
			t.Fatalf("the cluster is not ready: %v", err)
		}
	}
	t.Run("sessions", func(t *testing.T) { sessiontest.Run(t, store) })
	t.Run("tasks", func(t *testing.T) {
		taskstoretest.Run(t, func(t *testing.T) task.Store {
			return newTasks(next(), natsbus.TasksOptions{Replicas: 3})(t)
		})
	})
	t.Run("subscriptions", func(t *testing.T) {
		storetest.Run(t, func(t *testing.T) event.Store {
			return newSubscriptions(t, next(), natsbus.SubscriptionsOptions{Replicas: 3})
		})
	})
	t.Run("bus", func(t *testing.T) {
		bustest.Run(t, func(t *testing.T) replica.Bus { return newBus(next())(t) })
	})
}
