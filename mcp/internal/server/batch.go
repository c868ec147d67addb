package server

import (
	"bytes"
	"sync"

	"github.com/mcpgen/mcpgen/mcp/wire"
)

// batch collects the answers to one JSON-RPC batch. They leave as one array when all are there.
type batch struct {
	c    *conn
	lane *lane // nil if the answers go through the conn

	mu     sync.Mutex
	left   int // parts that are not done
	sent   bool
	frames []byte
}

// part is one message of a batch.
type part struct {
	text  []byte
	batch *batch
	done  bool // guarded by batch.mu
}

// openBatch makes the parts of a batch the next messages. Only one revision has batches, so
// nothing that a part could say may bring one about.
func (w *worker) openBatch(text []byte) {
	texts, bad := w.splitBatch(text)
	if bad != nil {
		w.refuse(wire.ID{}, false, bad)
		return
	}
	// The parts outlive the buffer: another worker may handle them.
	b := &batch{c: w.c, left: len(texts), frames: []byte{'['}}
	for _, t := range texts {
		w.c.pending = append(w.c.pending, &part{text: bytes.Clone(t), batch: b})
	}
	w.c.expect(len(texts))
}

// splitBatch returns the messages of a batch, if the session may send one.
func (w *worker) splitBatch(text []byte) ([][]byte, *wire.Error) {
	texts, bad := wire.SplitBatch(text, limits)
	if bad == nil && w.c.session() != batchRevision {
		bad = wire.NewError(wire.CodeInvalidRequest, "invalid request: the revision of this session has no batches")
	}
	return texts, bad
}

// expect counts n more messages as being handled.
func (c *conn) expect(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.busy += n
}

// nextPart handles the next part of the batch being read.
func (w *worker) nextPart() {
	p := w.c.pending[0]
	w.c.pending = w.c.pending[1:]
	defer w.c.handled()
	defer p.finish()
	w.part = p
	m, bad := wire.ParseChecked(p.text)
	w.handle(p.text, &m, bad)
	w.part = nil
}

// add adds one response.
func (b *batch) add(frame []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.frames = append(append(b.frames, frame...), ',')
}

// finish says that p is done with: answered, cancelled, or not to be answered at all. The last
// part sends the answers, if there are any.
func (p *part) finish() {
	b := p.batch
	b.mu.Lock()
	defer b.mu.Unlock()
	if p.done {
		return
	}
	p.done = true
	if b.left--; b.left == 0 {
		b.sendLocked()
	}
}

// flush sends the answers without waiting for more.
func (b *batch) flush() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sendLocked()
}

func (b *batch) sendLocked() {
	if !b.sent && len(b.frames) > 1 {
		if frames := wire.EndArray(b.frames); b.lane != nil {
			b.lane.answer(frames, 0)
		} else {
			b.c.send(frames)
		}
	}
	b.sent = true
}
