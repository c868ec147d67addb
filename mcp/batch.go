package mcp

import (
	"bytes"
	"sync"

	"github.com/mcpgen/mcpgen/mcp/wire"
)

// batch collects the answers to one JSON-RPC batch. They leave as one array when all are there.
type batch struct {
	c *conn

	mu     sync.Mutex
	left   int // elements that are not done
	frames []byte
}

// element is one message of a batch.
type element struct {
	text  []byte
	batch *batch
}

// openBatch makes the elements of a batch the next messages. Only one revision has batches, so
// nothing that an element could say may bring one about.
func (w *worker) openBatch(text []byte) {
	parts, bad := wire.SplitBatch(text, limits)
	if bad == nil && w.c.session() != batchRevision {
		bad = wire.NewError(wire.CodeInvalidRequest, "invalid request: the revision of this session has no batches")
	}
	if bad != nil {
		w.refuse(wire.ID{}, false, bad)
		return
	}
	// The elements outlive the buffer: another worker may handle them.
	b := &batch{c: w.c, left: len(parts), frames: []byte{'['}}
	for _, p := range parts {
		w.c.pending = append(w.c.pending, element{bytes.Clone(p), b})
	}
	w.c.expect(len(parts))
}

// expect counts n more messages as being handled.
func (c *conn) expect(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.busy += n
}

// nextElement handles the next element of the batch being read.
func (w *worker) nextElement() {
	e := w.c.pending[0]
	w.c.pending = w.c.pending[1:]
	defer w.c.handled()
	defer e.batch.done()
	w.batch = e.batch
	m, bad := wire.ParseChecked(e.text)
	w.handle(e.text, &m, bad)
	w.batch = nil
}

// add adds one response.
func (b *batch) add(frame []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.frames = append(append(b.frames, frame...), ',')
}

// done says that one element is done with. The last one sends the answers, if there are any.
func (b *batch) done() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.left--; b.left == 0 && len(b.frames) > 1 {
		b.c.send(wire.EndArray(b.frames))
	}
}
