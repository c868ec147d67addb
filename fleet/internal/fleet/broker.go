package fleet

import (
	"context"
	"errors"
	"net"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/fleet/internal/proc"
)

// Engines that carry messages between replicas.
const (
	NATS  = "nats"
	Redis = "redis"
	None  = "none"
)

// Broker is the process of an engine, which can be killed and started again at the same address.
type Broker struct {
	engine, bin, dir, addr string

	mu   sync.Mutex
	proc *proc.Process // nil while it is down
}

// StartBroker starts an engine in a folder. bin is its program; for Redis empty means that of the system.
func StartBroker(ctx context.Context, engine, bin, dir string) (*Broker, error) {
	if engine == Redis && bin == "" {
		var err error
		if bin, err = exec.LookPath("redis-server"); err != nil {
			return nil, errors.New("redis-server is not installed (make setup installs it where apt-get is)")
		}
	}
	addr, err := proc.FreePort(ctx)
	if err != nil {
		return nil, err
	}
	b := &Broker{engine: engine, bin: bin, dir: dir, addr: addr}
	return b, b.Start(ctx)
}

// Addr returns the address of the broker.
func (b *Broker) Addr() string { return b.addr }

// Start starts the process and waits until it takes connections.
func (b *Broker) Start(ctx context.Context) error {
	host, port, err := net.SplitHostPort(b.addr)
	if err != nil {
		return err
	}
	args := []string{"-a", host, "-p", port, "-js", "-sd", filepath.Join(b.dir, "jetstream")}
	if b.engine == Redis {
		args = []string{"--bind", host, "--port", port, "--save", "", "--appendonly", "no", "--dir", b.dir}
	}
	p, err := proc.Start(filepath.Join(b.dir, "broker.log"), nil, b.bin, args...)
	if err != nil {
		return err
	}
	b.mu.Lock()
	b.proc = p
	b.mu.Unlock()
	return proc.AwaitPort(ctx, p, b.addr, 20*time.Second)
}

// Kill ends the process as kill -9 does.
func (b *Broker) Kill() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.proc != nil {
		b.proc.Kill()
		b.proc = nil
	}
}
