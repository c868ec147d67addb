package fleet

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/fleet/internal/balance"
	"github.com/mcpgen/mcpgen/internal/dev/cut"
	"github.com/mcpgen/mcpgen/internal/dev/freeport"
	"github.com/mcpgen/mcpgen/internal/dev/proc"
)

// Replica is a place in a fleet, in which one process serves after the other.
type Replica struct {
	Index int
	fleet *Fleet
	// cut stands between the replica and the broker, and bus between it and the broker of its own; nil without these.
	cut, bus *cut.Proxy
	// Busy is held by a fault that needs the replica as it is.
	Busy sync.Mutex
	// URL is the endpoint of whichever process serves here.
	URL   string
	front *balance.Balancer

	mu      sync.Mutex
	proc    *proc.Process
	addr    string
	metrics string
	ends    bool // the process was told to end, or may
	program string
	clock   string
	env     []string
}

// Use says with which program the next process of the replica starts, by how much its clock is off, and which further
// variables it has.
func (r *Replica) Use(program, clock string, env ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.program, r.clock, r.env = program, clock, env
}

// Start starts a process.
func (r *Replica) Start(ctx context.Context) error {
	addr, err := freeport.Find(ctx)
	if err != nil {
		return err
	}
	metrics, err := freeport.Find(ctx)
	if err != nil {
		return err
	}
	args := []string{"-db", r.fleet.State(), "-http", addr, "-metrics", metrics, "-page", "7"}
	switch engine := r.fleet.config.Engine; {
	case r.bus != nil:
		args = append(args, "-nats", "nats://"+r.bus.Addr(), "-stores", "nats://"+r.cut.Addr())
	case r.cut != nil:
		args = append(args, "-"+engine, engine+"://"+r.cut.Addr())
	}
	switch r.fleet.config.Tasks {
	case InBroker:
		args = append(args, "-tasks-in-broker")
	case SQLite:
		args = append(args, "-tasks", r.fleet.tasks())
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	args = slices.Concat(args, r.fleet.config.Flags)
	env := []string{"MCP_KEYS=a key of the fleet, for all of its replicas", "FLEET_CLOCK=" + cmp.Or(r.clock, "0s")}
	env = slices.Concat(env, r.fleet.config.Env, r.env)
	p, err := proc.Start(r.fleet.logFile(r.Index), env, r.program, args...)
	if err != nil {
		return err
	}
	r.proc, r.addr, r.metrics, r.ends = p, addr, metrics, false
	r.set(addr)
	return nil
}

func (r *Replica) set(addr string) {
	r.fleet.Balancer.Set(r.Index, addr)
	r.front.Set(0, addr)
}

// MayEnd says that the present process may end by itself.
func (r *Replica) MayEnd() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ends = true
}

// MustStay takes back what MayEnd has said.
func (r *Replica) MustStay() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ends = false
}

// Crashed reports whether the present process has ended though nobody told it to.
func (r *Replica) Crashed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case <-r.proc.Done():
		return !r.ends
	default:
		return false
	}
}

// Metric returns the sum of a metric over its labels.
func (r *Replica) Metric(ctx context.Context, name string) (sum float64, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+r.MetricsAddr()+"/metrics", nil)
	if err != nil {
		return 0, err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close() //nolint:errcheck // it was only read
	found := false
	for lines := bufio.NewScanner(res.Body); lines.Scan(); {
		rest, ok := strings.CutPrefix(lines.Text(), name)
		if !ok || rest == "" || rest[0] != '{' && rest[0] != ' ' {
			continue
		}
		value, err := strconv.ParseFloat(rest[strings.LastIndexByte(rest, ' ')+1:], 64)
		if err != nil {
			return 0, err
		}
		found = true
		sum += value
	}
	if !found {
		return 0, fmt.Errorf("no metric %s", name)
	}
	return sum, nil
}

// cuts are what stands between the replica and its brokers.
func (r *Replica) cuts() (out []*cut.Proxy) {
	for _, c := range []*cut.Proxy{r.cut, r.bus} {
		if c != nil {
			out = append(out, c)
		}
	}
	return out
}

// Cut stops one direction between the replica and its brokers.
func (r *Replica) Cut(d cut.Direction) {
	for _, c := range r.cuts() {
		c.Cut(d)
	}
}

// Heal lets everything pass again. With reset, the connections of before are closed.
func (r *Replica) Heal(reset bool) {
	for _, c := range r.cuts() {
		c.Heal(reset)
	}
}

// frame begins a message of the bus, for a subscriber of NATS or of Redis.
var frame = regexp.MustCompile(
	`MSG mcp\.fleet \S+ (\d+)\r\n|[*>]3\r\n\$7\r\nmessage\r\n\$9\r\nmcp\.fleet\r\n\$(\d+)\r\n`)

// Lose keeps the next message of the bus from the replica. The function that it returns reports whether there was one.
func (r *Replica) Lose() (lost func() bool) {
	before := 0
	for _, c := range r.cuts() {
		before += c.Lost()
		c.Lose(frame)
	}
	return func() bool {
		now := 0
		for _, c := range r.cuts() {
			now += c.Lost()
		}
		return now > before
	}
}

// Addr returns where the replica serves.
func (r *Replica) Addr() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.addr
}

// MetricsAddr returns where the replica serves its numbers.
func (r *Replica) MetricsAddr() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.metrics
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

// Unready says why the replica is not ready; "" if it is.
func (r *Replica) Unready(ctx context.Context) (string, error) { return proc.Unready(ctx, r.Addr()) }

// Kill ends the process as kill -9 does.
func (r *Replica) Kill() {
	if p := r.Process(); p != nil {
		r.MayEnd()
		p.Kill()
		r.set("")
	}
}

// Stop ends the process as a rolling update does: it may finish what it does.
func (r *Replica) Stop(patience time.Duration) {
	if p := r.Process(); p != nil {
		r.MayEnd()
		p.Stop(patience)
		r.set("")
	}
}
