package natsbus_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/bus/nats"
	"github.com/mcpgen/mcpgen/internal/dev/broker"
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

// No error has a password.
func TestErrorsWithoutPassword(t *testing.T) {
	for _, url := range []string{
		"nats://me:secret@host:port", "nats://me:secret@[::1", "nats://me:secret%zz@host", "nats://me:sec\x7fret@host",
		":me:secret@x",
		"nats://127.0.0.1:1,nats://me:secret@host:1x", "me:secret@host:99999", "foo://me:secret@host",
		"nats://me:secret/1@host",
	} {
		conn, err := natsbus.Connect(url, nats.RetryOnFailedConnect(false), nats.Timeout(time.Second))
		if err == nil {
			conn.Close()
			t.Errorf("%s is taken", url)
		} else if strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "ret@") {
			t.Errorf("%s: %v", url, err)
		}
	}
}

// A connection without an option that a bus needs is an error that names the option.
func TestNewBusChecks(t *testing.T) {
	b := start(t, "")
	for want, option := range map[string]nats.Option{
		"nats.ReconnectBufSize(-1)":           nats.ReconnectBufSize(1 << 20),
		"nats.MaxReconnects(-1)":              nats.MaxReconnects(3),
		"nats.NoEcho()":                       nats.NoEcho(),
		"nats.PermissionErrOnSubscribe(true)": nats.PermissionErrOnSubscribe(false),
	} {
		if _, err := natsbus.NewBus(connect(t, b.Addr, option), "mcp.test"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want one that names %s", err, want)
		}
	}
	plain, err := nats.Connect("nats://" + b.Addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(plain.Close)
	if _, err := natsbus.NewBus(plain, "mcp.test"); err == nil {
		t.Error("a connection with the options of nats.go is taken")
	}
	if _, err := natsbus.NewBus(nil, "mcp.test"); err == nil {
		t.Error("no connection is taken")
	}
	conn := connect(t, b.Addr)
	for _, subject := range []string{"", ".", "a.", "a..b", "a.*", ">", "a b", "$SYS.x", "a\r\nPUB b 0"} {
		if _, err := natsbus.NewBus(conn, subject); err == nil {
			t.Errorf("the subject %q is taken", subject)
		}
	}
}

// Credentials and TLS are options of nats.go.
func TestCredentialsAndTLS(t *testing.T) {
	cert, key, pool, err := broker.Certificate(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := start(t, fmt.Sprintf("tls { cert_file: %q, key_file: %q }\nauthorization { user: u, password: p }", cert, key))
	secure := nats.Secure(&tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS13})
	bus, err := natsbus.NewBus(connect(t, b.Addr, secure, nats.UserInfo("u", "p")), "mcp.test")
	if err != nil {
		t.Fatal(err)
	}
	if err := hears(t, bus); err != nil {
		t.Error(err)
	}
	wrong, err := natsbus.Connect("nats://"+b.Addr, secure, nats.UserInfo("u", "wrong"))
	if err == nil {
		t.Cleanup(wrong.Close)
		if bus, err = natsbus.NewBus(wrong, "mcp.test"); err == nil {
			err = hears(t, bus)
		}
	}
	if err == nil || !strings.Contains(strings.ToLower(err.Error()), "authorization violation") {
		t.Errorf("with a wrong password: %v", err)
	}
}

// A subscription that the server refuses ends with the reason.
func TestPermission(t *testing.T) {
	b := start(t, `authorization { users: [ { user: u, password: p, permissions: { subscribe: "_INBOX.>" } } ] }`)
	bus, err := natsbus.NewBus(connect(t, b.Addr, nats.UserInfo("u", "p")), "mcp.test")
	if err != nil {
		t.Fatal(err)
	}
	if err := hears(t, bus); !errors.Is(err, nats.ErrPermissionViolation) {
		t.Errorf("Subscribe returned %v", err)
	}
}

// A replica may start before the server does.
func TestStartsFirst(t *testing.T) {
	b := start(t, "")
	do(t, b.Kill)
	conn := connect(t, b.Addr)
	bus, err := natsbus.NewBus(conn, "mcp.test")
	if err != nil {
		t.Fatal(err)
	}
	if err := bus.Publish(t.Context(), []byte("frame")); err == nil {
		t.Error("Publish without a server returned no error")
	}
	heard := make(chan error, 1)
	go func() { heard <- hears(t, bus) }()
	do(t, func() error { return b.Start(t.Context()) })
	if err := <-heard; err != nil {
		t.Error(err)
	}
}

// Ids that would be other subjects, and buckets that were made with other properties, are errors.
func TestSessionsRefuse(t *testing.T) {
	b := start(t, "")
	js, err := jetstream.New(connect(t, b.Addr))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := natsbus.NewSessions(js, "a.b", natsbus.SessionsOptions{}); err == nil {
		t.Error("a bucket with a dot is taken")
	}
	store := newStore(b.Addr)(t)
	for _, id := range []string{"", ">", "*", "a.b", "a b", "a\r\n", strings.Repeat("a", replica.MaxID+1)} {
		_, err := store.Save(limit(t), id, 0, nil, time.Hour)
		_, _, loading := store.Load(limit(t), id)
		if err == nil || loading == nil || store.Delete(limit(t), id) == nil {
			t.Errorf("the id %q is taken", id)
		}
	}
	if _, err := js.CreateKeyValue(limit(t), jetstream.KeyValueConfig{Bucket: "other"}); err != nil {
		t.Fatal(err)
	}
	other, err := natsbus.NewSessions(js, "other", natsbus.SessionsOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Save(limit(t), "id", 0, nil, time.Hour); err == nil || !strings.Contains(err.Error(), "it must") {
		t.Errorf("a bucket with other properties: %v", err)
	}
}

// The bucket is made again if the server has lost it, as one in memory does when it ends.
func TestBucketInMemory(t *testing.T) {
	b := start(t, "")
	js, err := jetstream.New(connect(t, b.Addr))
	if err != nil {
		t.Fatal(err)
	}
	store, err := natsbus.NewSessions(js, "memory", natsbus.SessionsOptions{Storage: jetstream.MemoryStorage})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Save(limit(t), "id", 0, []byte("record"), time.Hour); err != nil {
		t.Fatal(err)
	}
	do(t, b.Kill)
	do(t, func() error { return b.Start(t.Context()) })
	for ctx := limit(t); ; time.Sleep(10 * time.Millisecond) {
		one, cancel := context.WithTimeout(ctx, time.Second)
		_, _, err := store.Load(one, "id")
		cancel()
		if errors.Is(err, replica.ErrNotFound) {
			return
		}
		if ctx.Err() != nil {
			t.Fatalf("Load: %v", err)
		}
	}
}
