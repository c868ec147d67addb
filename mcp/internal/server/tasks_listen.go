package server

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	ext "github.com/mcpgen/mcpgen/generated/protocol/ext/tasks"
	"github.com/mcpgen/mcpgen/mcp/internal/pubsub"
	"github.com/mcpgen/mcpgen/mcp/task"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// taskIDs is the member of a filter with the tasks that a listen follows.
const taskIDs = "taskIds"

// taskUpdates are the notifications about one task on one listen. It implements [pubsub.Authorizer]: it reads the
// record before the notification is written, because writing must not wait for a store.
type taskUpdates struct {
	t         *tasks
	id        string
	who       Caller
	principal string
	ended     bool // before the listen began

	mu     sync.Mutex
	record *task.Record // that the next notification is about
}

// honour implements [taskSupport].
func (t *tasks) honour(w subscriber, filter, honoured *protocol.SubscriptionFilter, e *streamEncoder) (
	[]pubsub.Request, error) {
	raw, ok := filter.Extra.Get(taskIDs)
	if !ok {
		return nil, nil
	}
	if !declaresTasks(w.clientMeta) {
		return nil, errNoTasks()
	}
	d := wire.NewDecoder(raw)
	ids := wire.DecodeSlice(&d, (*wire.Decoder).String)
	if d.Err() != nil {
		return nil, invalid("/notifications/taskIds: must be a list of ids")
	}
	if err := w.enterFor(true); err != nil {
		return nil, err
	}
	granted := []string{}
	var topics []pubsub.Request
	principal := principalOf(w.call)
	e.tasks = make(map[string]updateAppender)
	for _, id := range ids {
		if slices.Contains(granted, id) {
			continue
		}
		if len(granted) >= maxFollowed {
			break
		}
		r, err := t.record(w.call, id)
		if err != nil {
			if !errors.Is(err, errUnknownTask) {
				return nil, err
			}
			continue
		}
		granted = append(granted, id)
		u := &taskUpdates{t: t, id: id, who: w.call.Caller(), principal: principal, ended: r.Status.Final()}
		topic := taskTopic + id
		e.tasks[topic] = u
		topics = append(topics, pubsub.Request{
			Topic: pubsub.Topic{URI: topic}, Source: &pubsub.Source{Authorizer: u, Open: t.watcher(r)},
		})
	}
	honoured.Extra.Set(taskIDs, json.RawMessage(wire.AppendStrings(nil, granted)))
	return topics, nil
}

// placed implements [taskSupport].
func (t *tasks) placed(e *streamEncoder, streams *pubsub.Streams, s *pubsub.Stream) {
	for topic, u := range e.tasks {
		if u.(*taskUpdates).ended {
			streams.Mark(s, topic)
		}
	}
}

// maxFollowed is how many tasks one listen follows.
const maxFollowed = 256

// watcher reports changes of a task in a store that other processes write to; nil if there is none.
func (t *tasks) watcher(r *task.Record) pubsub.Opener {
	if t.s.opts.Tasks.Store == nil {
		return nil
	}
	id, seen := r.ID, r.Updated
	return func(ctx context.Context, _ string) (iter.Seq2[time.Time, error], error) {
		return func(yield func(time.Time, error) bool) {
			for {
				r, err := t.engine.Wait(ctx, id, func(r *task.Record) bool { return r.Updated.After(seen) })
				if ctx.Err() != nil {
					return
				}
				if err != nil {
					<-ctx.Done() // what is gone does not change
					return
				}
				if seen = r.Updated; !yield(time.Time{}, nil) {
					return
				}
			}
		}, nil
	}
}

// Authorize implements [pubsub.Authorizer].
func (u *taskUpdates) Authorize(string) pubsub.Decision {
	r, err := u.t.engine.Get(context.Background(), u.id)
	if err != nil || u.who.expired() || !u.t.permits(&u.who, u.principal, r) {
		return pubsub.Postpone
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.record = r
	return pubsub.Deliver
}

// appendUpdate appends the notification.
func (u *taskUpdates) appendUpdate(b []byte, e *streamEncoder) []byte {
	u.mu.Lock()
	r := u.record
	u.mu.Unlock()
	b = wire.AppendNotification(b, ext.MethodNotificationsTasks)
	p := u.t.notification(r, e.meta())
	return append(p.AppendJSON(b, e.rev), "}\n"...)
}
