package sse

import (
	"sync"

	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/eventlog"
)

// maxOwed is how many bytes of refusals may wait for the client of one stream.
const maxOwed = 16 << 10

// owedRefusals are the refusals that a session of HTTP+SSE sends in place of responses for which there is no room.
// Refusals are queued; their requests end at once and free their memory.
type owedRefusals struct {
	events *eventlog.Stream

	mu      sync.Mutex
	text    []byte // events
	writing bool   // a goroutine writes, until text is empty
}

// put queues an error response. If more than maxOwed bytes would wait, it ends the stream instead, and returns
// eventlog.ErrBudget.
func (o *owedRefusals) put(frame []byte) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.text)+len(frame) > maxOwed {
		o.events.Abort()
		return eventlog.ErrBudget
	}
	o.text = eventlog.AppendMessage(o.text, frame)
	if !o.writing {
		o.writing = true
		go o.write()
	}
	return nil
}

// write writes the queued events until none are left, or the stream has ended.
func (o *owedRefusals) write() {
	for {
		o.mu.Lock()
		text := o.text
		o.text = nil
		o.writing = len(text) > 0
		o.mu.Unlock()
		if len(text) == 0 || o.events.Raw(string(text)) != nil {
			return
		}
	}
}

// wait reports whether refusals still wait because the client has not read.
func (o *owedRefusals) wait() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.writing
}
