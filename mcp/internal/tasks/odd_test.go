package tasks_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/task"
)

// What a client of 2025-11-25 may ask of the life of a task is at least a second and at most that of the server; what
// is no number is an error, and makes no task.
func TestTaskTTL(t *testing.T) {
	t.Attr("requirements", "task-ttl")
	inSession(t, &server.Options{Logger: noLog, Tasks: task.Options{TTL: time.Minute}}, func(st *taskServer, c *harness) {
		for ttl, want := range map[string]string{
			`{"ttl":0}`: "60000", `{"ttl":-5}`: "60000", `{"ttl":1}`: "1000", `{"ttl":30000}`: "30000",
			`{"ttl":9223372036854775807}`: "60000", `{"ttl":1e300}`: "", `{"ttl":null}`: "", `{}`: "60000",
			`{"ttl":1.5}`: "", `{"ttl":2000.0}`: "2000", `{"ttl":"1"}`: "", `{"ttl":[]}`: "", `null`: "",
			`1`: "", `"x"`: "", `[]`: "", `true`: "", `{"ttl":2000,"other":{"x":[1]}}`: "2000",
		} {
			got := c.ask(request("1", "tools/call", `"name":"work","arguments":{},"task":`+ttl))
			switch want {
			case "":
				contains(t, got, `"code":-32602`)
			default:
				contains(t, got, `"ttl":`+want+`,`)
				contains(t, c.ask(request("2", "tasks/cancel", `"taskId":"`+member(t, got, "result", "task", "taskId")+`"`)),
					`"status":"cancelled"`)
			}
			c.recvAll()
		}
		time.Sleep(3 * time.Minute)
		c.recvAll()
		contains(t, c.ask(request("3", "tasks/list", "")), `"tasks":[]`)
		h := newHarness(c.t, st.Server) // in 2026-07-28 it has no meaning
		contains(t, h.ask(withTasks("1", "tools/call", `"name":"work","arguments":{},"task":{"ttl":5}`)),
			`"resultType":"task"`, `"ttlMs":60000`)
		h.cancel()
	})
}

// A status message is text, whatever a handler sets, and that of a task that has failed says why.
func TestTaskStatusText(t *testing.T) {
	odd := restartable("odd", func(c *call.Call, _ []byte) (content.ToolResult, error) {
		c.SetStatus("a\xff\xfe\x00\"" + strings.Repeat("ä", 2000))
		<-c.Done()
		return content.ToolResult{}, c.Err()
	})
	bad := restartable("bad", func(c *call.Call, _ []byte) (content.ToolResult, error) {
		c.SetStatus("all is well")
		time.Sleep(time.Second)
		panic("at the end")
	})
	one(t, nil, func(_ *taskServer, c *harness) {
		id := c.createTask("odd")
		time.Sleep(time.Second)
		got := c.getTask(id)
		contains(t, got, `"statusMessage":"a`+"\uFFFD", `\u0000\"ä`)
		if message := member(t, got, "result", "statusMessage"); len(message) > 1<<10+10 || strings.ContainsRune(message, 0) {
			t.Errorf("%d bytes: %q", len(message), message)
		}
		id = c.createTask("bad")
		time.Sleep(2 * time.Second)
		got = c.getTask(id)
		contains(t, got, `"status":"failed"`, `"statusMessage":"internal error`)
	}, odd, bad)
}

// Answers that nobody has asked for are not kept, however many and large they are.
func TestTaskUnknownAnswers(t *testing.T) {
	t.Attr("requirements", "ask-answers-extra task-ext-update")
	store := new(task.Memory)
	one(t, &server.Options{Logger: noLog, Tasks: task.Options{Store: store}}, func(_ *taskServer, c *harness) {
		id := c.createTask("ask")
		synctest.Wait()
		before, err := store.Get(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		var keys strings.Builder
		for i := range 10_000 {
			fmt.Fprintf(&keys, `"k%d":{"action":"accept"},`, i)
		}
		for _, answers := range []string{
			`{` + keys.String() + `"k":1}`, `{"k":"` + strings.Repeat("x", 3<<20) + `"}`, `{"":[[[]]]}`, `{}`,
		} {
			contains(t, c.ask(withTasks("3", "tasks/update", `"taskId":"`+id+`","inputResponses":`+answers)),
				`"result":{"resultType":"complete"`)
		}
		for _, answers := range []string{`null`, `1`, `[]`, `"x"`} {
			contains(t, c.ask(withTasks("3", "tasks/update", `"taskId":"`+id+`","inputResponses":`+answers)), `"code":-32602`)
		}
		after, err := store.Get(t.Context(), id)
		if err != nil || after.Version != before.Version {
			t.Errorf("the record has changed: %v", err)
		}
		contains(t, c.getTask(id), `"status":"input_required"`)
		contains(t, c.ask(withTasks("3", "tasks/cancel", `"taskId":"`+id+`"`)), `"resultType":"complete"`)
		got := c.getTask(id)
		contains(t, got, `"status":"cancelled"`)
		if strings.Contains(got, "inputRequests") {
			t.Errorf("a cancelled task asks: %s", got)
		}
		contains(t, c.ask(withTasks("3", "tasks/update",
			`"taskId":"`+id+`","inputResponses":{"first":{"action":"accept"}}`)), `"resultType":"complete"`)
		contains(t, c.getTask(id), `"status":"cancelled"`)
	})
}

// Two updates at once: each answer counts, and the handler runs once more.
func TestTaskUpdatesAtOnce(t *testing.T) {
	t.Attr("requirements", "task-ext-update")
	synctest.Test(t, func(t *testing.T) {
		st := newTaskServer(t, &server.Options{Logger: noLog, Tasks: task.Options{Store: new(task.Memory)}})
		c := newHarness(t, st.Server)
		id := c.createTask("ask")
		synctest.Wait()
		var all sync.WaitGroup
		for i := range 20 {
			all.Go(func() {
				h := newHarness(c.t, st.Server)
				key := []string{"first", "second"}[i%2]
				contains(t, h.ask(withTasks("3", "tasks/update", `"taskId":"`+id+
					`","inputResponses":{"`+key+`":{"action":"accept"}}`)), `"resultType":"complete"`)
				h.cancel()
			})
		}
		all.Wait()
		synctest.Wait()
		contains(t, c.getTask(id), `"status":"completed"`)
		if n := server.Stats(st.Server).Tasks; n.Asked != 1 || n.Ended["completed"] != 1 {
			t.Errorf("%+v", n)
		}
		c.cancel()
	})
}

// A cancellation that comes as the handler ends leaves one of the two states, for ever.
func TestTaskCancelAsItEnds(t *testing.T) {
	t.Attr("requirements", "task-cancel")
	for range 50 {
		one(t, nil, func(st *taskServer, c *harness) {
			id := c.createTask("once")
			<-st.started
			go close(st.finish)
			contains(t, c.ask(withTasks("3", "tasks/cancel", `"taskId":"`+id+`"`)), `"resultType":"complete"`)
			synctest.Wait()
			first := member(t, c.getTask(id), "result", "status")
			time.Sleep(time.Minute)
			if last := member(t, c.getTask(id), "result", "status"); last != first || first == "working" {
				t.Errorf("%s, then %s", first, last)
			}
			n := server.Stats(st.Server).Tasks
			if n.Ended["completed"]+n.Ended["cancelled"] != 1 || n.Running != 0 {
				t.Errorf("%+v", n)
			}
		})
	}
}

// garbage is a store that returns something else than records.
type garbage struct {
	task.Memory
	record *task.Record
}

func (g *garbage) Get(context.Context, string) (*task.Record, error) { return g.record, nil }
func (g *garbage) Head(context.Context, string) (*task.Head, error) {
	if g.record == nil {
		return nil, nil //nolint:nilnil // what no store should return
	}
	return &g.record.Head, nil
}

func (g *garbage) Claim(ctx context.Context, _ task.Claim) (*task.Head, uint64, error) {
	h, err := g.Head(ctx, "")
	return h, 0, err
}

func (g *garbage) List(ctx context.Context, _, _ string, _ int) ([]*task.Head, error) {
	h, err := g.Head(ctx, "")
	return []*task.Head{h, nil, h}, err
}
func (g *garbage) Expire(context.Context, time.Time, int) (int, error) { return 1 << 40, nil }

// What a store returns in place of a record is an error for those who ask, and harms nobody.
func TestTaskStoreReturnsGarbage(t *testing.T) {
	for name, r := range map[string]*task.Record{
		"nothing": nil, "zero": {}, "another": {Head: task.Head{ID: "OTHER", Principal: "p", Status: task.Working}},
		"status": {Head: task.Head{ID: "A1", Principal: "p", Status: "asleep"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st := newTaskServer(t, &server.Options{Logger: noLog, Tasks: task.Options{Store: &garbage{record: r}}})
				c, old := newHarness(t, st.Server), newAskedSession(t, st.Server)
				modern, legacy := taskRequests("A1")
				delete(modern, "tools/call")
				delete(legacy, "tools/call")
				for h, all := range map[*harness]map[string]string{c: modern, old: legacy} {
					for _, text := range all {
						contains(t, h.ask(text), `"id":9,"error":{"code":-32603`)
					}
				}
				time.Sleep(time.Hour)
				c.cancel()
				old.cancel()
			})
		})
	}
}
