// Command compare measures what servers of this project and of the official Go SDK do in three replicas behind a
// balancer without affinity, and prints a table. Run it in the folder of its module.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/mcpgen/mcpgen/fleet/internal/client"
	"github.com/mcpgen/mcpgen/fleet/internal/fleet"
	"github.com/mcpgen/mcpgen/fleet/internal/verdict"
)

const (
	session = "2025-11-25"
	account = "crm:///accounts/emea/1"
	tries   = 20
	// patience is how long an update may take: the silence of a replica shows after 16 s.
	patience = 3 * time.Second

	sdkReplica = "github.com/mcpgen/mcpgen/fleet/cmd/sdkreplica"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 15*time.Minute)
	defer cancel()
	dir, err := os.MkdirTemp("", "mcpgen-fleet-compare")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	ours, err := fleet.BuildReplica(ctx, dir, fleet.Variant{Name: "replica"})
	if err != nil {
		return err
	}
	sdk, err := fleet.Build(ctx, dir, sdkReplica, fleet.Variant{Name: "sdkreplica"})
	if err != nil {
		return err
	}
	var columns [2][]string
	for i, c := range []fleet.Config{{Program: ours, Engine: fleet.NATS}, {Program: sdk, Engine: fleet.None}} {
		c.Replicas, c.Dir = 3, filepath.Join(dir, fmt.Sprint(i))
		if err := os.Mkdir(c.Dir, 0o700); err != nil {
			return err
		}
		if columns[i], err = measure(ctx, c); err != nil {
			return err
		}
	}
	fmt.Fprintln(os.Stdout,
		"| three replicas, a balancer without affinity | this project | go-sdk v1.8.0 |\n|---|---|---|")
	for i, row := range rows {
		fmt.Fprintf(os.Stdout, "| %s | %s | %s |\n", row.name, columns[0][i], columns[1][i])
	}
	return nil
}

// measure starts a fleet and makes all measurements.
func measure(ctx context.Context, c fleet.Config) (cells []string, err error) {
	f, err := fleet.Start(ctx, c)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	m := &measured{Fleet: f, checker: verdict.New(time.Now)}
	for _, row := range rows {
		cell, err := row.measure(ctx, m)
		if err != nil {
			cell = "no: " + err.Error()
		}
		cells = append(cells, cell)
	}
	return cells, nil
}

// measured is a fleet with what measurements need.
type measured struct {
	*fleet.Fleet
	checker *verdict.Checker
	edits   int
}

// rows are the measurements, in this order: the last one ends processes.
var rows = []struct {
	name    string
	measure func(context.Context, *measured) (string, error)
}{
	{"messages of sessions (2025-11-25) after `initialize` that are answered", sessions},
	{"requests of 2026-07-28 that are answered", modern},
	{"updates of a session, edited at its own replica", func(ctx context.Context, m *measured) (string, error) {
		return m.updates(ctx, session, 0)
	}},
	{"updates of a session, edited through another replica", func(ctx context.Context, m *measured) (string, error) {
		return m.updates(ctx, session, 1)
	}},
	{"updates of a listen (2026-07-28), edited at its own replica", func(
		ctx context.Context, m *measured,
	) (string, error) {
		return m.updates(ctx, client.Modern, 0)
	}},
	{"updates of a listen, edited through another replica", func(ctx context.Context, m *measured) (string, error) {
		return m.updates(ctx, client.Modern, 1)
	}},
	{"a session after kill -9 and a new start of its replica", restart},
}

// at is a client of one replica, or with -1 of the balancer.
func (m *measured) at(i int, revision string) *client.Conn {
	url := m.URL()
	if i >= 0 {
		url = "http://" + m.Replicas[i].Addr() + "/mcp"
	}
	return client.NewConn(url, revision, m.checker.Client("compare"))
}

// sessions opens sessions through the balancer, and counts which of their requests are answered.
func sessions(ctx context.Context, m *measured) (string, error) {
	asked, answered := 0, 0
	c := m.at(-1, session)
	for range tries {
		id, err := c.Open(ctx)
		if id == "" {
			return "", err
		}
		if asked++; err == nil {
			answered++
		}
		for range 8 {
			if asked++; c.Call(ctx, id, "resources/list", map[string]any{}, nil) == nil {
				answered++
			}
		}
	}
	return fmt.Sprintf("%d of %d", answered, asked), nil
}

// modern is sessions for the revision that has none.
func modern(ctx context.Context, m *measured) (string, error) {
	asked, answered := 0, 0
	c := m.at(-1, client.Modern)
	for range tries * 9 {
		if asked++; c.Call(ctx, "", "resources/list", map[string]any{}, nil) == nil {
			answered++
		}
	}
	return fmt.Sprintf("%d of %d", answered, asked), nil
}

// updates subscribes at the first replica, edits through another one, and counts the updates.
func (m *measured) updates(ctx context.Context, revision string, through int) (string, error) {
	c := m.at(0, revision)
	var stream *client.Inbox
	var err error
	if revision == client.Modern {
		stream, err = c.Listen(ctx, map[string]any{"resourceSubscriptions": []string{account}})
	} else {
		_, stream, err = subscribe(ctx, c)
	}
	if err != nil {
		return "", err
	}
	defer stream.Close()
	n, slowest := 0, time.Duration(0)
	for range tries {
		took, ok, err := m.edit(ctx, through, stream)
		if err != nil {
			return "", err
		}
		if ok {
			n, slowest = n+1, max(slowest, took)
		}
	}
	if n == 0 {
		return fmt.Sprintf("0 of %d", tries), nil
	}
	return fmt.Sprintf("%d of %d, slowest %d ms", n, tries, slowest.Milliseconds()), nil
}

// subscribe opens a session and its stream, and subscribes to the account.
func subscribe(ctx context.Context, c *client.Conn) (id string, stream *client.Inbox, err error) {
	if id, err = c.Open(ctx); err != nil {
		return "", nil, err
	}
	if stream, err = c.Stream(ctx, id, ""); err != nil {
		return "", nil, err
	}
	if err = c.Call(ctx, id, "resources/subscribe", map[string]any{"uri": account}, nil); err != nil {
		stream.Close()
	}
	return id, stream, err
}

// edit edits through a replica, and waits for the update.
func (m *measured) edit(
	ctx context.Context, through int, stream *client.Inbox,
) (took time.Duration, ok bool, err error) {
	m.edits++
	begun := time.Now()
	_, err = m.at(through, client.Modern).Tool(ctx, "", "edit",
		map[string]any{"kind": "account", "number": 1, "value": fmt.Sprintf("owner%d@example.com", m.edits)})
	if err != nil {
		return 0, false, err
	}
	update, err := stream.Await(ctx, patience, func(m client.Incoming) bool {
		return client.Updated(account)(m) && m.At.After(begun)
	})
	return update.At.Sub(begun), err == nil, nil
}

// restart kills the replica of a session, starts it again, and looks at what is left of the session.
func restart(ctx context.Context, m *measured) (string, error) {
	c := m.at(0, session)
	id, before, err := subscribe(ctx, c)
	if err != nil {
		return "", err
	}
	defer before.Close()
	r := m.Replicas[0]
	r.Kill()
	if err := r.Start(ctx); err != nil {
		return "", err
	}
	if err := r.AwaitReady(ctx, time.Minute); err != nil {
		return "", err
	}
	c = m.at(0, session)
	if err := c.Call(ctx, id, "resources/list", map[string]any{}, nil); err != nil {
		if status, ok := errors.AsType[*client.StatusError](err); ok {
			return fmt.Sprintf("%d: the client has to begin again", status.Code), nil
		}
		return "", err
	}
	stream, err := c.Stream(ctx, id, "")
	if err != nil {
		return "answers requests; no stream: " + err.Error(), nil
	}
	defer stream.Close()
	time.Sleep(time.Second) // what is announced because it may have changed
	if _, ok, err := m.edit(ctx, 1, stream); err != nil || !ok {
		return "answers requests, has lost its subscriptions", err
	}
	return "goes on, with its subscriptions", nil
}
