package engine

import (
	"sync"

	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Batch collects the responses to one JSON-RPC batch. They leave as one array when all are there.
type Batch struct {
	via Responder

	mu     sync.Mutex
	open   int // items that are not done
	sent   bool
	frames []byte
	parts  []part // of frames
}

// part is one response, which ends in frames before an offset.
type part struct {
	end int
	of  Request // nil if nothing can cancel it
}

// NewBatch returns a batch of n items whose responses leave through via.
func NewBatch(via Responder, n int) *Batch {
	return &Batch{via: via, open: n, frames: []byte{'['}}
}

// maxBatchBytes limits the responses of one batch, in bytes; a batch has no less than its first response. Nothing is
// sent before all are there, so that a short batch could fill the memory.
const maxBatchBytes = 32 << 20

// errBatchFull is the response in place of one that would be too much.
var errBatchFull = wire.NewError(wire.CodeInternal, "too many bytes in the responses of the batch: send requests alone")

// Left reports whether the client has left and nobody will get the responses.
func (b *Batch) Left() bool {
	x, ok := b.via.(interface{ Left() bool })
	return ok && x.Left()
}

// BatchItem is the [Responder] of one message of a batch. Make one with [Batch.Item].
type BatchItem struct {
	batch *Batch
	done  bool // guarded by batch.mu
}

// Item returns the responder of one of the messages.
func (b *Batch) Item() BatchItem { return BatchItem{batch: b} }

// Notify implements [Responder]: what precedes the responses does not wait for them.
func (i *BatchItem) Notify(frame []byte, of Request) error { return i.batch.via.Notify(frame, of) }

// Wait implements [Responder].
func (i *BatchItem) Wait() (gone <-chan struct{}, resume func(), err error) {
	return i.batch.via.Wait()
}

// Ordered implements [Responder]: responses wait for each other.
func (i *BatchItem) Ordered() bool { return false }

// Respond implements [Responder]. Discard follows once the message is done with.
func (i *BatchItem) Respond(frame []byte, _ int, of Request) []byte {
	i.batch.mu.Lock()
	defer i.batch.mu.Unlock()
	i.addLocked(frame, of)
	return frame
}

// RespondNow implements [Responder].
func (i *BatchItem) RespondNow(frame []byte, _ int, of Request) {
	i.batch.mu.Lock()
	defer i.batch.mu.Unlock()
	i.addLocked(frame, of)
	i.finishLocked(true)
}

// Discard implements [Responder]. The last item of the batch sends the responses, if there are any.
func (i *BatchItem) Discard() {
	i.batch.mu.Lock()
	defer i.batch.mu.Unlock()
	i.finishLocked(false)
}

// Flush implements [Responder].
func (i *BatchItem) Flush() {
	i.batch.mu.Lock()
	defer i.batch.mu.Unlock()
	i.batch.sendLocked(true)
}

func (i *BatchItem) addLocked(frame []byte, of Request) {
	b := i.batch
	if b.sent {
		return
	}
	if len(b.parts) > 0 && len(b.frames)+len(frame) > maxBatchBytes {
		m, _ := wire.ParseMessage(frame, Limits) // our own text
		frame = wire.AppendError(nil, m.ID, false, errBatchFull)
	}
	b.frames = append(append(b.frames, frame...), ',')
	b.parts = append(b.parts, part{len(b.frames), of})
}

// finishLocked counts the item as done. now says that its handler may still be running.
func (i *BatchItem) finishLocked(now bool) {
	if i.done {
		return
	}
	i.done = true
	if i.batch.open--; i.batch.open == 0 {
		i.batch.sendLocked(now)
	}
}

// sendLocked writes the responses once, unless there are none.
func (b *Batch) sendLocked(now bool) {
	if b.sent {
		return
	}
	b.sent = true
	if len(b.parts) == 0 {
		return
	}
	frames := wire.EndArray(b.frames)
	if now {
		b.via.RespondNow(frames, 0, (*responses)(b))
	} else {
		b.via.Respond(frames, 0, (*responses)(b))
	}
}

// responses is a [Batch] as the [Request] that its array answers.
type responses Batch

// Running implements [Request].
func (b *responses) Running() bool { return true }

// Commit implements [Request]. The batch is locked. Responses to what was cancelled after they had come are made white
// space, with the commas that separate them.
func (b *responses) Commit(frame []byte) bool {
	begin, comma, last := 1, 0, len(b.parts)-1 // comma: that behind the last response that stays
	for i, p := range b.parts {
		response, separator := frame[begin:p.end-1], p.end-1
		begin = p.end
		switch {
		case commits(p.of, response):
			comma = separator
			continue
		case i < last:
			frame[separator] = ' '
		case comma > 0:
			frame[comma] = ' '
		}
		blank(response)
	}
	return comma > 0
}

// blank makes b white space.
func blank(b []byte) {
	for i := range b {
		b[i] = ' '
	}
}
