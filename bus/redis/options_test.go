package redisbus_test

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/mcpgen/mcpgen/bus/redis"
	"github.com/mcpgen/mcpgen/internal/dev/broker"
	"github.com/mcpgen/mcpgen/internal/dev/freeport"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/replica"
)

// serve stands for what a program does with its options.
func serve(*mcp.Options, *mcphttp.Options) {}

// limit bounds what a test waits for.
func limit(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// hears reports whether a bus receives its own frame; if not, the error is that of Subscribe.
func hears(t *testing.T, bus replica.Bus) error {
	t.Helper()
	ctx, cancel := context.WithCancelCause(limit(t))
	heard := errors.New("heard")
	err := bus.Subscribe(ctx, func([]byte) { cancel(heard) }, func() { _ = bus.Publish(ctx, []byte("frame")) })
	if errors.Is(context.Cause(ctx), heard) {
		return nil
	}
	return err
}

// A client with options that do not do is an error that names them.
func TestNewBusChecks(t *testing.T) {
	for want, client := range map[string]redis.UniversalClient{
		"no client":             nil,
		"ContextTimeoutEnabled": redis.NewClient(&redis.Options{}),
		"ReadOnly":              redis.NewClusterClient(&redis.ClusterOptions{ContextTimeoutEnabled: true, ReadOnly: true}),
		"Ring":                  redis.NewRing(&redis.RingOptions{ContextTimeoutEnabled: true}),
	} {
		if client != nil {
			t.Cleanup(func() { do(t, client.Close) })
		}
		_, err := redisbus.NewBus(client, "mcp:test")
		_, alike := redisbus.NewSessions(client, "mcp:test:")
		for _, err := range []error{err, alike} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("the error is %v, want one that names %s", err, want)
			}
		}
	}
	client := connect(t, redis.Options{})
	if _, err := redisbus.NewBus(client, ""); err == nil {
		t.Error("a channel without a name is taken")
	}
	if _, err := redisbus.NewSessions(client, ""); err == nil {
		t.Error("keys without a prefix are taken")
	}
}

// Credentials and TLS are options of go-redis.
func TestCredentialsAndTLS(t *testing.T) {
	cert, key, pool, err := broker.Certificate(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	address, err := freeport.Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	start(t, "--tls-port", port, "--tls-cert-file", cert, "--tls-key-file", key, "--tls-auth-clients", "no",
		"--user", "replica", "on", ">secret", "&mcp:test", "+publish", "+subscribe", "+ping")
	secure := &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	bus, err := redisbus.NewBus(connect(t, redis.Options{Addr: address, TLSConfig: secure, Username: "replica",
		Password: "secret"}), "mcp:test")
	if err != nil {
		t.Fatal(err)
	}
	if err := hears(t, bus); err != nil {
		t.Error(err)
	}
	for name, c := range map[string]struct{ password, channel, want string }{
		"a wrong password": {"wrong", "mcp:test", "WRONGPASS"},
		"another channel":  {"secret", "mcp:other", "NOPERM"},
	} {
		bus, err := redisbus.NewBus(connect(t, redis.Options{Addr: address, TLSConfig: secure, Username: "replica",
			Password: c.password}), c.channel)
		if err != nil {
			t.Fatal(err)
		}
		if err := hears(t, bus); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

// A save that the client sends again, because it missed the answer, succeeds.
func TestSaveAgain(t *testing.T) {
	b := start(t)
	ctx := limit(t)
	client := connect(t, redis.Options{Addr: b.Addr})
	client.AddHook(twice{connect(t, redis.Options{Addr: b.Addr})})
	store, err := redisbus.NewSessions(client, "mcp:test:")
	if err != nil {
		t.Fatal(err)
	}
	v, err := store.Save(ctx, "id", 0, []byte("record"), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = store.Save(ctx, "id", v, []byte("record"), time.Hour); err != nil {
		t.Error(err)
	}
}

// twice is a hook that sends each script two times.
type twice struct{ client *redis.Client }

func (twice) DialHook(next redis.DialHook) redis.DialHook { return next }

func (h twice) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if strings.HasPrefix(cmd.Name(), "eval") {
			if err := h.client.Do(ctx, cmd.Args()...).Err(); err != nil {
				return err
			}
		}
		return next(ctx, cmd)
	}
}

func (twice) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

// A key that is none of a session is an error, and not a record.
func TestForeignKey(t *testing.T) {
	b := start(t)
	client := connect(t, redis.Options{Addr: b.Addr})
	if err := client.Set(limit(t), "mcp:test:id", "something else", 0).Err(); err != nil {
		t.Fatal(err)
	}
	_, _, err := newStore(b)(t).Load(limit(t), "id")
	if err == nil || errors.Is(err, replica.ErrNotFound) {
		t.Errorf("Load returned %v", err)
	}
}
