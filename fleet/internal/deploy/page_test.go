package deploy

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/fleet/internal/fleet"
	"github.com/mcpgen/mcpgen/internal/dev/broker"
	"github.com/mcpgen/mcpgen/internal/dev/freeport"
	"github.com/mcpgen/mcpgen/internal/dev/proc"
)

const patience = 2 * time.Minute

// TestMain runs the tests in the folder of the module, as its programs run.
func TestMain(m *testing.M) {
	if err := os.Chdir("../.."); err != nil {
		panic(err)
	}
	dir, err := os.MkdirTemp("", "deploy")
	if err != nil {
		panic(err)
	}
	build = sync.OnceValues(func() (string, error) {
		return fleet.BuildReplica(context.Background(), dir, fleet.Variant{Name: "replica"})
	})
	m.Run()
	_ = os.RemoveAll(dir)
}

// build builds the program of the replicas.
var build func() (string, error)

// page returns docs/deploy.md.
func page(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../docs/deploy.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// block returns the only block of the page in a language that is about replicas.
func block(t *testing.T, language string) string { return blockAbout(t, language, "replicas") }

// blockAbout returns the only block of the page in a language that has a mark.
func blockAbout(t *testing.T, language, mark string) string {
	t.Helper()
	m := regexp.MustCompile("(?ms)^```"+language+` \+`+mark+`\n(.*?)^`+"```").FindAllStringSubmatch(page(t), -1)
	if len(m) != 1 {
		t.Fatalf("the page has %d blocks of %s about %s", len(m), language, mark)
	}
	return m[0][1]
}

// replicas are those that the commands of the page start, on free ports.
type replicas struct {
	ports   map[string]string // of the page, and in fact
	process []*proc.Process
	run     []func() *proc.Process // what starts each of them
	addrs   []string
	broker  *broker.Broker
}

// start runs the commands of the page, with more flags.
func start(t *testing.T, more ...string) *replicas {
	t.Helper()
	return startBehind(t, func(broker string) string { return broker }, more...)
}

// startBehind is start with another address of the broker for the last replica.
func startBehind(t *testing.T, last func(broker string) string, more ...string) *replicas {
	t.Helper()
	dir := t.TempDir()
	bin, err := build()
	if err != nil {
		t.Fatal(err)
	}
	nats, err := broker.StartNATS(t.Context(), dir, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = nats.Kill() })
	r := &replicas{ports: map[string]string{}, broker: nats}
	commands := regexp.MustCompile(`(?m)^\./replica (.*)$`).FindAllStringSubmatch(page(t), -1)
	if len(commands) != 3 {
		t.Fatalf("the page starts %d replicas", len(commands))
	}
	for i, c := range commands {
		addr, err := freeport.Find(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		public := regexp.MustCompile(`-http 127\.0\.0\.1:(\d+)`).FindStringSubmatch(c[1])[1]
		r.ports[public] = addr[strings.LastIndex(addr, ":")+1:]
		at := nats.Addr
		if i == len(commands)-1 {
			at = last(at)
		}
		args := append(strings.Fields(strings.NewReplacer("/srv/fleet", dir, "127.0.0.1:4222", at,
			"127.0.0.1:"+public, addr).Replace(c[1])), more...)
		r.run = append(r.run, func() *proc.Process {
			p, err := proc.Start(filepath.Join(dir, fmt.Sprint("log", i)),
				[]string{"MCP_KEYS=a key for the replicas of the page"}, bin, args...)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(p.Kill)
			return p
		})
		r.process, r.addrs = append(r.process, r.run[i]()), append(r.addrs, addr)
	}
	for i, p := range r.process {
		if err := proc.AwaitReady(t.Context(), p, r.addrs[i], patience); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// replace puts the ports of a run into a configuration of the page, and the port of its proxy.
func (r *replicas) replace(text, front string) string {
	for from, to := range r.ports {
		text = strings.ReplaceAll(text, ":"+from, ":"+to)
	}
	return strings.ReplaceAll(text, ":8080", ":"+front)
}
