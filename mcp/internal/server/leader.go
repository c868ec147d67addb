package server

import (
	"bytes"
	"errors"
	"io"

	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/counters"
	"github.com/mcpgen/mcpgen/mcp/internal/engine"
	"github.com/mcpgen/mcpgen/mcp/transport"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// leader is the worker of a goroutine that reads a connection: it reads a message, handles it, and reads on unless
// another leader was started meanwhile.
type leader struct {
	worker
	from     *connection
	in       []byte // buffer, kept from message to message
	returned bool   // run has returned; false while the goroutine is torn down by runtime.Goexit
}

// pendingItem is a message of a batch that is still to be handled.
type pendingItem struct {
	text      []byte
	batch     *engine.Batch
	responder *call.BatchItem
}

func newLeader(c *connection) *leader {
	return &leader{from: c, worker: worker{c: &c.conn, responder: c, lease: &c.lease, leads: true}}
}

// run leads until input ends or another leader was started.
func (l *leader) run() {
	defer l.exit()
	for l.leads && l.step() {
	}
	l.returned = true
}

// exit starts another leader if a handler has ended this goroutine.
func (l *leader) exit() {
	if !l.returned && l.leads {
		l.from.lease.Lead()
	}
}

// step handles the next message and reports whether there may be more.
func (l *leader) step() bool {
	if len(l.from.pending) > 0 {
		l.nextItem()
		return true
	}
	text, err := l.from.t.ReadMessage(l.in)
	l.in = text[:0]
	lost, survives := errors.AsType[*transport.MessageError](err)
	if err != nil && !survives {
		l.inputEnded(err)
		return false
	}
	if !l.c.Calls.Accept(1) {
		return false
	}
	defer l.c.Calls.Handled()
	l.number = counters.MethodInvalid // until it is known
	switch {
	case err != nil:
		l.refuse(wire.ID{}, false, lost.Err)
		return true
	case wire.IsBatch(text):
		l.openBatch(text)
	default:
		m, bad := wire.ParseMessage(text, engine.Limits)
		l.handle(text, &m, bad)
	}
	if cap(l.in) > maxSpare {
		l.in = nil
		l.params.ResetParams(nil, nil)
	}
	return true
}

// inputEnded records why nothing more can be read from the connection.
func (l *leader) inputEnded(err error) {
	switch {
	case errors.Is(err, io.EOF):
		err = nil
	case errors.Is(err, transport.ErrClosed):
		err = l.from.whyClosed()
	}
	l.c.end(err)
}

// openBatch makes the items of a batch the next messages. Only one revision has batches, so
// nothing that an item could say may bring one about.
func (l *leader) openBatch(text []byte) {
	texts, bad := l.splitBatch(text)
	if bad != nil {
		l.refuse(wire.ID{}, false, bad)
		return
	}
	// The items outlive the buffer: another leader may handle them.
	b := engine.NewBatch(l.from, len(texts))
	for _, t := range texts {
		l.from.pending = append(l.from.pending, pendingItem{bytes.Clone(t), b, call.NewBatchItem(b, l.from)})
	}
	l.c.Calls.AcceptMore(len(texts))
}

// nextItem handles the next item of the batch being read.
func (l *leader) nextItem() {
	item := l.from.pending[0]
	l.from.pending = l.from.pending[1:]
	defer l.c.Calls.Handled()
	defer item.responder.Discard()
	l.responder, l.inBatch = item.responder, true
	m, bad := wire.ParseChecked(item.text)
	l.handleItem(item.batch, item.text, &m, bad)
	l.responder, l.inBatch = l.from, false
}
