package deliver

import (
	"context"
	"time"

	"github.com/mcpgen/mcpgen/mcp/event"
)

// batch is how many subscriptions are saved at once.
const batch = 256

// dirtyLocked has the progress of a subscription saved.
func (e *Engine) dirtyLocked(s *sub) {
	e.dirty[s] = struct{}{}
	signal(e.saver)
}

// save saves what is dirty, as fast as the store takes it.
func (e *Engine) save() {
	for e.wait(e.saver, 0) {
		for {
			more, err := e.saveOnce(e.life)
			if err != nil && !e.wait(nil, time.Second) {
				return
			}
			if err == nil && !more {
				break
			}
		}
	}
}

// saveAll saves what is dirty now, unless the store fails.
func (e *Engine) saveAll(ctx context.Context) {
	for more, err := e.saveOnce(ctx); more && err == nil; {
		more, err = e.saveOnce(ctx)
	}
}

// snapshot is progress that is being saved.
type snapshot struct {
	s       *sub
	p       *event.Progress
	unsaved int
}

// saveOnce saves some of what is dirty, and reports whether there is more of it. The error is that of the store.
func (e *Engine) saveOnce(ctx context.Context) (more bool, err error) {
	var taken []snapshot
	var progress []*event.Progress
	e.mu.Lock()
	for s := range e.dirty {
		if len(taken) == batch {
			break
		}
		delete(e.dirty, s)
		if !s.gone {
			taken = append(taken, snapshot{s, s.progress(), s.unsaved})
			progress = append(progress, taken[len(taken)-1].p)
		}
	}
	e.mu.Unlock()
	if len(taken) == 0 {
		return false, nil
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	refused, err := e.store.Save(ctx, progress)
	if err != nil {
		e.complain("the store of subscriptions fails", err)
	}
	not := make(map[string]bool, len(refused))
	for _, id := range refused {
		not[id] = true
	}
	var dropped []string
	e.mu.Lock()
	defer func() { forget(e.host, dropped) }()
	defer e.mu.Unlock()
	for _, t := range taken {
		switch {
		case t.s.gone:
		case err != nil:
			e.dirty[t.s] = struct{}{}
		case not[t.s.def.ID]: // it has another owner, or another life
			dropped = append(dropped, t.s.def.ID)
			e.dropLocked(t.s)
		default:
			t.s.unsaved -= t.unsaved
			t.s.saved = t.p.At
			if t.s.more {
				e.pushLocked(t.s)
			}
		}
	}
	return len(e.dirty) > 0, err
}

// forget tells the host of subscriptions that are not read for any more, or not as before.
func forget(h event.Host, ids []string) {
	for _, id := range ids {
		h.Forget(id)
	}
}
