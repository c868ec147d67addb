package shared

import (
	"context"
	"encoding/binary"
	"errors"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/internal/dev/failpoint"
	"github.com/mcpgen/mcpgen/mcp/internal/engine"
	"github.com/mcpgen/mcpgen/mcp/internal/relay"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/eventlog"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/limits"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/sessions"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/web"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// A response of the client to a request of the server may come to another process than the one that waits for it. It is
// forwarded, and sent again if the bus loses it. The client gets 202 only when the other process has confirmed it;
// otherwise it gets an error.
const (
	// forwardTimeout is how long the other process may take to confirm a response.
	forwardTimeout = 4 * time.Second
	// forwardAgain is the first pause before a response is sent again; each further one is twice as long.
	forwardAgain = 250 * time.Millisecond
	// maxForwards is how many responses may wait for other processes, maxClientForwards how many of one client, and
	// maxForward how many bytes one may have.
	maxForwards       = 1024
	maxClientForwards = 64
	maxForward        = 512 << 10
	// maxDelivering is how many messages of other processes are delivered at the same time; others are sent again.
	maxDelivering = 256
)

// The kinds of messages between processes, in their first byte. After it come eight bytes that identify the message,
// and 16 bytes with the key of the session. An acknowledgement has no key.
const (
	forwardResponse     = 'r' // the text of a response follows
	forwardNotification = 'n' // the text of a notification follows; it is not acknowledged
	forwardChange       = 'c' // the record of the session has changed
	forwardReceived     = 'k' // acknowledges the message with the same number
)

// forwarding has the messages of this process that others have not confirmed yet, and counts the messages of others
// that are being delivered here.
type forwarding struct {
	last       atomic.Uint64
	delivering atomic.Int64

	mu      sync.Mutex
	waiting map[uint64]chan struct{} // by number of the message; closed when it is confirmed; nil before the first
	of      map[*limits.Usage]int    // how many of these each client has
}

// await returns the number for a new message, and a channel that is closed when the message is confirmed. The wait
// counts for the client u until done is called. ok is false if too many messages wait already.
func (f *forwarding) await(u *limits.Usage) (number uint64, received chan struct{}, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.waiting) >= maxForwards || f.of[u] >= maxClientForwards && !u.IsUnknown() {
		return 0, nil, false
	}
	if f.waiting == nil {
		f.waiting, f.of = make(map[uint64]chan struct{}), make(map[*limits.Usage]int)
	}
	number, received = f.last.Add(1), make(chan struct{})
	f.waiting[number] = received
	f.of[u]++
	return number, received, true
}

// done ends the wait of u for the confirmation of a message.
func (f *forwarding) done(u *limits.Usage, number uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.waiting, number)
	if f.of[u]--; f.of[u] == 0 {
		delete(f.of, u)
	}
}

// arrived notes that the message with a number was confirmed.
func (f *forwarding) arrived(number uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if c := f.waiting[number]; c != nil {
		close(c)
		delete(f.waiting, number)
	}
}

// appendForward returns a message for another process. k is nil for an acknowledgement.
func appendForward(kind byte, number uint64, k *sessions.Key, text []byte) []byte {
	b := binary.BigEndian.AppendUint64([]byte{kind}, number)
	if k != nil {
		b = append(b, k[:]...)
	}
	return append(b, text...)
}

// receive takes a message of another process. It does not block. If too many messages are being delivered, it drops the
// message; the other process sends it again, unless it is a notification.
func (f *forwarding) receive(h *Replicas, from string, b []byte) {
	const head = 1 + 8
	if len(b) < head {
		return
	}
	kind, number := b[0], binary.BigEndian.Uint64(b[1:])
	if kind == forwardReceived {
		f.arrived(number)
		return
	}
	var k sessions.Key
	if len(b) < head+len(k) {
		return
	}
	text := b[head+copy(k[:], b[head:]):]
	if f.delivering.Add(1) > maxDelivering {
		f.delivering.Add(-1)
		return
	}
	go func() {
		defer f.delivering.Add(-1)
		if x := h.known(k.Text()); (x == nil || h.take(x, kind, text)) && kind != forwardNotification {
			_ = server.SendDirect(h.srv, from, appendForward(forwardReceived, number, nil, nil))
		}
	}()
}

// take does what another process asks for the session x. It returns false if that is not done, and so not confirmed.
func (h *Replicas) take(x *sessions.Session, kind byte, text []byte) bool {
	switch {
	case kind == forwardResponse:
		x.MCP.Answer(text) // false: it was withdrawn, or this is a copy
	case kind == forwardNotification:
		x.Streams().Notifications.Add(text)
	case kind == forwardChange && recordOf(x) != nil:
		if err := h.Store.reload(context.Background(), x, -1); err != nil {
			return errors.Is(err, errEnded)
		}
		h.Store.Apply(x)
	default:
		return false
	}
	return true
}

// asker returns the process that waits for the response with an id. It returns false if that is this process, or none.
func (h *Replicas) asker(id wire.ID) (replica string, ok bool) {
	if !h.ids.on() || !id.IsString() {
		return "", false
	}
	text := id.String()
	i := strings.LastIndexByte(text, '.')
	if i < replicaSize || text[:i] == h.ids.replica || len(text) > maxQuestionID ||
		failpoint.On("forward-answer-dropped") {
		return "", false
	}
	return text[:i], true
}

// maxQuestionID is the longest id of a request of the server.
const maxQuestionID = eventlog.MaxReplicaName + 20

// ForwardAll forwards the responses in a message for which other processes wait. It returns a refusal if one of them
// was not confirmed.
func (h *Replicas) ForwardAll(ctx context.Context, x *sessions.Session, e *session.Envelope) *web.Refusal {
	switch {
	case !h.ids.on():
		return nil
	case e.Batch:
		return h.forwardBatch(ctx, x, e)
	case e.Message.IsResponse():
		return h.forwardResponse(ctx, x, &e.Message, e.Text)
	}
	return nil
}

// forwardResponse forwards a response of the client of x to the process that waits for it. It returns nil if that
// process has confirmed it, or if no other process waits for it.
func (h *Replicas) forwardResponse(ctx context.Context, x *sessions.Session, m *wire.Message, text []byte,
) *web.Refusal {
	to, ok := h.asker(m.ID)
	if !ok {
		return nil
	}
	if !h.connected {
		return notReceived
	}
	if len(text) > maxForward {
		return web.NewRefusal(http.StatusRequestEntityTooLarge, "the response is too large for the replica that waits for it")
	}
	ctx, cancel := context.WithTimeout(ctx, forwardTimeout)
	defer cancel()
	if !h.deliver(ctx, to, forwardResponse, x, text) {
		return notReceived
	}
	return nil
}

// deliver sends a message about x to another process, again and again until it is confirmed. It returns false if ctx
// ends before, too many messages wait already, or the bus does not know the process.
func (h *Replicas) deliver(ctx context.Context, to string, kind byte, x *sessions.Session, text []byte) bool {
	number, received, ok := h.forwards.await(x.Usage)
	if !ok {
		return false
	}
	defer h.forwards.done(x.Usage, number)
	k := sessions.KeyOf(x.ID)
	message := appendForward(kind, number, &k, text)
	for pause := forwardAgain; ; pause *= 2 {
		if err := server.SendDirect(h.srv, to, message); errors.Is(err, relay.ErrOrigin) {
			return false
		} else if err == nil && failpoint.On("forward-not-awaited") {
			return true
		} // else it is sent again, also if there was no room
		t := time.NewTimer(pause)
		select {
		case <-received:
			t.Stop()
			return true
		case <-ctx.Done():
			t.Stop()
			return false
		case <-t.C:
		}
	}
}

// passOn sends a notification to the process that has the notification stream of x. It returns false if that is this
// process, or the notification could not be sent.
func (s *Store) passOn(x *sessions.Session, frame []byte) bool {
	r, _, _ := recordOf(x).get()
	if !s.of.connected || r.holder == "" || r.holder == s.of.ids.replica {
		return false
	}
	k := recordOf(x).key
	return server.SendDirect(s.of.srv, r.holder, appendForward(forwardNotification, 0, &k, frame)) == nil
}

// notReceived is the refusal of a response that no process has confirmed.
var notReceived = web.NewRefusal(http.StatusServiceUnavailable,
	"the replica that waits for the response cannot be reached")

// forwardBatch is forwardResponse for the responses in a batch.
func (h *Replicas) forwardBatch(ctx context.Context, x *sessions.Session, e *session.Envelope) *web.Refusal {
	texts, bad := wire.SplitBatch(e.Text, engine.Limits)
	if bad != nil {
		return nil // the session answers a malformed batch
	}
	for _, text := range texts {
		m, bad := wire.ParseChecked(text)
		if bad != nil || !m.IsResponse() {
			continue
		}
		if why := h.forwardResponse(ctx, x, &m, text); why != nil {
			return why
		}
	}
	return nil
}
