package redisbus_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/mcpgen/mcpgen/bus/redis"
	"github.com/mcpgen/mcpgen/internal/dev/broker"
)

func startB(b *testing.B) *broker.Broker {
	b.Helper()
	server, err := broker.StartRedis(b.Context(), b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = server.Kill() })
	return server
}

func busB(b *testing.B, server *broker.Broker) *redisbus.Bus {
	b.Helper()
	client := redis.NewClient(&redis.Options{Addr: server.Addr, ContextTimeoutEnabled: true})
	b.Cleanup(func() { _ = client.Close() })
	bus, err := redisbus.NewBus(client, "mcp:bench")
	if err != nil {
		b.Fatal(err)
	}
	return bus
}

// subscribeB subscribes until the benchmark ends, and waits until the subscription is live.
func subscribeB(b *testing.B, bus *redisbus.Bus, receive func([]byte), gap func()) {
	b.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	live := make(chan struct{})
	once := sync.OnceFunc(func() { close(live) })
	done.Go(func() { _ = bus.Subscribe(ctx, receive, func() { once(); gap() }) })
	<-live
	b.Cleanup(func() { cancel(); done.Wait() })
}

// BenchmarkEcho is the time from Publish on one connection to receive on another.
func BenchmarkEcho(b *testing.B) {
	server := startB(b)
	publisher := busB(b, server)
	received := make(chan struct{}, 1)
	subscribeB(b, busB(b, server), func([]byte) { received <- struct{}{} }, func() {})
	frame := make([]byte, 200)
	for b.Loop() {
		if err := publisher.Publish(b.Context(), frame); err != nil {
			b.Fatal(err)
		}
		<-received
	}
}

// BenchmarkPublish is the time of Publish, with three subscribers on connections of their own.
func BenchmarkPublish(b *testing.B) {
	server := startB(b)
	publisher := busB(b, server)
	var mu sync.Mutex
	frames, gaps := 0, 0
	for range 3 {
		subscribeB(b, busB(b, server), func([]byte) { mu.Lock(); frames++; mu.Unlock() },
			func() { mu.Lock(); gaps++; mu.Unlock() })
	}
	frame := make([]byte, 200)
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		n++
		if err := publisher.Publish(b.Context(), frame); err != nil {
			b.Fatal(err)
		}
	}
	for limit := time.Now().Add(10 * time.Second); time.Now().Before(limit); time.Sleep(time.Millisecond) {
		mu.Lock()
		all := frames == 3*n
		mu.Unlock()
		if all {
			break
		}
	}
	mu.Lock()
	defer mu.Unlock()
	b.ReportMetric(float64(frames)/b.Elapsed().Seconds(), "deliveries/s")
	b.ReportMetric(100*float64(3*n-frames)/float64(3*n), "%lost")
	b.ReportMetric(float64(gaps-3), "gaps")
}

// BenchmarkSessions is the time of a Load and a Save of 2 KiB, each change written to the disk.
func BenchmarkSessions(b *testing.B) {
	server := startB(b)
	client := redis.NewClient(&redis.Options{Addr: server.Addr, ContextTimeoutEnabled: true})
	b.Cleanup(func() { _ = client.Close() })
	store, err := redisbus.NewSessions(client, "mcp:bench:")
	if err != nil {
		b.Fatal(err)
	}
	if _, err := store.Save(b.Context(), "id", 0, make([]byte, 2<<10), time.Hour); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		record, version, err := store.Load(b.Context(), "id")
		if err != nil {
			b.Fatal(err)
		}
		if _, err := store.Save(b.Context(), "id", version, record, time.Hour); err != nil {
			b.Fatal(err)
		}
	}
}
