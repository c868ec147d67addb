package tasks

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"
	"weak"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/internal/pubsub"
	"github.com/mcpgen/mcpgen/mcp/task"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// notices makes the notifications about tasks. If several clients follow a task, it reads the task once for all that
// wait, and encodes each version of it once.
type notices struct {
	t *Tasks

	mu    sync.Mutex
	reads map[string]*taskRead            // by id, the reads that are under way
	made  map[string]weak.Pointer[notice] // by id, the last notice, which somebody may still have
	sweep int                             // length of made at which the notices that nobody has are removed
	again map[string]struct{}             // ids that are published again soon, because the store did not answer
}

func (x *notices) init(t *Tasks) {
	x.t, x.reads, x.made = t, make(map[string]*taskRead), make(map[string]weak.Pointer[notice])
	x.again = make(map[string]struct{})
}

// notice is the notification about one version of a task for clients of 2026-07-28. notices finds it as long as
// somebody holds a pointer into it, such as a stream that writes its rest.
type notice struct {
	version uint64
	once    sync.Once
	rest    pubsub.Rest // of the message, behind the _meta of its params; nil if the task could not be read
}

// taskRead is one read of a task from the store. Those who ask before it has begun share its result; those who ask
// later wait for the next read.
type taskRead struct {
	done chan struct{} // closed once it is read
	next *taskRead     // nil if nobody waits for it
	head *task.Head
	err  error
}

// read returns the head of a task. The store is read after read was called, so the head is not older. ok is false if
// the head cannot be read now, and gone is true if the task does not exist any more. The head must not be changed.
func (x *notices) read(id string) (h *task.Head, ok, gone bool) {
	x.mu.Lock()
	n := x.reads[id]
	switch {
	case n == nil:
		n = &taskRead{done: make(chan struct{})}
		x.reads[id] = n
		x.mu.Unlock()
		x.readFor(id, n)
	case n.next == nil:
		before := n
		n = &taskRead{done: make(chan struct{})}
		before.next = n
		x.mu.Unlock()
		<-before.done
		x.readFor(id, n)
	default:
		n = n.next
		x.mu.Unlock()
		<-n.done
	}
	gone = errors.Is(n.err, task.ErrNotFound)
	if n.err != nil && !gone {
		x.unread(id)
	}
	return n.head, n.err == nil, gone
}

// errUnreadTask is the error of a read whose store has ended the goroutine.
var errUnreadTask = errors.New("mcp: the store has ended the goroutine")

// readFor reads a head for all who wait for n.
func (x *notices) readFor(id string, n *taskRead) {
	n.err = errUnreadTask
	defer func() {
		x.mu.Lock()
		if x.reads[id] = n.next; n.next == nil {
			delete(x.reads, id)
		}
		x.mu.Unlock()
		close(n.done)
	}()
	n.head, n.err = x.t.engine.Head(context.Background(), id)
}

// smallNotice is the size, in bytes, that the buffer of a notice has besides the parts of the record that may have any
// size.
const smallNotice = 1 << 10

// of returns the notice about the task with this head; nil if the task cannot be read now. Other clients may get the
// same notice.
func (x *notices) of(id string, h *task.Head) *notice {
	n := x.find(id, h.Version)
	n.once.Do(func() {
		r, err := x.t.withBody(context.Background(), h)
		if err == nil {
			b := make([]byte, 0, len(r.Message)+len(r.Result)+len(r.Error)+len(r.Asked)+smallNotice)
			b = append(x.t.notification(r, nil).AppendJSON(b, tasksRevision), "}\n"...)
			n.rest = b[1:]
			return
		}
		x.forget(id, n)
		if !errors.Is(err, task.ErrNotFound) {
			x.unread(id)
		}
	})
	if n.rest == nil {
		return nil
	}
	return n
}

// forget drops n, so that the next call of [notices.of] makes a new notice.
func (x *notices) forget(id string, n *notice) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.made[id].Value() == n {
		delete(x.made, id)
	}
}

// find returns the notice about a version. It may not be encoded yet.
func (x *notices) find(id string, version uint64) *notice {
	x.mu.Lock()
	defer x.mu.Unlock()
	if n := x.made[id].Value(); n != nil && n.version == version {
		return n
	}
	if len(x.made) >= x.sweep {
		maps.DeleteFunc(x.made, func(_ string, n weak.Pointer[notice]) bool { return n.Value() == nil })
		x.sweep = 2*len(x.made) + 64
	}
	n := &notice{version: version}
	x.made[id] = weak.Make(n)
	return n
}

// storePause is how long notifications wait after the store has failed.
const storePause = time.Second

// unread notes that a task could not be read for a notification. After a pause its change is published again, in this
// process only.
func (x *notices) unread(id string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if _, waits := x.again[id]; waits {
		return
	}
	x.again[id] = struct{}{}
	time.AfterFunc(storePause, func() {
		x.mu.Lock()
		delete(x.again, id)
		x.mu.Unlock()
		x.t.Host.Hub.PublishNamed(topic(id))
	})
}

// append appends the _meta of the params for a listen. In the message n.rest follows.
func (n *notice) append(b []byte, listen wire.ID) []byte {
	meta := protocol.NotificationMetaObject{SubscriptionID: listen}
	return append(meta.AppendJSON(append(b, `{"_meta":`...), era.NewestServed), ',')
}
