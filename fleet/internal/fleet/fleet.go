package fleet

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/fleet/internal/balance"
	"github.com/mcpgen/mcpgen/internal/dev/broker"
	"github.com/mcpgen/mcpgen/internal/dev/cut"
	"github.com/mcpgen/mcpgen/internal/dev/freeport"
	"github.com/mcpgen/mcpgen/internal/dev/proc"
)

// Engines that carry messages between replicas.
const (
	NATS  = "nats"
	Redis = "redis"
	None  = "none"
	// InBroker and SQLite are where tasks can be kept.
	InBroker = "broker"
	SQLite   = "sqlite"
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
	// Tasks is where tasks are kept: InBroker, or SQLite for a file.
	Tasks string
	// Flags are further flags of each replica, and Env further variables of its environment.
	Flags, Env []string
	// Leaf gives the last replica a broker of its own, which a link joins to the other one (NATS).
	Leaf bool
}

// Fleet is a running fleet. It is safe for concurrent use.
type Fleet struct {
	config Config
	// Broker carries messages between the replicas; nil without an engine. BrokerBusy is held by who uses it.
	Broker     *broker.Broker
	BrokerBusy sync.Mutex
	// Link joins the broker of the last replica to the other one; nil without [Config.Leaf].
	Link     *cut.Proxy
	leaf     *broker.Broker
	Balancer *balance.Balancer
	Replicas []*Replica
	fronts   []*http.Server
	url      string
	stop     context.CancelFunc
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
	if err := f.startBrokers(ctx); err != nil {
		return err
	}
	var err error
	if f.url, err = f.serve(ctx, f.Balancer); err != nil {
		return err
	}
	go f.Balancer.Probe(ctx)
	for i := range f.config.Replicas {
		r := &Replica{Index: i, fleet: f, program: f.config.Program, front: balance.New(1)}
		if r.URL, err = f.serve(ctx, r.front); err != nil {
			return err
		}
		if f.Broker != nil {
			if r.cut, err = cut.New(ctx, f.Broker.Addr); err != nil {
				return err
			}
			if f.leaf != nil && i == f.config.Replicas-1 {
				if r.bus, err = cut.New(ctx, f.leaf.Addr); err != nil {
					return err
				}
			}
		}
		f.Replicas = append(f.Replicas, r)
		if err := r.Start(ctx); err != nil {
			return err
		}
		if i == 0 { // it makes the database, which SQLite does not let two processes do at the same time
			if err := proc.AwaitPort(ctx, r.Process(), r.Addr(), patience); err != nil {
				return fmt.Errorf("replica %d: %w\n%s", i, err, f.Log(i))
			}
		}
	}
	for _, r := range f.Replicas {
		if err := r.AwaitReady(ctx, patience); err != nil {
			return fmt.Errorf("replica %d: %w\n%s", r.Index, err, f.Log(r.Index))
		}
	}
	return nil
}

// serve serves a balancer on a port of its own, and returns its endpoint.
func (f *Fleet) serve(ctx context.Context, b *balance.Balancer) (string, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	front := &http.Server{Handler: b, ReadHeaderTimeout: 5 * time.Second}
	f.fronts = append(f.fronts, front)
	go front.Serve(l) //nolint:errcheck // it ends with Close
	return "http://" + l.Addr().String() + "/mcp", nil
}

func (f *Fleet) startBrokers(ctx context.Context) (err error) {
	switch {
	case f.config.Engine == Redis:
		f.Broker, err = broker.StartRedis(ctx, f.config.Dir)
	case f.config.Engine == NATS && f.config.Leaf:
		err = f.startLeaf(ctx)
	case f.config.Engine == NATS:
		f.Broker, err = broker.StartNATS(ctx, f.config.Dir, "")
	}
	return err
}

// startLeaf starts two brokers with a link between them, which carries what replicas on the two sides tell each other.
// The first one has the stores of all.
func (f *Fleet) startLeaf(ctx context.Context) error {
	addr, err := freeport.Find(ctx)
	if err != nil {
		return err
	}
	f.Broker, err = broker.StartNATS(ctx, f.config.Dir, fmt.Sprintf(
		"jetstream { store_dir: %q }\nleafnodes { listen: %q, no_advertise: true }", f.config.Dir, addr))
	if err != nil {
		return err
	}
	if f.Link, err = cut.New(ctx, addr); err != nil {
		return err
	}
	dir := filepath.Join(f.config.Dir, "leaf")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	f.leaf, err = broker.StartNATS(ctx, dir, fmt.Sprintf(
		"jetstream { enabled: false }\nleafnodes { reconnect: \"1s\", remotes [{ url: \"nats://%s\" }] }", f.Link.Addr()))
	return err
}

// URL returns the endpoint of the balancer.
func (f *Fleet) URL() string { return f.url }

// State returns the file of the state.
func (f *Fleet) State() string { return filepath.Join(f.config.Dir, "state.sqlite") }

// Files returns the SQLite files that all replicas write to.
func (f *Fleet) Files() []string {
	files := []string{f.State()}
	if f.config.Tasks == SQLite {
		files = append(files, f.tasks())
	}
	return files
}

func (f *Fleet) tasks() string { return filepath.Join(f.config.Dir, "tasks.sqlite") }

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
	for _, front := range f.fronts {
		_ = front.Close()
	}
	for _, r := range f.Replicas {
		r.Kill()
		for _, c := range r.cuts() {
			_ = c.Close()
		}
	}
	if f.Link != nil {
		_ = f.Link.Close()
	}
	if f.leaf != nil {
		_ = f.leaf.Kill()
	}
	if f.Broker != nil {
		f.BrokerBusy.Lock()
		defer f.BrokerBusy.Unlock()
		_ = f.Broker.Kill()
	}
}
