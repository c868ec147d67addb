package engine

import (
	"sync"

	"github.com/mcpgen/mcpgen/mcp/wire"
)

const (
	// maxBatchBytes bounds the responses of a batch that wait for each other. A single one may be larger.
	maxBatchBytes = 32 << 20
	// smallBatch is up to which size they are not counted.
	smallBatch = 16 << 10
)

// Errors of requests of a batch that do not begin.
var (
	ErrBatchFull = wire.NewError(wire.CodeInternal,
		"the responses of the batch are too large: send the request in a batch of its own")
	ErrLeft = wire.NewError(wire.CodeInternal, "the client had left before the request began: send it again")
)

// Batch collects the responses to one JSON-RPC batch. They leave as one array when all are there. What is collected is
// bounded: the response that is too much, and those that come after it, are errors in their place.
type Batch struct {
	via Responder

	mu     sync.Mutex
	open   int // items that are not done
	sent   bool
	frames []byte
	parts  []itemResponse // of frames
	full   bool           // a response was too much
}

// itemResponse is one response, which ends in frames before an offset.
type itemResponse struct {
	end int
	of  Request // nil if nothing can cancel it
}

// NewBatch returns a batch of n items whose responses leave through via.
func NewBatch(via Responder, n int) *Batch {
	return &Batch{via: via, open: n, frames: []byte{'['}}
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
	if !b.hasRoomLocked(len(frame) + 1) {
		b.full = true
		raw, _ := wire.Lookup(frame, "id")
		d := wire.NewDecoder(raw)
		frame = wire.AppendError(nil, d.ID(), true, ErrBatchFull)
	}
	b.frames = append(append(b.frames, frame...), ',')
	b.parts = append(b.parts, itemResponse{len(b.frames), of})
}

// hasRoomLocked makes room for n more bytes. It is false if there is none.
func (b *Batch) hasRoomLocked(n int) bool {
	need := len(b.frames) + n
	switch {
	case b.full, need > maxBatchBytes && len(b.parts) > 0:
		return false
	case need <= cap(b.frames), need <= smallBatch:
		return true
	}
	size := max(need, min(2*cap(b.frames), maxBatchBytes))
	if r, ok := b.via.(Reserver); ok && !r.Reserve(size) {
		if size = need; !r.Reserve(size) {
			return false
		}
	}
	b.frames = append(make([]byte, 0, size), b.frames...)
	return true
}

// Refusal returns why no further request of the batch begins: its client has left, or takes up too much room already;
// nil if one may.
func (b *Batch) Refusal() *wire.Error {
	if r, ok := b.via.(Reserver); ok && r.HasLeft() {
		return ErrLeft
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.full {
		return ErrBatchFull
	}
	return nil
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
