package tasks

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"sync"
	"time"

	ext "github.com/mcpgen/mcpgen/generated/protocol/ext/tasks"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/pubsub"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
	"github.com/mcpgen/mcpgen/mcp/task"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// taskIDs is the member of a filter with the tasks that a listen follows.
const taskIDs = "taskIds"

// followed are the tasks that one listen follows. It implements [pubsub.Authorizer]. Authorize reads the task, because
// the notification is written afterwards under a lock, and no holder of that lock may wait for a store.
type followed struct {
	t         *Tasks
	listen    wire.ID
	who       call.Caller
	principal string

	mu   sync.Mutex
	next map[string]*notice // by id, of the next notifications
	seen map[string]uint64  // by id, the versions of the last ones
}

// Filters returns the member of filters that follows tasks.
func (t *Tasks) Filters() []session.Filter {
	return []session.Filter{{Name: taskIDs, Accept: t.accept}}
}

// accept implements [session.Filter].Accept: the client is told the ids of the tasks that it may follow.
func (t *Tasks) accept(w *session.Worker, value []byte) ([]pubsub.Request, json.RawMessage, error) {
	if !declaresTasks(w.ClientMeta()) {
		return nil, nil, errNoTasks()
	}
	d := wire.NewDecoder(value)
	ids := wire.DecodeSlice(&d, (*wire.Decoder).String)
	if d.Err() != nil {
		return nil, nil, content.InvalidParams("/notifications/taskIds: must be a list of ids")
	}
	if err := w.EnterFor(true); err != nil {
		return nil, nil, err
	}
	f := &followed{
		t: t, listen: w.Call.Request().ID, who: w.Call.Caller(), principal: principalOf(w.Call),
		next: make(map[string]*notice), seen: make(map[string]uint64),
	}
	source := t.source(f, f.appendUpdate)
	granted := []string{}
	var topics []pubsub.Request
	ids = ids[:min(len(ids), maxFollowed)]
	for i, id := range ids {
		if slices.Contains(ids[:i], id) {
			continue
		}
		if _, denied, err := t.head(w.Call, id); errors.Is(err, errUnknownTask) {
			w.AuditListen(topic(id), !denied)
			continue
		} else if err != nil {
			return nil, nil, err
		}
		granted = append(granted, id)
		topics = append(topics, pubsub.Request{Topic: topic(id), Source: source})
	}
	return topics, wire.AppendStrings(nil, granted), nil
}

// source returns the [pubsub.Source] of the subscriptions to tasks.
func (t *Tasks) source(a pubsub.Authorizer, update func(b []byte, id string) ([]byte, *pubsub.Rest)) *pubsub.Source {
	s := &pubsub.Source{Authorizer: a, Append: update}
	if t.Options.Store != nil {
		s.Open = t.watch
	}
	return s
}

// maxFollowed is how many ids of one listen are accepted; the others are left out.
const maxFollowed = 256

// watch reports changes of a task in a store that other processes write to. It implements [pubsub.Opener].
func (t *Tasks) watch(ctx context.Context, id string) (iter.Seq2[time.Time, error], error) {
	var seen visible
	return func(yield func(time.Time, error) bool) {
		for {
			h, err := t.engine.Wait(ctx, id,
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

// visible has what clients see of a task that has not ended, to compare two states of the task. The time of the update
// alone cannot tell two changes in one millisecond apart, and older releases of the server do not count changes.
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
func (f *followed) Authorize(id string) pubsub.Decision {
	h, ok, _ := f.t.notices.read(id)
	if !ok || f.who.Expired() || !f.t.permits(&f.who, f.principal, h) {
		return pubsub.Postpone
	}
	f.mu.Lock()
	known := f.seen[id] == h.Version
	f.mu.Unlock()
	if known { // the watcher has found a version that was already published
		return pubsub.Postpone
	}
	n := f.t.notices.of(id, h)
	if n == nil {
		return pubsub.Postpone
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.next[id], f.seen[id] = n, n.version
	return pubsub.Deliver
}

// appendUpdate implements [pubsub.Source].Append.
func (f *followed) appendUpdate(b []byte, id string) (frame []byte, rest *pubsub.Rest) {
	f.mu.Lock()
	n := f.next[id]
	delete(f.next, id)
	f.mu.Unlock()
	b = wire.AppendNotification(b, ext.MethodNotificationsTasks)
	return n.append(b, f.listen), &n.rest
}
