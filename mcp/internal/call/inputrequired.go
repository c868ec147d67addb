package call

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// ErrInputRequired is the error of a question that a client of 2026-07-28 has not answered yet. The handler should
// return it, wrapped or not; the client gets the question whatever the handler returns.
var ErrInputRequired = errors.New("mcp: the client has to be asked first")

// inputRetry holds the questions of one run of a handler in 2026-07-28: what the client has answered so far, and what
// it is asked next (basic/patterns/mrtr). The server keeps nothing between runs: the client sends earlier answers back,
// sealed in the request state.
type inputRetry struct {
	mu    sync.Mutex
	known wire.Map[json.RawMessage]       // answers of earlier requests, and those used in this one
	fresh json.RawMessage                 // the object of the answers sent with this request; its values are not checked
	asked wire.Map[protocol.InputRequest] // not answered yet
	fault error                           // an answer that does not fit, or a state that was used
	use   *stateUse
}

// Resume gives the call what the client has sent with its repeated request: the answers, which are the object fresh,
// and the state. The state is valid only for the same method and the same args. For a state that is not valid, the
// error is [ErrState].
func (c *Call) Resume(method, args []byte, fresh json.RawMessage, state *string) error {
	if !era.IsModern(c.rev) || fresh == nil && state == nil {
		return nil
	}
	shared := c.req.Conn.Shared
	r := &inputRetry{fresh: fresh}
	if shared.UseState.Load() != nil && c.Task() == nil { // the answers of a task come from its record
		if state == nil {
			return nil // an answer without its state could be sent again and again: the client is asked
		}
		r.use = &stateUse{state: *state}
	}
	if state != nil {
		known, err := shared.openState(*state, c.statePurpose(method, args), time.Now())
		if err != nil {
			return err
		}
		r.known = known
	}
	c.mu.Lock()
	c.extraLocked().retry = r
	c.mu.Unlock()
	return nil
}

// askByRetry gives questions the answers that have come. For the others, the response to the request asks the client.
func (c *Call) askByRetry(questions []Question) error {
	c.mu.Lock()
	more := c.extraLocked()
	if more.retry == nil {
		more.retry = new(inputRetry)
	}
	r := more.retry
	c.mu.Unlock()

	if r.hasAll(questions) {
		if err := r.use.take(c); err != nil {
			r.fail(err)
			return err
		}
	}
	find := r.find
	if c.Task() != nil {
		find = r.findForTask
	}
	var open error
	for _, q := range questions {
		key, found := find(q)
		if found {
			continue
		}
		request, err := q.request(c.rev)
		if err != nil {
			return err
		}
		r.ask(key, request)
		open = ErrInputRequired
	}
	if open != nil && r.tooLarge() {
		return errStateTooLarge
	}
	return open
}

// MaxState is the largest size of the answers in a request state, as JSON. Sealing and encoding make them larger, and
// the request of the client that carries them has other members too.
const MaxState = 1 << 20

// errStateTooLarge is the error for a handler that asks more when the answers so far exceed MaxState.
var errStateTooLarge = content.Errorf("the answers so far are too large to ask for more")

// tooLarge reports whether the answers so far exceed MaxState. Then nothing more is asked.
func (r *inputRetry) tooLarge() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(wire.AppendMap(nil, r.known, wire.AppendAny)) <= MaxState {
		return false
	}
	r.asked = nil
	return true
}

// ask adds a question to those that the response asks the client.
func (r *inputRetry) ask(key string, request protocol.InputRequest) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked.Set(key, request)
}

// answer returns the answer to the question with a key, if there is one.
func (r *inputRetry) answer(key string) (answer json.RawMessage, found bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if answer, found = r.known.Get(key); found {
		return answer, true
	}
	if answer, found = wire.Lookup(r.fresh, key); found {
		r.known.Set(key, answer)
	}
	return answer, found
}

// hasAll reports whether no question is open.
func (r *inputRetry) hasAll(questions []Question) bool {
	for _, q := range questions {
		if _, found := r.answer(q.base().key); !found {
			return false
		}
	}
	return true
}

// fail sets the error of the response. Only the first one counts.
func (r *inputRetry) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fault == nil {
		r.fault = err
	}
}

// find gives a question its answer, if there is one. Otherwise the client is to be asked under the returned key. An
// answer that does not fit the question makes the request fail. It may run code of the user, so no lock is held.
func (r *inputRetry) find(q Question) (key string, found bool) {
	b := q.base()
	answer, found := r.answer(b.key)
	if !found {
		return b.key, false
	}
	b.err = take(q, answer, era.OldestModern)
	if unfit, ok := errors.AsType[*AnswerError](b.err); ok {
		r.fail(content.InvalidParams("/inputResponses/%s%s", pointerStep(b.key), pointerRest(unfit.err)))
	}
	return b.key, true
}

// maxUnfit is how many unfit answers to one question of a task the client may send before the handler gets the
// [AnswerError].
const maxUnfit = 8

// findForTask is find for a question of a task. There is no request left that could fail, so the client is asked again
// after an answer that does not fit. That needs a new key, because a task uses each key once; taskKey keeps such keys
// apart from those of the handler.
func (r *inputRetry) findForTask(q Question) (key string, found bool) {
	b := q.base()
	first := taskKey(b.key)
	key = first
	for n := 2; ; n++ {
		answer, found := r.answer(key)
		if !found {
			return key, false
		}
		b.err = take(q, answer, era.OldestModern)
		if _, unfit := errors.AsType[*AnswerError](b.err); !unfit || n > maxUnfit {
			return key, true
		}
		key = first + "~" + strconv.Itoa(n)
	}
}

// taskKey returns the form in which clients see a key that the handler of a task has chosen. Tildes of the key are
// doubled, because a single one stands before the number of a repeated question.
func taskKey(key string) string { return strings.ReplaceAll(key, "~", "~~") }

// pointerStep returns name as a step of a JSON pointer.
func pointerStep(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}

// pointerRest returns the text of an error, to follow a JSON pointer to the answer.
func pointerRest(err error) string {
	if at, ok := errors.AsType[*wire.DecodeError](err); ok && at.Pointer != "" {
		return at.Error()
	}
	return ": " + err.Error()
}

// Outcome returns the response to a request whose handler has asked something: what the client must answer next, or an
// error about the answers that it has sent. Both are nil if the handler has all answers that it asked for.
func (c *Call) Outcome(method, args []byte) (*protocol.InputRequiredResult, error) {
	c.mu.Lock()
	more := c.extra
	c.mu.Unlock()
	if more == nil || more.retry == nil || !era.IsModern(c.rev) {
		return nil, nil
	}
	r := more.retry
	asks, fault := r.goesOn()
	if !asks && fault == nil {
		return nil, nil
	}
	r.use.end()
	if fault != nil {
		return nil, fault
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	s := c.req.Conn.Shared
	state := s.sealState(r.known, c.statePurpose(method, args), time.Now().Add(s.AskTimeout))
	return &protocol.InputRequiredResult{
		ResultType: protocol.ResultTypeInputRequired, InputRequests: r.asked, RequestState: &state, Meta: s.ResultMeta(c.rev),
	}, nil
}

// goesOn reports whether the client has to be asked more. fault is what was wrong with the answers that it has sent.
func (r *inputRetry) goesOn() (asks bool, fault error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.asked) > 0, r.fault
}

// Answers returns the answers that the client has sent before the task began, as a JSON object; nil if there are none.
func Answers(c *Call) []byte {
	c = c.Own()
	c.mu.Lock()
	more := c.extra
	c.mu.Unlock()
	if more == nil || more.retry == nil {
		return nil
	}
	more.retry.mu.Lock()
	defer more.retry.mu.Unlock()
	if len(more.retry.known) == 0 {
		return nil
	}
	known := slices.Clone(more.retry.known)
	for i := range known {
		known[i].Name = taskKey(known[i].Name)
	}
	return wire.AppendMap(nil, known, wire.AppendAny)
}
