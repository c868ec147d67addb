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
func (i *BatchItem) Respond(frame []byte, _ int) []byte {
	i.batch.mu.Lock()
	defer i.batch.mu.Unlock()
	i.addLocked(frame)
	return frame
}

// RespondNow implements [Responder].
func (i *BatchItem) RespondNow(frame []byte, _ int) {
	i.batch.mu.Lock()
	defer i.batch.mu.Unlock()
	i.addLocked(frame)
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

func (i *BatchItem) addLocked(frame []byte) {
	i.batch.frames = append(append(i.batch.frames, frame...), ',')
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
	if !b.sent && len(b.frames) > 1 {
		if frames := wire.EndArray(b.frames); now {
			b.via.RespondNow(frames, 0)
		} else {
			b.via.Respond(frames, 0)
		}
	}
	b.sent = true
}
