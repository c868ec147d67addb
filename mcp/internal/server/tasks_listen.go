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
	"github.com/mcpgen/mcpgen/internal/dev/failpoint"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/pubsub"
	"github.com/mcpgen/mcpgen/mcp/task"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// taskIDs is the member of a filter with the tasks that a listen follows.
const taskIDs = "taskIds"

// followed are the tasks that one listen follows. It implements [pubsub.Authorizer]: it reads the task before the
// notification about it is written, because writing must not wait for a store.
type followed struct {
	t         *tasks
	who       call.Caller
	principal string
	topics    []string

	mu   sync.Mutex
	next map[string]*notice // by topic, of the next notifications
	seen map[string]uint64  // by topic, the versions of the last ones
}

// honour implements [TaskSupport].
func (t *tasks) honour(w subscriber, filter, honoured *protocol.SubscriptionFilter, e *streamEncoder) (
	[]pubsub.Request, error) {
	raw, ok := filter.Extra.Get(taskIDs)
	if !ok {
		return nil, nil
	}
	if !declaresTasks(w.ClientMeta) {
		return nil, errNoTasks()
	}
	d := wire.NewDecoder(raw)
	ids := wire.DecodeSlice(&d, (*wire.Decoder).String)
	if d.Err() != nil {
		return nil, content.InvalidParams("/notifications/taskIds: must be a list of ids")
	}
	if err := w.EnterFor(true); err != nil {
		return nil, err
	}
	f := &followed{t: t, who: w.Call.Caller(), principal: principalOf(w.Call), next: make(map[string]*notice),
		seen: make(map[string]uint64)}
	source := &pubsub.Source{Authorizer: f}
	if t.s.opts.Tasks.Store != nil {
		source.Open = t.watch
	}
	granted := []string{}
	var topics []pubsub.Request
	ids = ids[:min(len(ids), maxFollowed)]
	for i, id := range ids {
		if slices.Contains(ids[:i], id) {
			continue
		}
		if _, denied, err := t.head(w.Call, id); errors.Is(err, errUnknownTask) {
			w.AuditListen(auditedTask(id), !denied)
			continue
		} else if err != nil {
			return nil, err
		}
		granted = append(granted, id)
		f.topics = append(f.topics, taskTopic+id)
		topics = append(topics, pubsub.Request{Topic: pubsub.Topic{URI: taskTopic + id}, Source: source})
	}
	e.tasks = f
	honoured.Extra.Set(taskIDs, json.RawMessage(wire.AppendStrings(nil, granted)))
	return topics, nil
}

// placed implements [TaskSupport].
func (t *tasks) placed(e *streamEncoder, streams *pubsub.Streams, s *pubsub.Stream) {
	f, ok := e.tasks.(*followed)
	if !ok {
		return
	}
	for _, topic := range f.topics {
		if failpoint.On("task-listen-present-state") {
			break
		}
		streams.Mark(s, topic)
	}
}

// maxFollowed is how many ids of one listen are looked at; the others are not honoured.
const maxFollowed = 256

// watch reports changes of a task in a store that other processes write to. It implements [pubsub.Opener].
func (t *tasks) watch(ctx context.Context, topic string) (iter.Seq2[time.Time, error], error) {
	var seen visible
	return func(yield func(time.Time, error) bool) {
		for {
			h, err := t.engine.Wait(ctx, topic[len(taskTopic):],
				func(h *task.Head) bool { return visibleOf(h) != seen })
			if err == nil {
				if seen = visibleOf(h); !yield(time.Time{}, nil) {
					return
				}
				if !h.Status.Final() {
					continue
				}
			}
			pause := time.NewTimer(storePause)
			if err == nil || errors.Is(err, task.ErrNotFound) {
				pause.Stop() // what has ended, or is gone, does not change
			}
			select {
			case <-pause.C:
			case <-ctx.Done():
				pause.Stop()
				return
			}
		}
	}, nil
}

// visible is what changes with what clients see of a task before it ends. Times alone do not tell two changes in a
// millisecond apart, and older releases do not count changes.
type visible struct {
	updated time.Time
	changes uint64
	status  task.Status
	message string
}

func visibleOf(h *task.Head) visible {
	return visible{h.Updated, h.Changes, h.Status, h.Message}
}

// Authorize implements [pubsub.Authorizer].
func (f *followed) Authorize(topic string) pubsub.Decision {
	h, ok, _ := f.t.notices.read(topic)
	if !ok || f.who.Expired() || !f.t.permits(&f.who, f.principal, h) {
		return pubsub.Postpone
	}
	f.mu.Lock()
	known := f.seen[topic] == h.Version
	f.mu.Unlock()
	if known { // a watcher has found what was published
		return pubsub.Postpone
	}
	n := f.t.notices.of(topic, h)
	if n == nil {
		return pubsub.Postpone
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.next[topic], f.seen[topic] = n, n.version
	return pubsub.Deliver
}

// appendUpdate implements [updateAppender].
func (f *followed) appendUpdate(b []byte, e *streamEncoder, topic string) (frame []byte, rest *pubsub.Rest) {
	f.mu.Lock()
	n := f.next[topic]
	delete(f.next, topic)
	f.mu.Unlock()
	b = wire.AppendNotification(b, ext.MethodNotificationsTasks)
	return n.append(b, e.meta()), &n.rest
}
