// Command replica is one of the processes that serve the fleet: golden/crm and golden/board with their values in an
// SQLite file that all replicas share, and a bus between them.
package main

import (
	"context"
	"errors"
	"flag"
	"log"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/fleet/next"
	"github.com/mcpgen/mcpgen/fleet/serve"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/replica"
	"github.com/mcpgen/mcpgen/mcp/task"
)

func main() {
	var f flags
	flag.StringVar(&f.db, "db", "fleet.sqlite", "`file` of the state, which all replicas share")
	flag.StringVar(&f.nats, "nats", "", "`URL` of a NATS server that carries messages between the replicas")
	flag.StringVar(&f.stores, "stores", "", "`URL` of another NATS server that keeps sessions and tasks")
	flag.StringVar(&f.redis, "redis", "", "`URL` of a Redis server that does the same")
	flag.StringVar(&f.tasks, "tasks", "", "`file` of the tasks, which all replicas share")
	flag.BoolVar(&f.tasksInBroker, "tasks-in-broker", false, "keep tasks in the NATS or Redis server")
	flag.BoolVar(&f.noBus, "no-bus", false,
		"have no bus, as a replica that hears of no other one, and do not share sessions")
	flag.BoolVar(&f.own, "own-sessions", false, "do not share sessions, as a replica without a store")
	flag.DurationVar(&f.grace, "grace", 0, "how long requests and tasks may go on after the process was asked to stop")
	flag.IntVar(&f.page, "page", 0, "entries of a page of a list; 0 means the default")
	flag.BoolVar(&f.otel, "otel", false, "measure requests by module otel, for Prometheus at "+otelPath)
	flag.IntVar(&f.replicas, "replicas", 0, "how many replicas there should be; 0 if that is not known")
	serve := mcphttp.AddFlags(flag.CommandLine)
	flag.Parse()
	if err := run(f, serve); err != nil {
		log.Fatal(err)
	}
}

type flags struct {
	db   string
	nats string
	// stores has sessions and tasks; empty means that nats has them.
	stores string
	redis  string
	tasks  string
	// tasksInBroker says that tasks are kept there and not in a file.
	tasksInBroker bool

	own   bool
	noBus bool
	grace time.Duration
	page  int

	replicas int
	otel     bool
}

func run(f flags, command *mcphttp.Command) error {
	ctx := context.Background()
	with, err := connect(ctx, f)
	if err != nil {
		return err
	}
	defer with.close()
	if f.noBus {
		with.bus, f.own = nil, true
	}
	command.Options.Authenticate = caller
	if !f.own {
		command.Options.SessionStore = with.sessions
	}
	inner := mcp.Options{PageSize: f.page, Keys: keys(), Grace: f.grace, DynamicTools: true}
	outer := inner // the server of the clients, which has the bus and the tasks
	outer.Bus, outer.Replicas = replica.Over(with.bus), f.replicas
	if f.otel {
		if outer.Observer, err = observe(command); err != nil {
			return err
		}
	}
	outer.Tasks = task.Options{Store: with.tasks, MaxPerPrincipal: 9_000, MaxTotal: 9_000, MaxRunning: 256}
	config := serve.Config{
		File:      f.db,
		Options:   outer,
		Now:       time.Now,
		Committed: failpoint(),
	}
	if isNext {
		config.Options = inner // only the outermost server has a bus
	}
	srv, state, err := serve.New(ctx, config)
	if err != nil {
		return err
	}
	var root mcphttp.Server = srv
	if isNext {
		if root, err = next.NewFleetServer(next.FleetImpl{Fleet: srv}, &outer); err != nil {
			return errors.Join(err, state.Close())
		}
	}
	return errors.Join(command.Run(ctx, root), state.Close())
}

// keys are those in the environment; without any, cursors are good in this process only.
func keys() (out [][]byte) {
	if text := os.Getenv("MCP_KEYS"); text != "" {
		for key := range strings.SplitSeq(text, ",") {
			out = append(out, []byte(key))
		}
	}
	return out
}

// caller takes the word of clients for who they are. Those who do not say it have no subject.
func caller(r *http.Request) (mcp.Caller, error) {
	return mcp.Caller{Subject: r.Header.Get("Fleet-User")}, nil
}
