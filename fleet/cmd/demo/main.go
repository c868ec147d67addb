// Command demo shows a fleet in half a minute: it starts a broker, three replicas and a balancer, subscribes through
// one replica, edits through another, kills one, and shows that the update arrives. Run it in the folder of its
// module: make demo-fleet.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/mcpgen/mcpgen/fleet/internal/client"
	"github.com/mcpgen/mcpgen/fleet/internal/fleet"
	"github.com/mcpgen/mcpgen/fleet/internal/verdict"
)

const (
	buildPatience = 15 * time.Minute
	talkPatience  = 2 * time.Minute
	account       = "crm:///accounts/emea/1"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, buildPatience)
	defer cancel()
	dir, err := os.MkdirTemp("", "mcpgen-fleet-demo")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	stepf("build the server (golden/crm and golden/board in one) and nats-server")
	c := fleet.Config{Dir: dir, Engine: fleet.NATS, Replicas: 3}
	if c.Program, err = fleet.BuildReplica(ctx, dir, fleet.Variant{Name: "replica"}); err != nil {
		return err
	}
	stepf("start the broker, three replicas with one database, and a balancer that knows no sessions")
	f, err := fleet.Start(ctx, c)
	if err != nil {
		return err
	}
	defer f.Close()
	showf("broker     nats://%s", f.Broker.Addr)
	for _, r := range f.Replicas {
		showf("replica %d  http://%s/mcp", r.Index+1, r.Addr())
	}
	showf("balancer   %s", f.URL())
	ctx, cancelTalk := context.WithTimeout(ctx, talkPatience)
	defer cancelTalk()
	return converse(ctx, f)
}

// converse is the part of the clients.
func converse(ctx context.Context, f *fleet.Fleet) error {
	checker := verdict.New(time.Now)
	at := func(i int) *client.Conn {
		return client.NewConn("http://"+f.Replicas[i].Addr()+"/mcp", client.Modern, checker.Client("client"))
	}
	stepf("two clients subscribe to %s: of %s at replica 1, and of %s through the balancer",
		account, client.Modern, "2025-11-25")
	modern := client.Watch(ctx, at(0), account)
	session := client.Watch(ctx, client.NewConn(f.URL(), "2025-11-25", checker.Client("session")), account)
	watchers := []watcher{{"client of 2026-07-28", modern}, {"client of 2025-11-25", session}}
	if err := await(ctx, watchers, "start", time.Now()); err != nil {
		return err
	}
	stepf("edit it through replica 2")
	if err := edit(ctx, at(1), watchers, "ada@example.com"); err != nil {
		return err
	}
	stepf("kill -9 replica 3, and edit through replica 2 again")
	f.Replicas[2].Kill()
	if err := edit(ctx, at(1), watchers, "bob@example.com"); err != nil {
		return err
	}
	stepf("kill -9 replica 2 between its commit and its announcement: " +
		"nobody tells, but its silence does, after 16 s at most")
	if err := f.Replicas[1].Process().Arm(); err != nil {
		return err
	}
	time.Sleep(200 * time.Millisecond)
	begun := time.Now()
	_, err := at(1).Tool(ctx, "", "edit", map[string]any{"kind": "account", "number": 1, "value": "eve@example.com"})
	if err == nil {
		return errors.New("the replica is still alive")
	}
	showf("replica 2: %v", err)
	return await(ctx, watchers, "eve@example.com", begun)
}

type watcher struct {
	name  string
	texts <-chan string
}

// edit changes the owner of the account and waits until all clients know.
func edit(ctx context.Context, c *client.Conn, watchers []watcher, owner string) error {
	begun := time.Now()
	_, err := c.Tool(ctx, "", "edit", map[string]any{"kind": "account", "number": 1, "value": owner})
	if err != nil {
		return err
	}
	return await(ctx, watchers, owner, begun)
}

// await waits until all clients have read an owner.
func await(ctx context.Context, watchers []watcher, owner string, begun time.Time) error {
	for _, w := range watchers {
		for known := false; !known; {
			select {
			case <-ctx.Done():
				return fmt.Errorf("%s does not know %s", w.name, owner)
			case text := <-w.texts:
				known = ownerOf(text) == owner
				if known {
					showf("%s, after %4d ms, reads %s", w.name, time.Since(begun).Milliseconds(), text)
				}
			}
		}
	}
	return nil
}

func stepf(format string, args ...any) { fmt.Fprintf(os.Stdout, "\n== "+format+"\n", args...) }

func showf(format string, args ...any) { fmt.Fprintf(os.Stdout, "    "+format+"\n", args...) }
