package mcphttp_test

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
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
	body, headers := modern("subscriptions/listen", "", `"notifications":{"taskIds":["`+id+`"]}`)
	body = strings.Replace(body, `"io.modelcontextprotocol/clientCapabilities":{`,
		`"io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}`, 1)
	req := httptest.NewRequest(http.MethodPost, target, strings.NewReader(body))
	setHeaders(req, headers)
	ctx, cancel := contextOf(req)
	w, done := httptest.NewRecorder(), make(chan struct{})
	go func() {
		defer close(done)
		o.http.ServeHTTP(w, req.WithContext(ctx))
	}()
	return &httpListen{body: w.Body, end: func() { cancel(); <-done }}
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
