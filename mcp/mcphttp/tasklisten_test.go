package mcphttp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/replica"
	"github.com/mcpgen/mcpgen/mcp/replica/memory"
	"github.com/mcpgen/mcpgen/mcp/task"
)

// countedReads is a store that counts how often a head or a record is read, which takes a while.
type countedReads struct {
	task.Memory
	heads, reads atomic.Int64
}

func (s *countedReads) Head(ctx context.Context, id string) (*task.Head, error) {
	s.heads.Add(1)
	time.Sleep(100 * time.Millisecond)
	return s.Memory.Head(ctx, id)
}

func (s *countedReads) Get(ctx context.Context, id string) (*task.Record, error) {
	s.reads.Add(1)
	time.Sleep(100 * time.Millisecond)
	return s.Memory.Get(ctx, id)
}

// httpListen is a listen, and what it was told.
type httpListen struct {
	body *bytes.Buffer
	end  func()
}

// follows opens a listen that follows a task.
func (o *observed) follows(id string) *httpListen {
	w := httptest.NewRecorder()
	return &httpListen{body: w.Body, end: o.followsOn(w, id)}
}

// followsOn opens a listen that follows a task, with a response of its own.
func (o *observed) followsOn(w http.ResponseWriter, id string) (end func()) {
	body, headers := modern("subscriptions/listen", "", `"notifications":{"taskIds":["`+id+`"]}`)
	body = strings.Replace(body, `"io.modelcontextprotocol/clientCapabilities":{`,
		`"io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}`, 1)
	req := httptest.NewRequest(http.MethodPost, target, strings.NewReader(body))
	setHeaders(req, headers)
	ctx, cancel := contextOf(req)
	done := make(chan struct{})
	go func() {
		defer close(done)
		o.http.ServeHTTP(w, req.WithContext(ctx))
	}()
	return func() { cancel(); <-done }
}

// A change of a task is read once or twice for all who follow it, and all are told of it.
func TestChangeIsReadForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := new(countedReads)
		o := &observed{rig: newRigWith(t, nil, &mcp.Options{Tasks: task.Options{Store: store}}, withTasks), t: t}
		defer func() { _ = o.srv.Close() }()
		id := o.creates("job")
		time.Sleep(time.Second)
		const listens = 20
		var all []*httpListen
		for range listens {
			all = append(all, o.follows(id))
		}
		time.Sleep(3 * time.Second)
		before, bodies := store.heads.Load(), store.reads.Load()
		o.about("tasks/cancel", id, `"taskId":"`+id+`"`)
		time.Sleep(900 * time.Millisecond)
		if n := store.heads.Load() - before; n > 12 {
			t.Errorf("%d listens read the task %d times", listens, n)
		}
		if n := store.reads.Load() - bodies; n > 0 {
			t.Errorf("%d listens read the body of a task that was cancelled %d times", listens, n)
		}
		for _, l := range all {
			l.end()
			if got := l.body.String(); strings.Count(got, `"status":"cancelled"`) != 1 ||
				!strings.Contains(got, `"io.modelcontextprotocol/subscriptionId":1}`) {
				t.Fatalf("a listen was told %s", got)
			}
		}
	})
}

// While there is a bus, a task that is listened to is not looked for in the store: only every half minute, in case that
// word of a change was lost. A change that another replica makes is told at once.
func TestListenedTaskIsNotPolledWithBus(t *testing.T) {
	for _, row := range []struct {
		bus         bool
		least, most int64 // reads in 25 seconds
	}{{false, 20, 60}, {true, 0, 2}} {
		synctest.Test(t, func(t *testing.T) {
			store := new(countedReads)
			opts := &mcp.Options{Tasks: task.Options{Store: store}}
			if row.bus {
				opts.Bus, opts.Keys = replica.Over(new(memory.Bus)), busKeys
			}
			o := &observed{rig: newRigWith(t, nil, opts, withTasks), t: t}
			other := &observed{rig: newRigWith(t, nil, opts, withTasks), t: t}
			defer func() { _ = o.srv.Close(); _ = other.srv.Close() }()
			time.Sleep(time.Minute) // until they know of each other
			id := other.creates("job")
			l := o.follows(id)
			time.Sleep(10 * time.Second)
			before := store.heads.Load()
			time.Sleep(25 * time.Second)
			if n := store.heads.Load() - before; n < row.least || n > row.most {
				t.Errorf("with a bus, %v: %d reads of a task that does not change, want %d to %d", row.bus, n, row.least,
					row.most)
			}
			other.about("tasks/cancel", id, `"taskId":"`+id+`"`)
			time.Sleep(2 * time.Second)
			if l.end(); !strings.Contains(l.body.String(), `"status":"cancelled"`) {
				t.Errorf("with a bus, %v: a listen was told %s", row.bus, l.body)
			}
		})
	}
}

// inPlace is a response that knows where the first large piece of it is in memory, and takes it when it may.
type inPlace struct {
	*httptest.ResponseRecorder
	at  *byte
	may chan struct{}
}

func (w *inPlace) Write(b []byte) (int, error) {
	if w.at == nil && len(b) >= 4<<10 {
		w.at = &b[0]
		<-w.may
	}
	return w.ResponseRecorder.Write(b)
}

// A large result is in memory once for all who are told of it: the listens of many clients, which may all be slow.
func TestNotificationIsSharedByListens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := new(task.Memory)
		o := &observed{rig: newRigWith(t, nil, &mcp.Options{Tasks: task.Options{Store: store}}, withTasks), t: t}
		defer func() { _ = o.srv.Close() }()
		now := task.Time(time.Now())
		result := `{"content":[{"type":"text","text":"` + strings.Repeat("x", 1<<20) + `"}]}`
		if err := store.Create(t.Context(), &task.Record{
			Head: task.Head{ID: "A", Principal: "p", Tool: "job", Status: task.Completed, Owner: "another",
				Revision: modernVersion, Created: now, Updated: now, LeaseUntil: now, Expires: now.Add(time.Hour)},
			Body: task.Body{Result: []byte(result)},
		}, task.Limits{PerPrincipal: 1, Total: 1}); err != nil {
			t.Fatal(err)
		}
		var all []*inPlace
		var ends []func()
		may := make(chan struct{})
		for range 3 {
			w := &inPlace{ResponseRecorder: httptest.NewRecorder(), may: may}
			all, ends = append(all, w), append(ends, o.followsOn(w, "A"))
			time.Sleep(time.Second) // until it writes
			runtime.GC()
		}
		close(may)
		time.Sleep(time.Second)
		for i, w := range all {
			ends[i]()
			_, event, _ := strings.Cut(w.Body.String(), `"method":"notifications/tasks"`)
			if event, _, _ = strings.Cut(event, "\n"); !json.Valid([]byte(`{"x":0`+event)) || !strings.Contains(event, result) {
				t.Errorf("listen %d was told %.200s", i, event)
			}
			if w.at == nil || w.at != all[0].at {
				t.Errorf("listen %d has a copy of the result", i)
			}
		}
	})
}
