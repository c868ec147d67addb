package server

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"sync"
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
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/labels"
	"github.com/mcpgen/mcpgen/mcp/internal/pipeline"
	"github.com/mcpgen/mcpgen/mcp/internal/relay"
	"github.com/mcpgen/mcpgen/mcp/internal/taskrun"
	"github.com/mcpgen/mcpgen/mcp/stats"
	"github.com/mcpgen/mcpgen/mcp/task"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// tasks are the tasks of a server, in both forms that clients know: the extension io.modelcontextprotocol/tasks of
// 2026-07-28, and basic/utilities/tasks of 2025-11-25.
type tasks struct {
	s           *Server
	engine      *taskrun.Engine
	notFollowed atomic.Int64
	unreported  atomic.Int64 // reports of progress that no client got
	asked       askedTasks
	notices     notices

	mu      sync.Mutex
	again   map[string]struct{} // topics that are published again soon, because the store did not answer
	current map[string]*running // those that run here, by their topics
}

// NewTasks is the value of [feature.Features.Tasks] for a server that has a tool with a [feature.TaskMode].
func NewTasks(s *Server) (TaskSupport, error) {
	if err := taskrun.CheckOptions(&s.opts.Tasks); err != nil {
		return nil, err
	}
	t := &tasks{s: s, again: make(map[string]struct{}), current: make(map[string]*running)}
	t.notices.init(t)
	t.engine = taskrun.New(taskrun.Config{
		Options: s.opts.Tasks, Log: s.host.Log, Run: t.run, Changed: t.changed,
		Notified: t.notified,
		Left:     func() { s.linked.note(relay.Updated, taskTopic) },
		Known:    func(tool string) bool { return s.tool(tool, era.NewestServed) != nil },
	})
	c := &s.features.Capabilities
	c.Tasks = &protocol.ServerCapabilitiesTasks{
		Cancel: new(protocol.ServerCapabilitiesTasksCancel),
		List:   new(protocol.ServerCapabilitiesTasksList),
		Requests: &protocol.ServerCapabilitiesTasksRequests{Tools: &protocol.ServerCapabilitiesTasksRequestsTools{
			Call: new(protocol.ServerCapabilitiesTasksRequestsToolsCall),
		}},
	}
	return t, nil
}

// declare implements [TaskSupport]. Older revisions do not know the extension.
func (t *tasks) declare(c *protocol.ServerCapabilities) {
	c.Extensions = slices.Clone(c.Extensions)
	c.Extensions.Set(ext.ID, content.EmptyObject)
}

func (t *tasks) begin() { t.engine.Begin() }

func (t *tasks) close() { t.engine.Close(t.s.host.Grace) }

// changed publishes a change of a task, here and to the other replicas.
func (t *tasks) changed(id string) {
	t.s.host.Hub.Publish(taskTopic + id)
	t.s.linked.note(relay.Updated, taskTopic+id)
}

// storePause is how long nobody is told of a task after the store has failed.
const storePause = time.Second

// unread says that a task could not be read for a notification: it is published again, here, after a pause.
func (t *tasks) unread(topic string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, waits := t.again[topic]; waits {
		return
	}
	t.again[topic] = struct{}{}
	time.AfterFunc(storePause, func() {
		t.mu.Lock()
		delete(t.again, topic)
		t.mu.Unlock()
		t.s.host.Hub.Publish(topic)
	})
}

// notified reports whether other processes tell this one of their changes: there is a bus, and it is heard.
func (t *tasks) notified() bool {
	fenced, _ := Fenced(t.s)
	return t.s.replicas != nil && !fenced
}

func (t *tasks) signal(topic string) {
	switch id, ok := strings.CutPrefix(topic, taskTopic); {
	case !ok:
	case id == "": // that of no task: somebody has left one to others
		t.engine.Claim()
	default:
		t.engine.Signal(id)
	}
}

// principalOf says whose tasks those of a call are: those of a subject, or of an address if there is none.
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

// permits reports whether the client of a call may know of a task. Who has no subject is known by the id alone, as
// addresses change.
func (t *tasks) permits(who *call.Caller, principal string, h *task.Head) bool {
	if (who.Subject == "") != (h.Subject == "") || who.Subject != "" && principal != h.Principal {
		return false
	}
	tool := t.s.tool(h.Tool, era.NewestServed)
	return tool == nil || tool.Guard.Scopes(who) == nil || failpoint.On("task-scopes-ignored")
}

// errUnknownTask is the answer about a task that does not exist, or that the client must not know of.
var errUnknownTask = content.InvalidParams("/taskId: unknown task")

// head returns the head of a task for the client of a call. denied says that there is one, and that the client must not
// know of it.
func (t *tasks) head(call *call.Call, id string) (h *task.Head, denied bool, err error) {
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

// withBody returns the record of a head as clients are told of it: the body is read if they are told any of it. It may
// be that of a later time.
func (t *tasks) withBody(ctx context.Context, h *task.Head) (*task.Record, error) {
	if !tellsBody(h) {
		return &task.Record{Head: *h}, nil
	}
	return t.engine.Get(ctx, h.ID)
}

// tellsBody reports whether clients are told of what the body of a task has.
func tellsBody(h *task.Head) bool { return h.Status != task.Working && h.Status != task.Cancelled }

var (
	errTasksFull   = engine.Busy("there are too many tasks")
	errTasksSlow   = engine.Busy("the store of tasks is slow")
	errTasksBusy   = engine.Busy("too many requests read tasks")
	errTasksClosed = engine.ErrShutdown
)

// AddTo implements [TaskSupport].
func (t *tasks) addTo(out *stats.Tasks) {
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
	out.ProgressDropped += t.unreported.Load()
	counters.AddLabelled[labels.TaskEnd](&out.Ended, c.Ended[:])
}

// refused counts a task that was not created.
func (t *tasks) refused(err error) {
	why := labels.RefusedTaskStore
	switch {
	case errors.Is(err, taskrun.ErrClosed):
		return
	case errors.Is(err, task.ErrPrincipalFull):
		why = labels.RefusedTasks
	case errors.Is(err, task.ErrFull):
		why = labels.RefusedTotalTasks
	}
	t.s.host.Counts.Refused[why].Add(1)
}

// failure is what clients get for an error of the engine.
func (t *tasks) failure(err error) error {
	switch {
	case errors.Is(err, task.ErrNotFound):
		return errUnknownTask
	case errors.Is(err, task.ErrFull):
		return errTasksFull
	case errors.Is(err, taskrun.ErrClosed):
		return errTasksClosed
	case errors.Is(err, taskrun.ErrBusy):
		t.s.host.Counts.Refused[labels.RefusedTaskReads].Add(1)
		return errTasksBusy
	case errors.Is(err, context.DeadlineExceeded): // of a call of the store
		return errTasksSlow
	}
	return err
}

// call implements [TaskSupport].
func (t *tasks) call(
	w *handler, tool *feature.Tool, p *protocol.CallToolRequestParams) (protocol.CallToolReply, bool, error,
) {
	if w.Values().Value(call.TaskRunKey{}) != nil {
		return nil, false, nil // the call of the server itself
	}
	wants := false
	switch {
	case era.IsModern(w.Rev):
		wants = declaresTasks(p.Meta)
	case w.Rev == era.NewestLegacy:
		wants = p.Task != nil
	}
	var invalid error
	switch {
	case tool.Task == feature.TaskNever && wants && !era.IsModern(w.Rev):
		invalid = wire.NewError(wire.CodeMethodNotFound, "the tool "+p.Name+" cannot run as a task")
	case tool.Task == feature.TaskNever || !wants && !tool.TaskRequired:
		return nil, false, nil
	case !wants:
		invalid = needsTask(p.Name, w.Rev)
	}
	reply, err := t.create(w, tool, p, invalid)
	return reply, true, err
}

// needsTask refuses a call of a tool that runs as a task only.
func needsTask(name string, rev protocol.Revision) *wire.Error {
	switch {
	case era.IsModern(rev):
		return errNoTasks()
	case rev == era.NewestLegacy:
		return wire.NewError(wire.CodeMethodNotFound, "the tool "+name+" runs as a task only: send params.task")
	}
	return content.InvalidParams("/name: the tool %s runs as a task only, which needs revision %s or newer", name,
		era.NewestLegacy)
}

// errNoTasks is the answer to a request whose client has not declared the extension.
func errNoTasks() *wire.Error {
	required := protocol.ClientCapabilities{}
	required.Extensions.Set(ext.ID, content.EmptyObject)
	data := required.AppendJSON([]byte(`{"requiredCapabilities":`), era.OldestModern)
	return &wire.Error{
		Code:    protocol.CodeMissingRequiredClientCapability,
		Message: "the client does not have the extension " + ext.ID,
		Data:    append(data, '}'),
	}
}

// declaresTasks reports whether the client of a request of 2026-07-28 has the extension.
func declaresTasks(meta *protocol.RequestMetaObject) bool {
	if meta == nil || meta.ClientCapabilities == nil {
		return false
	}
	_, ok := meta.ClientCapabilities.Extensions.Get(ext.ID)
	return ok
}

// creation is the operation of a tool call that becomes a task: what may refuse the call and what asks first is that of
// every call, and then a record is made.
type creation struct {
	common pipeline.Use
	w      *handler
	t      *tasks
	tool   *feature.Tool
	asked  *protocol.CallToolRequestParams

	record  *task.Record       // nil until it is made
	refusal error              // why it could not be made
	failed  content.ToolResult // if the call was refused before
	checked []byte             // the arguments as middleware passes them on

	replied *protocol.CallToolResult // by middleware, in place of a task
}

func (op *creation) Use() *pipeline.Use { return &op.common }

func (op *creation) Absent() error { return pipeline.UnknownTool(op.common.Target) }

// create makes a task of a tool call, unless it is invalid, which only those learn who may know of the tool.
func (t *tasks) create(w *handler, tool *feature.Tool, p *protocol.CallToolRequestParams, invalid error) (
	protocol.CallToolReply, error) {
	op := &creation{w: w, t: t, tool: tool, asked: p, common: pipeline.Use{
		Guard: tool.Guard, Target: p.Name, Named: true, Meta: p.Meta, Invalid: invalid,
		Args: p.Arguments, Fresh: p.InputResponses, State: p.RequestState, Asks: true,
	}}
	if op.common.Args == nil {
		op.common.Args = content.EmptyObject
	}
	op.checked = op.common.Args
	next, err := w.pipeline.Perform(op)
	switch {
	case err != nil:
		return nil, err
	case next != nil:
		return next, nil
	case op.record == nil:
		return w.pipeline.ToolReply(&op.failed, op.replied), nil
	}
	return t.created(w.Rev, op.record), nil
}

func (op *creation) Run(c *call.Call) error {
	if check := op.tool.Check; check != nil {
		if err := check(op.checked); err != nil {
			return err
		}
	}
	meta, err := keptMeta(c)
	if err != nil {
		return err
	}
	who := c.Caller()
	r := &task.Record{
		Head: task.Head{
			Principal: principalOf(c), Revision: c.Revision().String(), Tool: op.asked.Name,
			Subject: who.Subject, Scopes: who.Scopes, Roles: who.Roles, Restart: op.tool.Task == feature.TaskRestart,
		},
		Body: task.Body{Args: op.common.Args, Meta: meta, Answers: call.Answers(c)},
	}
	ttl := op.t.engine.Options.TTL
	if asked := op.asked.Task; asked != nil && c.Revision() == era.NewestLegacy && asked.TTL != nil && *asked.TTL > 0 {
		ttl = max(min(ttl, time.Duration(min(*asked.TTL, ttl.Milliseconds()))*time.Millisecond), time.Second)
	}
	if err := op.t.engine.Create(c, r, ttl); err != nil {
		op.t.refused(err)
		op.refusal = op.t.failure(err)
		return op.refusal
	}
	op.record = r
	return nil
}

func (op *creation) Conclude(call *call.Call, err error) error {
	if err == nil && (op.replied == nil || op.record == nil) {
		return nil
	}
	if op.record != nil { // middleware failed after it was made, or has another result
		_, _ = op.t.engine.Cancel(context.WithoutCancel(call), op.record.ID)
		op.record = nil
	}
	if err == nil {
		return nil
	}
	op.replied = nil
	if op.refusal != nil { // no failure of the tool
		return op.refusal
	}
	op.failed, err = op.w.pipeline.FailedTool(call, err)
	return err
}

// holdBody counts what the call of a request about a task holds before its body is read, if that has what clients are
// told. It waits its turn.
func holdBody(c *call.Call, h *task.Head) error {
	if h.Size <= call.SmallValue || !tellsBody(h) {
		return nil
	}
	return c.Hold(h.Size, true)
}
