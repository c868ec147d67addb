package telemetry

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite" // the driver

	"github.com/mcpgen/mcpgen/fleet/internal/client"
	"github.com/mcpgen/mcpgen/fleet/internal/verdict"
)

const (
	dashboard = "../docs/telemetry/dashboard.json"
	alerts    = "../docs/telemetry/alerts.yml"
	note      = "note:///1"
)

// TestMain runs the tests in the folder of the module, as its programs run.
func TestMain(m *testing.M) {
	if err := os.Chdir("../.."); err != nil {
		panic(err)
	}
	m.Run()
}

// Every query of the dashboard finds something, and so does what each alert compares. No alert is active while all is
// well, and five are, each after its fault. The run has no fault for the others: handlers of the fleet do not panic and
// do not hang, its clients read and are few, and its log is fast.
func TestQueries(t *testing.T) {
	w := watch(t)
	conns := w.work()
	w.quiet()
	w.faults(conns)
	for _, text := range panels(t) {
		w.query(text)
	}
	for _, r := range w.rules() {
		value, _, _ := strings.Cut(r.Query, " > ")
		w.query(value)
	}
}

// panels returns the queries of the dashboard.
func panels(t *testing.T) (out []string) {
	t.Helper()
	text, err := os.ReadFile(dashboard)
	if err != nil {
		t.Fatal(err)
	}
	var board struct {
		Panels []struct{ Targets []struct{ Expr string } }
	}
	if err := json.Unmarshal(text, &board); err != nil {
		t.Fatal(err)
	}
	for _, p := range board.Panels {
		for _, target := range p.Targets {
			out = append(out, target.Expr)
		}
	}
	if len(out) < 20 {
		t.Fatalf("the dashboard has only %d queries", len(out))
	}
	return out
}

// work has clients of two revisions subscribe, and makes calls: some that do well, some that fail, and a task. It
// returns a client of each replica.
func (w *watched) work() (conns []*client.Conn) {
	t := w.t
	t.Helper()
	checker := verdict.New(time.Now)
	for i, r := range w.Replicas {
		conns = append(conns, client.NewConn(r.URL, client.Modern, checker.Client(fmt.Sprint("client of replica ", i))))
	}
	old := client.NewConn(w.URL(), "2025-11-25", checker.Client("session"))
	told := client.Watch(t.Context(), old, note)
	<-told // what it reads at first
	again := client.Watch(t.Context(), conns[1], note)
	<-again
	tasks := client.NewTaskConn(w.URL(), client.Modern, checker.Client("tasks"))
	for i := range 5 {
		if _, err := conns[i%2].Tool(t.Context(), "", "edit", edit("note", i)); err != nil {
			t.Error(err)
		}
		if _, err := conns[0].Tool(t.Context(), "", "edit", edit("nothing", i)); err == nil {
			t.Error("an edit of nothing has no error")
		}
		if _, err := conns[0].Read(t.Context(), "", "note:///0"); err == nil {
			t.Error("note 0 can be read")
		}
		if _, err := tasks.Create(t.Context(), client.Job{Tool: "job", Key: fmt.Sprint(i)}); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Second) // until it is read
	}
	return conns
}

func edit(kind string, n int) map[string]any {
	return map[string]any{"kind": kind, "number": 1, "value": fmt.Sprint("value ", n)}
}

// quiet fails if an alert is active, or if Prometheus cannot use its rule.
func (w *watched) quiet() {
	w.t.Helper()
	all := w.rules()
	for name, r := range all {
		if r.Health != "ok" || r.State != "inactive" {
			w.t.Errorf("%s: %+v", name, r)
		}
	}
	if len(all) < 10 {
		w.t.Errorf("only %d alerts", len(all))
	}
}

// faults makes one fault after the other, and waits for the alert of each.
func (w *watched) faults(conns []*client.Conn) {
	t, last := w.t, w.Replicas[2]
	t.Helper()
	nothing := func() {}
	files := w.Files()
	mend := rename(t, files[0], "notes")
	w.await("McpServerErrors", func() { _, _ = conns[0].Read(t.Context(), "", note) })
	mend()
	mend = rename(t, files[1], "tasks")
	w.await("McpTaskStoreFails", nothing)
	mend()
	last.Kill()
	w.await("McpReplicasMissing", nothing)
	last.Use(w.replica, "", "MCP_KEYS=the key of another fleet")
	if err := last.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.target()
	w.await("McpReplicaMisconfigured", nothing)
	if err := w.Broker.Kill(); err != nil {
		t.Fatal(err)
	}
	w.await("McpBusDown", nothing)
}

// rename takes a table of a database away, until mend is called.
func rename(t *testing.T, file, table string) (mend func()) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+file+"?_pragma=busy_timeout(10000)")
	if err != nil {
		t.Fatal(err)
	}
	to := func(from, to string) {
		t.Helper()
		if _, err := db.ExecContext(t.Context(), "ALTER TABLE "+from+" RENAME TO "+to); err != nil {
			t.Fatal(err)
		}
	}
	to(table, "away")
	return func() {
		to("away", table)
		_ = db.Close()
	}
}
