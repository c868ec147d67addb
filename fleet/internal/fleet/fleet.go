package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/fleet/internal/balance"
	"github.com/mcpgen/mcpgen/fleet/internal/cut"
	"github.com/mcpgen/mcpgen/fleet/internal/proc"
	"github.com/mcpgen/mcpgen/internal/broker"
	"github.com/mcpgen/mcpgen/internal/freeport"
)

// Engines that carry messages between replicas.
const (
	NATS  = "nats"
	Redis = "redis"
	None  = "none"
	// SQLite is where tasks can be kept.
	SQLite = "sqlite"
)

// patience is how long a replica may take until it is ready, at the start.
const patience = 2 * time.Minute

// Config describes a fleet.
type Config struct {
	// Dir has the state, the logs and the data of the broker.
	Dir string
	// Program is that of a replica.
	Program string
	// Engine is NATS, Redis or None.
	Engine   string
	Replicas int
	// Tasks is where tasks are kept: NATS, or SQLite for a file.
	Tasks string
	// Flags are further flags of each replica.
	Flags []string
}

// Fleet is a running fleet. It is safe for concurrent use.
type Fleet struct {
	config Config
	// Broker carries messages between the replicas; nil without an engine. BrokerBusy is held by who uses it.
	Broker     *broker.Broker
	BrokerBusy sync.Mutex
	Balancer   *balance.Balancer
	Replicas   []*Replica
	front      *http.Server
	url        string
	stop       context.CancelFunc
}

// Replica is a place in a fleet, in which one process serves after the other.
type Replica struct {
	Index int
	fleet *Fleet
	// Cut stands between the replica and the broker; nil without an engine.
	Cut *cut.Proxy
	// Busy is held by a fault that needs the replica as it is.
	Busy sync.Mutex

	mu      sync.Mutex
	proc    *proc.Process
	addr    string
	program string
	clock   string
}

// Start starts a fleet, and returns when all replicas are ready.
func Start(ctx context.Context, c Config) (*Fleet, error) {
	ctx, stop := context.WithCancel(ctx)
	f := &Fleet{config: c, Balancer: balance.New(c.Replicas), stop: stop}
	if err := f.start(ctx); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func (f *Fleet) start(ctx context.Context) error {
	var err error
	switch f.config.Engine {
	case NATS:
		f.Broker, err = broker.StartNATS(ctx, f.config.Dir, "")
	case Redis:
		f.Broker, err = broker.StartRedis(ctx, f.config.Dir)
	}
	if err != nil {
		return err
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	f.url = "http://" + l.Addr().String() + "/mcp"
	f.front = &http.Server{Handler: f.Balancer, ReadHeaderTimeout: 5 * time.Second}
	go f.front.Serve(l) //nolint:errcheck // it ends with Close
	go f.Balancer.Probe(ctx)
	for i := range f.config.Replicas {
		r := &Replica{Index: i, fleet: f, program: f.config.Program}
		if f.Broker != nil {
			if r.Cut, err = cut.New(ctx, f.Broker.Addr); err != nil {
				return err
			}
		}
		f.Replicas = append(f.Replicas, r)
		if err := r.Start(ctx); err != nil {
			return err
		}
		if i == 0 { // it makes the database, which SQLite does not let two processes do at the same time
			_ = r.AwaitReady(ctx, patience) // looked at again below
		}
	}
	for _, r := range f.Replicas {
		if err := r.AwaitReady(ctx, patience); err != nil {
			return fmt.Errorf("replica %d: %w\n%s", r.Index, err, f.Log(r.Index))
		}
	}
	return nil
}

// URL returns the endpoint of the balancer.
func (f *Fleet) URL() string { return f.url }

// State returns the file of the state.
func (f *Fleet) State() string { return filepath.Join(f.config.Dir, "state.sqlite") }

// Log returns the end of what a replica has logged.
func (f *Fleet) Log(i int) string {
	text, _ := os.ReadFile(f.logFile(i))
	return string(text[max(0, len(text)-4_000):])
}

func (f *Fleet) logFile(i int) string {
	return filepath.Join(f.config.Dir, fmt.Sprintf("replica%d.log", i))
}

// Close ends everything.
func (f *Fleet) Close() {
	f.stop()
	if f.front != nil {
		_ = f.front.Close()
	}
	for _, r := range f.Replicas {
		r.Kill()
		if r.Cut != nil {
			_ = r.Cut.Close()
		}
	}
	if f.Broker != nil {
		f.BrokerBusy.Lock()
		defer f.BrokerBusy.Unlock()
		_ = f.Broker.Kill()
	}
}

// Use says with which program the next process of the replica starts, and by how much its clock is off.
func (r *Replica) Use(program, clock string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.program, r.clock = program, clock
}

// Start starts a process.
func (r *Replica) Start(ctx context.Context) error {
	addr, err := freeport.Find(ctx)
	if err != nil {
		return err
	}
	args := []string{"-db", r.fleet.State(), "-http", addr, "-page", "7"}
	if r.Cut != nil {
		args = append(args, "-"+r.fleet.config.Engine, r.fleet.config.Engine+"://"+r.Cut.Addr())
	}
	switch r.fleet.config.Tasks {
	case NATS:
		args = append(args, "-tasks-in-nats")
	case SQLite:
		args = append(args, "-tasks", filepath.Join(r.fleet.config.Dir, "tasks.sqlite"))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	args = slices.Concat(args, r.fleet.config.Flags)
	if r.clock != "" {
		args = append(args, "-clock", r.clock)
	}
	env := []string{"MCP_KEYS=a key of the fleet, for all of its replicas", "FLEET_CLOCK=" + cmp.Or(r.clock, "0s")}
	p, err := proc.Start(r.fleet.logFile(r.Index), env, r.program, args...)
	if err != nil {
		return err
	}
	r.proc, r.addr = p, addr
	r.fleet.Balancer.Set(r.Index, addr)
	return nil
}

// Addr returns where the replica serves.
func (r *Replica) Addr() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.addr
}

// Process returns the process of the replica.
func (r *Replica) Process() *proc.Process {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.proc
}

// AwaitReady waits until the replica is ready.
func (r *Replica) AwaitReady(ctx context.Context, patience time.Duration) error {
	p := r.Process()
	if p == nil {
		return errors.New("it does not run")
	}
	return proc.AwaitReady(ctx, p, r.Addr(), patience)
}

// Kill ends the process as kill -9 does.
func (r *Replica) Kill() {
	if p := r.Process(); p != nil {
		p.Kill()
		r.fleet.Balancer.Set(r.Index, "")
	}
}

// Stop ends the process as a rolling update does: it may finish what it does.
func (r *Replica) Stop(patience time.Duration) {
	if p := r.Process(); p != nil {
		p.Stop(patience)
		r.fleet.Balancer.Set(r.Index, "")
	}
}
