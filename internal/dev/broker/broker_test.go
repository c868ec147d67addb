package broker

import (
	"context"
	"errors"
	"net"
	"testing"
)

// A broker is killed and started again at the same address, and hangs while it is paused.
func TestBroker(t *testing.T) {
	for name, start := range map[string]func(ctx context.Context, dir string) (*Broker, error){
		"redis": func(ctx context.Context, dir string) (*Broker, error) { return StartRedis(ctx, dir) },
		"nats":  func(ctx context.Context, dir string) (*Broker, error) { return StartNATS(ctx, dir, "") },
	} {
		t.Run(name, func(t *testing.T) {
			b, err := start(t.Context(), t.TempDir())
			if errors.Is(err, ErrMissing) {
				t.Skip(err)
			}
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = b.Kill() })
			if err := errors.Join(b.Pause(), b.Resume(), b.Kill()); err != nil {
				t.Fatal(err)
			}
			if conn, err := net.Dial("tcp", b.Addr); err == nil {
				_ = conn.Close()
				t.Error("a broker that was killed accepts connections")
			}
			if err := b.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := b.Kill(); err != nil {
				t.Fatal(err)
			}
		})
	}
}
