package redisbus_test

import (
	"net"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/mcpgen/mcpgen/bus/redis"
	"github.com/mcpgen/mcpgen/internal/dev/freeport"
	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/event/logtest"
	"github.com/mcpgen/mcpgen/mcp/event/storetest"
	"github.com/mcpgen/mcpgen/mcp/task"
	"github.com/mcpgen/mcpgen/mcp/task/taskstoretest"
)

// clustered starts a cluster of one server. It refuses scripts whose keys a larger one would not keep together.
func clustered(t *testing.T) (client func(t *testing.T) redis.UniversalClient) {
	t.Helper()
	at, err := freeport.Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(at)
	b := start(t, "--cluster-enabled", "yes", "--cluster-port", port)
	one := connect(t, redis.Options{Addr: b.Addr})
	do(t, one.Do(t.Context(), "cluster", "addslotsrange", 0, 16383).Err)
	for begun := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		info, err := one.ClusterInfo(t.Context()).Result()
		if strings.Contains(info, "cluster_state:ok") {
			break
		}
		if time.Since(begun) > 30*time.Second {
			t.Fatal(info, err)
		}
	}
	return func(t *testing.T) redis.UniversalClient {
		t.Helper()
		c := redis.NewClusterClient(&redis.ClusterOptions{Addrs: []string{b.Addr}, ContextTimeoutEnabled: true})
		t.Cleanup(func() { do(t, c.Close) })
		return c
	}
}

// A cluster keeps everything as one server does.
func TestCluster(t *testing.T) {
	client := clustered(t)
	logtest.Run(t, func(t *testing.T) event.Log { return newEvents(t, client(t)) })
	storetest.Run(t, func(t *testing.T) event.Store { return newSubscriptions(t, client(t)) })
	taskstoretest.Run(t, func(t *testing.T) task.Store {
		t.Helper()
		store, err := redisbus.NewTasks(client(t), "mcp:test:tasks")
		if err != nil {
			t.Fatal(err)
		}
		return store
	})
}
