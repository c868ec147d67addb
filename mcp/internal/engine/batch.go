package engine

import (
	"slices"
	"sync"

	"github.com/mcpgen/mcpgen/mcp/wire"
)

const (
	// maxBatchBytes bounds the frames of a batch that wait for each other. A single one may be larger.
	maxBatchBytes = 32 << 20
	// smallBatch is the size of all responses together, in bytes, up to which they are not counted.
	smallBatch = 16 << 10
	// smallItem is the size of a single response, in bytes, up to which it is not counted: an error in its place would not
	// be smaller.
	smallItem = 256
)

// Errors of requests of a batch that do not begin. ErrBatchFull also takes the place of a response that is too large.
var (
	ErrBatchFull = wire.NewError(wire.CodeInternal,
		"the responses of the batch are too large: send the request in a batch of its own")
	ErrLeft = wire.NewError(wire.CodeInternal, "the client had left before the request began: send it again")
)

// Batch collects the responses to one JSON-RPC batch. They are sent as one array when all are there. Their size is
// bounded: a response that exceeds it becomes an error.
type Batch struct {
	via Responder

	first sync.Mutex // held while a request waits for room, as only the first one may

	mu      sync.Mutex
	open    int // items that are not done
	sent    bool
	frames  []byte
	parts   []itemResponse // of frames
	large   Large          // of all of them
	counted int64          // bytes that are counted for frames; large.Held has them too
	taken   int64          // bytes that its requests have taken from batchRoom and not given back
}

// itemResponse is one response. end is the offset in frames behind the response and its comma.
type itemResponse struct {
	end int
	of  Request // nil if nothing can cancel it
}

// NewBatch returns a batch of n items. Their responses are written to out.
func NewBatch(out Responder, n int) *Batch {
	return &Batch{via: out, open: n, frames: []byte{'['}}
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
	large := largeOf(of)
	if !b.hasRoomLocked(len(frame) + 1) {
		raw, _ := wire.Lookup(frame, "id")
		d := wire.NewDecoder(raw)
		frame, large = wire.AppendError(nil, d.ID(), true, ErrBatchFull), nil
	}
	if large != nil {
		for _, in := range large.Inserts {
			in.At += len(b.frames)
			b.large.Inserts = append(b.large.Inserts, in)
		}
		b.large.Held += large.Held // from here on it is ours to give back
		large.Held = 0
	}
	b.frames = append(append(b.frames, frame...), ',')
	b.parts = append(b.parts, itemResponse{len(b.frames), of})
}

// hasRoomLocked makes room for n more bytes. It returns false if there is none.
func (b *Batch) hasRoomLocked(n int) bool {
	need := len(b.frames) + n
	switch {
	case need > maxBatchBytes && len(b.parts) > 0:
		return false
	case need <= cap(b.frames), need <= smallBatch, n <= smallItem:
		return true
	}
	size := max(need, min(2*cap(b.frames), maxBatchBytes))
	if room := b.via.Room(); room != nil {
		if !room.Take(int64(size) - b.counted) {
			if size = need; !room.Take(int64(size) - b.counted) {
				return false
			}
		}
		b.large.Held += int64(size) - b.counted
		b.counted = int64(size)
	}
	b.frames = append(make([]byte, 0, size), b.frames...)
	return true
}

// Room implements [Responder].
func (i *BatchItem) Room() Room {
	if i.batch.via.Room() == nil {
		return nil
	}
	return (*batchRoom)(i.batch)
}

// batchRoom is the [Room] of the requests of a batch. The bytes that a request takes are given back only when the
// responses of the whole batch are written. So once a request of the batch has taken bytes, no other request of it
// waits for room: it might wait for its own batch.
type batchRoom Batch

// Take implements [Room].
func (b *batchRoom) Take(n int64) bool {
	if !b.via.Room().Take(n) {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.taken += n
	return true
}

// Await implements [Room].
func (b *batchRoom) Await(n int64, ended <-chan struct{}) bool {
	b.first.Lock()
	defer b.first.Unlock()
	b.mu.Lock()
	alone := b.taken == 0 && b.counted == 0
	b.mu.Unlock()
	if !alone {
		return b.Take(n)
	}
	if !b.via.Room().Await(n, ended) {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.taken += n
	return true
}

// Give implements [Room].
func (b *batchRoom) Give(n int64) {
	b.via.Room().Give(n)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.taken -= n
}

// Refusal returns why no further request of the batch may begin: its client has left, or there is no room even for an
// error. It returns nil if a further request may begin.
func (b *Batch) Refusal() *wire.Error {
	if l, ok := b.via.(Leaver); ok && l.HasLeft() {
		return ErrLeft
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.frames) >= maxBatchBytes {
		return ErrBatchFull
	}
	return nil
}

// finishLocked counts the item as done. The last item sends the responses; flush is that of sendLocked.
func (i *BatchItem) finishLocked(flush bool) {
	if i.done {
		return
	}
	i.done = true
	if i.batch.open--; i.batch.open == 0 {
		i.batch.sendLocked(flush)
	}
}

// sendLocked writes the responses, unless there are none or they were written before. If flush is true, they are sent
// at once, because a handler may still run.
func (b *Batch) sendLocked(flush bool) {
	if b.sent {
		return
	}
	b.sent = true
	if len(b.parts) == 0 {
		return
	}
	defer func() {
		if b.large.Held > 0 {
			b.via.Room().Give(b.large.Held)
		}
		b.frames, b.parts, b.large, b.counted = nil, nil, Large{}, 0
	}()
	frames := wire.EndArray(b.frames)
	if flush {
		b.via.RespondNow(frames, 0, (*responses)(b))
	} else {
		b.via.Respond(frames, 0, (*responses)(b))
	}
}

// responses is a [Batch] as the [Request] whose response is the array.
type responses Batch

// Running implements [Request].
func (b *responses) Running() bool { return true }

// Commit implements [Request]. The batch is locked. It overwrites the responses of requests that were cancelled
// meanwhile, and their commas, with white space.
func (b *responses) Commit(frame []byte) bool {
	begin, comma, last := 1, 0, len(b.parts)-1 // comma: that behind the last response that stays
	for i, p := range b.parts {
		response, separator, from := frame[begin:p.end-1], p.end-1, begin
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
		b.large.Inserts = slices.DeleteFunc(b.large.Inserts, func(in wire.Insert) bool {
			return from <= in.At && in.At < separator
		})
	}
	return comma > 0
}

// Large implements [Request].
func (b *responses) Large() *Large {
	if b.large.Held == 0 {
		return nil
	}
	b.large.Frame = true // a part of the frame that Held does not count is small
	return &b.large
}

// blank overwrites b with spaces.
func blank(b []byte) {
	for i := range b {
		b[i] = ' '
	}
}
