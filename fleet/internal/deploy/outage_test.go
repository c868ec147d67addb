package deploy

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/fleet/internal/client"
	"github.com/mcpgen/mcpgen/fleet/internal/verdict"
	"github.com/mcpgen/mcpgen/internal/dev/cut"
	"github.com/mcpgen/mcpgen/internal/dev/proc"
)

// beyondSilence is longer than the 15 seconds after which the other replicas have told all because of one that is
// silent, and blind is when one that does not hear itself is not ready.
const (
	beyondSilence = 20 * time.Second
	blind         = 40 * time.Second
)

// crowd are clients behind all proxies, and somebody who writes.
type crowd struct {
	t        *testing.T
	fronts   []string
	watchers []<-chan string
	checker  *verdict.Checker
}

// newCrowd puts three clients behind each proxy of the page.
func newCrowd(t *testing.T, r *replicas) *crowd {
	t.Helper()
	c := &crowd{t: t, checker: verdict.New(time.Now)}
	for _, p := range proxies {
		front := "http://" + p.serve(t, r, t.TempDir(), "replicas") + "/mcp"
		c.fronts = append(c.fronts, front)
		for _, revision := range []string{"2025-06-18", "2025-11-25", client.Modern} {
			conn := client.NewConn(front, revision, c.checker.Client(revision))
			c.watchers = append(c.watchers, client.Watch(t.Context(), conn, "crm:///accounts/emea/1"))
		}
	}
	return c
}

// write makes a change by a request to an address.
func (c *crowd) write(url, owner string) {
	c.t.Helper()
	write(c.t, client.NewConn(url, client.Modern, c.checker.Client("writer")), owner)
}

// await waits until all clients have read a change.
func (c *crowd) await(owner string) {
	c.t.Helper()
	for i, w := range c.watchers {
		await(c.t, w, owner, i)
	}
}

// unready returns what /readyz says, "" if it is the status 200.
func unready(t *testing.T, addr string) string {
	t.Helper()
	for begun := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		why, err := proc.Unready(t.Context(), addr)
		if err == nil {
			return why
		}
		if time.Since(begun) > patience {
			t.Fatal(err)
		}
	}
}

// A replica that is cut off from the broker, and one that never reached it, write what nobody is told of, until their
// successor starts: then all clients read it. Behind a proxy that asks /readyz nothing is late.
func TestCutOff(t *testing.T) {
	const last = 2
	var way *cut.Proxy
	r := startBehind(t, func(broker string) string {
		var err error
		if way, err = cut.New(t.Context(), broker); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = way.Close() })
		return way.Addr()
	})
	c := newCrowd(t, r)
	odd := "http://" + r.addrs[last] + "/mcp"
	c.write(odd, "before@example.com")
	c.await("before@example.com")
	sever := func() {
		way.Cut(cut.Out)
		way.Cut(cut.In)
	}
	again := func(between func()) {
		r.process[last].Kill()
		between()
		r.process[last] = r.run[last]()
	}
	sever()
	time.Sleep(blind)
	if why := unready(t, r.addrs[last]); !strings.Contains(why, "does not hear itself") {
		t.Errorf("readyz of a replica that is cut off: %q", why)
	}
	for i := range 6 { // Caddy sends them to the others
		owner := fmt.Sprintf("caddy-%d@example.com", i)
		c.write(c.fronts[1], owner)
		c.await(owner)
	}
	for _, owner := range []string{"cut-off@example.com", "never-connected@example.com"} {
		if owner != "cut-off@example.com" {
			again(sever)
			time.Sleep(beyondSilence)
		}
		c.write(odd, owner) // as nginx does, for some requests
		again(func() { way.Heal(true) })
		c.await(owner)
	}
	if err := proc.AwaitReady(t.Context(), r.process[last], r.addrs[last], patience); err != nil {
		t.Error(err)
	}
}

// While the broker is away for so long that no replica is ready, calls go on behind both proxies, and afterwards
// clients read what was changed meanwhile.
func TestNoneReady(t *testing.T) {
	r := start(t)
	c := newCrowd(t, r)
	c.write(c.fronts[0], "before@example.com")
	c.await("before@example.com")
	if err := r.broker.Kill(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(blind)
	for _, addr := range r.addrs {
		if unready(t, addr) == "" {
			t.Errorf("%s is ready without a broker", addr)
		}
	}
	for i := range 6 {
		c.write(c.fronts[i%2], fmt.Sprintf("without-broker-%d@example.com", i))
	}
	if err := r.broker.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.await("without-broker-5@example.com")
	for i, addr := range r.addrs {
		if err := proc.AwaitReady(t.Context(), r.process[i], addr, patience); err != nil {
			t.Error(err)
		}
	}
}
