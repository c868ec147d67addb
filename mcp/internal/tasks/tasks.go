package tasks

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	ext "github.com/mcpgen/mcpgen/generated/protocol/ext/tasks"
	"github.com/mcpgen/mcpgen/internal/dev/failpoint"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/counters"
	"github.com/mcpgen/mcpgen/mcp/internal/engine"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/internal/labels"
	"github.com/mcpgen/mcpgen/mcp/internal/pubsub"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
	"github.com/mcpgen/mcpgen/mcp/internal/taskrun"
	"github.com/mcpgen/mcpgen/mcp/stats"
	"github.com/mcpgen/mcpgen/mcp/task"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Tasks are the tasks of a server, in both forms that clients know: the extension io.modelcontextprotocol/tasks of
// 2026-07-28, and basic/utilities/tasks of 2025-11-25. It is safe for concurrent use.
type Tasks struct {
	server.TaskConfig
	engine      *taskrun.Engine
	notFollowed atomic.Int64
	asked       askedTasks
	notices     notices
	running     running
}

// New returns the tasks of a server. The server calls Begin once it is complete, and Close at its end.
func New(c server.TaskConfig) (*Tasks, error) {
	if err := taskrun.CheckOptions(&c.Options); err != nil {
		return nil, err
	}
	t := &Tasks{TaskConfig: c, running: running{calls: make(map[string]*taskCall)}}
	t.notices.init(t)
	t.engine = taskrun.New(taskrun.Config{
		Options: c.Options, Log: c.Host.Log, Run: t.run, Changed: t.changed, Notified: c.Heard,
		Left:  func() { c.Note(topic("").Text()) },
		Known: func(tool string) bool { return c.Tool(tool) != nil },
	})
	return t, nil
}

// Begin begins to run what other processes have left, once the server is complete.
func (t *Tasks) Begin() { t.engine.Begin() }

// Close waits for running tasks for at most grace, and then ends their contexts.
func (t *Tasks) Close(grace time.Duration) { t.engine.Close(grace) }

// topic is the topic of a task. The id "" is for the signal that a task was left to other processes.
func topic(id string) pubsub.Topic { return pubsub.Topic{Kind: pubsub.Task, URI: id} }

// changed publishes a change of a task, here and to the other replicas.
func (t *Tasks) changed(id string) {
	t.Host.Hub.PublishNamed(topic(id))
	t.Note(topic(id).Text())
}

// Signal takes what another replica has published by changed.
func (t *Tasks) Signal(text string) {
	of := pubsub.TopicOf(text)
	switch {
	case of.Kind != pubsub.Task:
	case of.URI == "":
		t.engine.Claim()
	default:
		t.Host.Hub.PublishNamed(of)
		t.engine.Signal(of.URI)
	}
}

// Declare adds the capabilities for tasks that clients of a revision get. In older revisions they depend on the request
// that w handles.
func (t *Tasks) Declare(c *protocol.ServerCapabilities, rev protocol.Revision, w *session.Worker) {
	if era.IsModern(rev) {
		c.Extensions = slices.Clone(c.Extensions)
		c.Extensions.Set(ext.ID, content.EmptyObject)
		return
	}
	c.Tasks = &protocol.ServerCapabilitiesTasks{
		Cancel: new(protocol.ServerCapabilitiesTasksCancel),
		Requests: &protocol.ServerCapabilitiesTasksRequests{Tools: &protocol.ServerCapabilitiesTasksRequestsTools{
			Call: new(protocol.ServerCapabilitiesTasksRequestsToolsCall),
		}},
	}
	if known(w) {
		c.Tasks.List = new(protocol.ServerCapabilitiesTasksList)
	}
}

// principalOf returns the owner of the tasks that a call makes or asks for: the subject of its caller, or else an
// address.
func principalOf(c *call.Call) string {
	if subject := c.Principal(); subject != "" {
		return principalOfSubject(subject)
	}
	origin := call.OriginOf(c.Request().Responder)
	return "a" + hashed(origin[:])
}

func principalOfSubject(subject string) string { return "s" + hashed([]byte(subject)) }

func hashed(text []byte) string {
	sum := sha256.Sum256(text)
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// permits reports whether the client of a call may know of a task. Without a subject the id of the task is proof
// enough, because addresses change.
func (t *Tasks) permits(who *call.Caller, principal string, h *task.Head) bool {
	if (who.Subject == "") != (h.Subject == "") || who.Subject != "" && principal != h.Principal {
		return false
	}
	tool := t.Tool(h.Tool)
	return tool == nil || tool.Guard.Scopes(who) == nil || failpoint.On("task-scopes-ignored")
}

// errUnknownTask is the answer about a task that does not exist, or that the client must not know of.
var errUnknownTask = &wire.Error{Code: wire.CodeInvalidParams, Message: "invalid params: /taskId: unknown task"}

// head returns the head of a task for the client of a call. denied says that the task exists, but the client must not
// know of it.
func (t *Tasks) head(call *call.Call, id string) (h *task.Head, denied bool, err error) {
	h, err = t.engine.Head(call, id)
	if err != nil {
		return nil, false, t.failure(err)
	}
	who := call.Caller()
	if !t.permits(&who, principalOf(call), h) {
		return nil, true, errUnknownTask
	}
	return h, false, nil
}

// withBody returns the record for a head. It has the body only if clients see any of it in the present status. The
// record may be newer than the head.
func (t *Tasks) withBody(ctx context.Context, h *task.Head) (*task.Record, error) {
	if !tellsBody(h) {
		return &task.Record{Head: *h}, nil
	}
	return t.engine.Get(ctx, h.ID)
}

// tellsBody reports whether clients see any of the body of a task in its present status.
func tellsBody(h *task.Head) bool { return h.Status != task.Working && h.Status != task.Cancelled }

var (
	errTasksFull = engine.Busy("there are too many tasks")
	errTasksSlow = engine.Busy("the store of tasks is slow")
	errTasksBusy = engine.Busy("too many requests read tasks")
)

// AddTo adds the numbers of tasks to the statistics.
func (t *Tasks) AddTo(to *stats.Snapshot) {
	out := &to.Tasks
	c := t.engine.Counts()
	out.Running += int64(t.engine.Running())
	out.Created += c.Created.Load()
	out.Deferred += c.Deferred.Load()
	out.Asked += c.Asked.Load()
	out.TakenOver += c.TakenOver.Load()
	out.GivenBack += c.GivenBack.Load()
	out.Expired += c.Expired.Load()
	out.StoreErrors += c.StoreErrors.Load()
	out.NotFollowed += t.notFollowed.Load()
	out.ProgressDropped += t.running.unreported.Load()
	counters.AddLabelled[labels.TaskEnd](&out.Ended, c.Ended[:])
}

// refused counts a task that could not be created because of err, unless the server closes.
func (t *Tasks) refused(err error) {
	why := labels.RefusedTaskStore
	switch {
	case errors.Is(err, taskrun.ErrClosed):
		return
	case errors.Is(err, task.ErrPrincipalFull):
		why = labels.RefusedTasks
	case errors.Is(err, task.ErrFull):
		why = labels.RefusedTotalTasks
	}
	t.Host.Counts.Refused[why].Add(1)
}

// failure returns the error that clients get for an error of the engine.
func (t *Tasks) failure(err error) error {
	switch {
	case errors.Is(err, task.ErrNotFound):
		return errUnknownTask
	case errors.Is(err, task.ErrFull):
		return errTasksFull
	case errors.Is(err, taskrun.ErrClosed):
		return engine.ErrShutdown
	case errors.Is(err, taskrun.ErrBusy):
		t.Host.Counts.Refused[labels.RefusedTaskReads].Add(1)
		return errTasksBusy
	case errors.Is(err, context.DeadlineExceeded): // of a call of the store
		return errTasksSlow
	}
	return err
}

// holdBody reserves memory for the body of a task before a call reads it, if clients see any of it. It may wait until
// there is room.
func holdBody(c *call.Call, h *task.Head) error {
	if h.Size <= call.SmallValue || !tellsBody(h) {
		return nil
	}
	return c.Hold(h.Size, true)
}
