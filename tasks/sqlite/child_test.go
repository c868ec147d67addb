package sqlitetasks_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/stdio"
	"github.com/mcpgen/mcpgen/mcp/task"
	sqlitetasks "github.com/mcpgen/mcpgen/tasks/sqlite"
	"github.com/mcpgen/mcpgen/tasks/sqlite/internal/jobs"
)

// What a process that serves jobs finds in its environment.
const (
	serveFile  = "MCPGEN_TASKS_SERVE" // the file of the store
	serveDeath = "MCPGEN_TASKS_DEATH" // the call of the store at which it dies: "3 before", "3 after"; "" if it lives
	serveEager = "MCPGEN_TASKS_EAGER" // whether it takes owners for dead that have changed nothing since it has begun
	servePause = "MCPGEN_TASKS_PAUSE" // how long a job works, after this file is there: "20ms", "0s name"
)

// fragile is a store whose process dies at one of its calls. If it is eager, it does not wait for a lease before it
// takes over the tasks of a process that has died.
type fragile struct {
	task.Store

	calls atomic.Int64
	death int64
	after bool
	eager bool
	still uint64   // the latest version when it began; 0 if it is not known
	file  *os.File // of notes
}

// note notes that something has happened to a task.
func (f *fragile) note(what, id string) { fmt.Fprintln(f.file, what, id) }

func die() {
	p, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = p.Kill() // kill -9
	}
	fmt.Fprintln(os.Stderr, "still alive:", err)
	select {}
}

func (f *fragile) call(do func() error) error {
	n := f.calls.Add(1)
	if n == f.death && !f.after {
		die()
	}
	err := do()
	if n == f.death {
		die()
	}
	return err
}

func (f *fragile) Create(ctx context.Context, r *task.Record, limits task.Limits) error {
	return f.call(func() error { return f.Store.Create(ctx, r, limits) })
}

func (f *fragile) Head(ctx context.Context, id string) (h *task.Head, err error) {
	err = f.call(func() error {
		h, err = f.Store.Head(ctx, id)
		return err
	})
	return h, err
}

func (f *fragile) Get(ctx context.Context, id string) (r *task.Record, err error) {
	err = f.call(func() error {
		r, err = f.Store.Get(ctx, id)
		return err
	})
	return r, err
}

func (f *fragile) Swap(ctx context.Context, h *task.Head, b *task.Body, limits task.Limits) error {
	err := f.call(func() error { return f.Store.Swap(ctx, h, b, limits) })
	if errors.Is(err, task.ErrChanged) {
		f.note("refused", h.ID)
	}
	return err
}

func (f *fragile) Claim(ctx context.Context, c task.Claim) (h *task.Head, latest uint64, err error) {
	if f.eager && f.still == 0 {
		far := task.Claim{Owner: c.Owner, Now: c.Now.AddDate(1000, 0, 0)} // when all have expired
		if _, f.still, err = f.Store.Claim(ctx, far); !errors.Is(err, task.ErrNotFound) {
			return nil, 0, err
		}
	}
	c.Still = max(c.Still, f.still)
	err = f.call(func() error {
		h, latest, err = f.Store.Claim(ctx, c)
		return err
	})
	return h, latest, err
}

// serveJobs is a process that serves jobs over stdio.
func serveJobs(ctx context.Context, file string) error {
	store, err := sqlitetasks.Open(ctx, file)
	if err != nil {
		return err
	}
	f := &fragile{Store: store}
	if n, how, ok := strings.Cut(os.Getenv(serveDeath), " "); ok {
		f.after = how == "after"
		if f.death, err = strconv.ParseInt(n, 10, 64); err != nil {
			return err
		}
	}
	f.eager = os.Getenv(serveEager) == "true"
	text, hold, _ := strings.Cut(os.Getenv(servePause), " ")
	pause, err := time.ParseDuration(text)
	if err != nil {
		return err
	}
	f.file, err = os.OpenFile(file+".notes", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	srv, err := jobs.NewJobsServer(jobs.JobsImpl{Jobs: &jobs.Jobs{Began: func(key, id string) {
		f.note(key, id)
		for hold != "" { // whatever becomes of the task meanwhile
			if _, err := os.Stat(hold); err == nil {
				break
			}
			time.Sleep(time.Millisecond)
		}
	}, Pause: pause}}, &mcp.Options{Tasks: task.Options{Store: f}})
	if err != nil {
		return err
	}
	return errors.Join(srv.Serve(ctx, stdio.New(nil)), srv.Close(), store.Close())
}

// child is such a process.
type child struct {
	t     *testing.T
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines chan []byte   // of its output; the last one is followed by the end of gone
	gone  chan struct{} // closed when it has ended
	log   strings.Builder
	next  int
}

func startChild(t *testing.T, file, death string, eager bool, pause string) *child {
	t.Helper()
	c := &child{t: t, cmd: exec.CommandContext(t.Context(), os.Args[0])}
	c.cmd.Env = append(os.Environ(), serveFile+"="+file, serveDeath+"="+death, serveEager+"="+strconv.FormatBool(eager),
		servePause+"="+pause)
	c.cmd.Stderr = &c.log
	in, err := c.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c.in, c.lines, c.gone = in, make(chan []byte, 100), make(chan struct{})
	go func() {
		defer close(c.gone)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			c.lines <- bytes.Clone(lines.Bytes())
		}
	}()
	return c
}

// end ends the process, and fails if it said something that it must not.
func (c *child) end() {
	c.t.Helper()
	_ = c.cmd.Process.Kill()
	<-c.gone
	_ = c.cmd.Wait()
	if text := c.log.String(); strings.Contains(text, "panic") || strings.Contains(text, "still alive") {
		c.t.Fatalf("a process says: %s", text)
	}
}

// errKilled means that the process has ended before it answered.
var errKilled = errors.New("the process has ended")

// ask sends a request, and decodes its result.
func (c *child) ask(method string, params map[string]any, result any) error {
	c.t.Helper()
	c.next++
	params["_meta"] = map[string]any{
		"io.modelcontextprotocol/protocolVersion": "2026-07-28",
		"io.modelcontextprotocol/clientInfo":      map[string]any{"name": "test", "version": "1"},
		"io.modelcontextprotocol/clientCapabilities": map[string]any{
			"extensions": map[string]any{tasksExtension: struct{}{}},
		},
	}
	text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": c.next, "method": method, "params": params})
	if err != nil {
		c.t.Fatal(err)
	}
	if _, err := c.in.Write(append(text, '\n')); err != nil {
		return errKilled
	}
	for {
		var line []byte
		select {
		case line = <-c.lines:
		case <-c.gone:
			select {
			case line = <-c.lines:
			default:
				return errKilled
			}
		}
		var m struct {
			ID     int             `json:"id"`
			Result json.RawMessage `json:"result"`
			Error  json.RawMessage `json:"error"`
		}
		if err := json.Unmarshal(line, &m); err != nil {
			c.t.Fatalf("%v: %s", err, line)
		}
		switch {
		case m.ID != c.next:
			continue
		case m.Error != nil:
			return fmt.Errorf("%s: %s", method, m.Error)
		case result == nil:
			return nil
		}
		return json.Unmarshal(m.Result, result)
	}
}

const tasksExtension = "io.modelcontextprotocol/tasks"

// create creates a task, and returns its id.
func (c *child) create(tool, key string) (string, error) {
	var out struct {
		TaskID string `json:"taskId"`
	}
	err := c.ask("tools/call", map[string]any{"name": tool, "arguments": map[string]any{"key": key}}, &out)
	if err == nil && out.TaskID == "" {
		c.t.Fatalf("%s became no task", tool)
	}
	return out.TaskID, err
}

// outcome is what tasks/get says.
type outcome struct {
	Status string `json:"status"`
	Result struct {
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
	} `json:"result"`
	Error struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// await asks about a task until it has ended.
func (c *child) await(id string) outcome {
	c.t.Helper()
	for limit := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		var out outcome
		if err := c.ask("tasks/get", map[string]any{"taskId": id}, &out); err != nil {
			c.t.Fatalf("a task that was confirmed: %v\n%s", err, c.log.String())
		}
		if task.Status(out.Status).Final() {
			return out
		}
		if time.Now().After(limit) {
			c.t.Fatalf("a task does not end: %+v", out)
		}
	}
}
