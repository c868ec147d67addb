// Command sizes measures what a replica of a fleet needs: memory and processor time for itself, for each stream and
// for each update. The numbers of docs/deploy.md are its output. Run it in the folder of its module.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/mcpgen/mcpgen/fleet/internal/client"
	"github.com/mcpgen/mcpgen/fleet/internal/fleet"
	"github.com/mcpgen/mcpgen/fleet/internal/verdict"
	"github.com/mcpgen/mcpgen/internal/dev/proc"
)

func main() {
	streams := flag.Int("streams", 900, "how many streams a replica serves")
	flag.Parse()
	if err := run(context.Background(), *streams); err != nil {
		fmt.Fprintln(os.Stderr, "sizes:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, streams int) error {
	dir, err := os.MkdirTemp("", "fleet-sizes")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	c := fleet.Config{Dir: dir, Engine: fleet.NATS, Replicas: 2}
	if c.Program, err = fleet.BuildReplica(ctx, dir, fleet.Variant{Name: "replica"}); err != nil {
		return err
	}
	f, err := fleet.Start(ctx, c)
	if err != nil {
		return err
	}
	defer f.Close()
	m := meter{f: f, checker: verdict.New(time.Now)}
	return m.all(ctx, streams)
}

// meter measures replica 0; replica 1 is where changes are made.
type meter struct {
	f       *fleet.Fleet
	checker *verdict.Checker
}

func (m *meter) all(ctx context.Context, streams int) error {
	writer := client.NewConn("http://"+m.f.Replicas[1].Addr()+"/mcp", client.Modern, m.checker.Client("writer"))
	idle, err := m.use(10*time.Second, nil)
	if err != nil {
		return err
	}
	showf("a replica without clients: %d MiB, %.2f %% of a core", idle.bytes>>20, 100*idle.cpu.Seconds()/10)
	const writes = 10_000
	edits := func() error { return m.edit(ctx, writer, writes) }
	alone, err := m.use(0, edits)
	if err != nil {
		return err
	}
	showf("a change of another replica that nobody here listens to: %v of a core", alone.cpu/writes)
	if err := m.listen(ctx, streams); err != nil {
		return err
	}
	with, err := m.use(30*time.Second, nil)
	if err != nil {
		return err
	}
	showf("a stream with one resource: %d KiB; %d streams without updates: %.2f %% of a core",
		(with.bytes-idle.bytes)/int64(streams)>>10, streams, 100*with.cpu.Seconds()/30)
	told, err := m.use(5*time.Second, func() error { return m.edit(ctx, writer, 1) })
	if err != nil {
		return err
	}
	showf("a change that %d streams are told, and its reads: %v of a core for each stream", streams,
		(told.cpu-with.cpu/6).Round(time.Microsecond)/time.Duration(streams))
	return nil
}

// edit makes changes, of account 1 first.
func (m *meter) edit(ctx context.Context, c *client.Conn, n int) error {
	for done := 0; done < n; done += 1_000 {
		args := map[string]any{"value": fmt.Sprint("s", time.Now().UnixNano()), "count": min(n, 1_000), "first": 0}
		if _, err := c.Tool(ctx, "", "edit_many", args); err != nil {
			return err
		}
	}
	return nil
}

// listen opens streams at replica 0 and waits until each has read.
func (m *meter) listen(ctx context.Context, streams int) error {
	read := make(chan struct{}, streams)
	for i := range streams {
		c := client.NewConn("http://"+m.f.Replicas[0].Addr()+"/mcp", client.Modern, m.checker.Client(fmt.Sprint(i)))
		c.HTTP.CloseIdleConnections()
		b := &client.Behaviour{
			URIs: []string{"crm:///accounts/emea/1"}, Most: 1, Random: client.NewRandom(1, uint64(i)),
			Read: func(string, string) {
				select {
				case read <- struct{}{}:
				default:
				}
			},
		}
		go client.Run(ctx, c, b)
	}
	for range streams {
		select {
		case <-read:
		case <-time.After(2 * time.Minute):
			return fmt.Errorf("not all of %d streams have opened\n%s", streams, m.f.Log(0))
		}
	}
	time.Sleep(15 * time.Second) // the connections of the reads have gone
	return nil
}

type used struct {
	bytes int64
	cpu   time.Duration
}

// use returns what replica 0 uses while something happens and for a time after it.
func (m *meter) use(after time.Duration, happen func() error) (used, error) {
	p := m.f.Replicas[0].Process()
	before, err := proc.Times(p.PID())
	if err != nil {
		return used{}, err
	}
	if happen != nil {
		if err := happen(); err != nil {
			return used{}, err
		}
	}
	time.Sleep(after)
	now, err := proc.Times(p.PID())
	if err != nil {
		return used{}, err
	}
	bytes, err := proc.Memory(p.PID())
	return used{bytes, now - before}, err
}

func showf(format string, args ...any) { fmt.Fprintf(os.Stdout, format+"\n", args...) }
