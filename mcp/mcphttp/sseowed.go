package mcphttp

import (
	"sync"

	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/eventlog"
)

// maxOwed is how many bytes of refusals wait for the client of one stream.
const maxOwed = 16 << 10

// owedAnswers are the refusals that a session of HTTP+SSE sends in place of responses for which there is no room. They
// wait while the client does not read, and their requests do not: those hold what there is no room for.
type owedAnswers struct {
	events *eventlog.Stream

	mu      sync.Mutex
	text    []byte // events
	writing bool   // a goroutine writes, until text is empty
}

// put sends an answer soon. A client that lets too many of them wait loses its stream.
func (o *owedAnswers) put(frame []byte) error {
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

// write writes what waits.
func (o *owedAnswers) write() {
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

// wait reports whether the client has not read yet what it is owed.
func (o *owedAnswers) wait() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.writing
}
