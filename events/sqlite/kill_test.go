package sqliteevents_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	sqliteevents "github.com/mcpgen/mcpgen/events/sqlite"
	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/mcpevent"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
	"github.com/mcpgen/mcpgen/mcp/webhook"
	"github.com/mcpgen/mcpgen/mcp/webhook/webhooktest"
)

// childFile names, in the environment of a child, the file of its server.
const childFile = "SQLITEEVENTS_DELIVERS"

func init() {
	if file := os.Getenv(childFile); file != "" {
		if err := commitForever(file); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

type opened struct {
	ID string `json:"id"`
}

// incidents is a server whose events, subscriptions and keys last.
func incidents(ctx context.Context, file string) (*mcp.Server, *mcpevent.Type[opened, struct{}], error) {
	l, err := sqliteevents.Open(ctx, file)
	if err != nil {
		return nil, nil, err
	}
	store, err := l.Subscriptions(ctx)
	if err != nil {
		return nil, nil, err
	}
	in := &mcpevent.Type[opened, struct{}]{
		Name: "incident.opened", Modes: mcpevent.Webhook, Payload: json.RawMessage(`{"type":"object"}`),
		ID: func(e *opened) string { return e.ID },
	}
	f := &mcprt.Features{Info: protocol.Implementation{Name: "incidents", Version: "1"}}
	mcpevent.Add(f, in)
	s, err := mcprt.NewServer(f, &mcp.Options{
		Keys: [][]byte{bytes.Repeat([]byte{1}, 32)}, Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Events: &event.Options{Log: l, Webhooks: webhook.New(webhook.Options{
			Store: store, AllowPrivate: true, AllowHTTP: true, Lease: 5 * time.Second,
		})},
	})
	return s, in, err
}

// commitForever is a child: a replica that commits events and prints the id of each that is committed.
func commitForever(file string) error {
	_, in, err := incidents(context.Background(), file)
	if err != nil {
		return err
	}
	for n := 0; ; n++ {
		id := fmt.Sprintf("%d-%d", os.Getpid(), n)
		if err := in.Commit(context.Background(), &opened{id}); err != nil {
			return err
		}
		fmt.Println(id) // the parent reads it
		time.Sleep(time.Duration(rand.IntN(10)) * time.Millisecond)
	}
}

// child is a process that is killed.
type child struct {
	cmd  *exec.Cmd
	done sync.WaitGroup
}

// startChild starts a process on a file, and tells of each event that it has committed.
func startChild(t *testing.T, file string, told func(id string)) *child {
	t.Helper()
	x := &child{cmd: exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")}
	x.cmd.Env = append(os.Environ(), childFile+"="+file)
	x.cmd.Stderr = t.Output()
	out, err := x.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := x.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	x.done.Go(func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			told(lines.Text())
		}
	})
	return x
}

// stop kills the process.
func (x *child) stop() {
	_ = x.cmd.Process.Kill()
	x.done.Wait()
	_ = x.cmd.Wait()
}

// Replicas on one file are killed while they commit and deliver: between append, POST, 2xx and the watermark. Every
// event that was committed arrives, and for each kill no more events are repeated than were on their way.
func TestKillWhileDelivering(t *testing.T) {
	const kills = 6
	file := filepath.Join(t.TempDir(), "events.sqlite")
	hook := webhooktest.New(t)
	s, _, err := incidents(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	c := mcptest.New(t, s, mcptest.WithCaller(mcp.Caller{Subject: "ann"}))
	_, err = c.Do("events/subscribe", fmt.Appendf(nil,
		`{"name":"incident.opened","arguments":{},"delivery":{"mode":"webhook","url":%q,"secret":%q}}`, hook.URL, hook.Secret))
	if err != nil {
		t.Fatal(err)
	}
	_ = s.Close() // the children take over

	var mu sync.Mutex
	committed := map[string]bool{}
	start := func() *child {
		return startChild(t, file, func(id string) {
			mu.Lock()
			defer mu.Unlock()
			committed[id] = true
		})
	}
	children := []*child{start(), start()}
	for range kills {
		time.Sleep(time.Duration(500+rand.IntN(1500)) * time.Millisecond)
		children[0].stop()
		children = append(children[1:], start())
	}
	time.Sleep(time.Second)
	for _, x := range children {
		x.stop()
	}
	last, _, err := incidents(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	defer last.Close()
	arrived := map[string]int{}
	for left := len(committed); left > 0; {
		m := hook.Next()
		if m.Type != "" {
			t.Fatalf("an unexpected message: %s", m.Body)
		}
		if arrived[m.ID]++; arrived[m.ID] == 1 && committed[m.ID] {
			left--
		}
	}
	repeats := 0
	for _, n := range arrived {
		repeats += n - 1
	}
	t.Logf("%d events committed, %d arrived, %d repeats after %d kills", len(committed), len(arrived), repeats, kills+2)
	if most := (kills + 2) * 8; repeats > most {
		t.Errorf("%d repeats, want %d at most", repeats, most)
	}
}
