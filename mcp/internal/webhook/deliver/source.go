package deliver

import (
	"context"

	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/internal/webhook/rights"
)

// source reads events with the present rights of principals. It is safe for concurrent use.
type source struct {
	run    *running
	rights *rights.Book[*sub]
}

// read reads at most limit events for a subscription. sure is false if there is something to send but the present
// rights of its principal are not known: then nothing may be sent before the program has told them. Errors are logged.
func (r *source) read(def *event.Subscription, after event.Position, limit int) (b event.Batch, sure bool, err error) {
	by := readerOf(def)
	by.Caller, sure = r.rights.Known(def.Caller)
	ctx, cancel := context.WithTimeout(r.run.life, patience)
	defer cancel()
	b, err = r.run.host.Read(ctx, by, after, limit)
	if err != nil {
		r.run.complain("a webhook cannot read events", err)
	}
	return b, sure || err != nil || len(b.Events) == 0 && b.Ended == nil, err
}

// watch asks the host to look for events that a subscription matches, and reports whether it does.
func (r *source) watch(s *sub, def *event.Subscription) bool {
	return r.run.host.Watch(readerOf(def), s)
}

func readerOf(s *event.Subscription) *event.Reader {
	return &event.Reader{ID: s.ID, Name: s.Name, Arguments: s.Arguments, Caller: s.Caller, Schema: s.Schema}
}
