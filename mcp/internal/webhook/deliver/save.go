package deliver

import (
	"context"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp/event"
)

// batch is how many subscriptions are saved at once.
const batch = 256

// saver writes the progress of subscriptions to the store. The lock of the engine, mu, guards the fields below it.
type saver struct {
	run        *running
	store      event.Store
	queue      *queue
	dropLocked func(*sub)    // forgets a subscription that has another owner
	wanted     chan struct{} // gets a signal when something is to be saved

	mu    *sync.Mutex
	dirty map[*sub]struct{}
}

func newSaver(mu *sync.Mutex, run *running, store event.Store, q *queue) *saver {
	return &saver{run: run, store: store, queue: q, wanted: make(chan struct{}, 1), mu: mu, dirty: map[*sub]struct{}{}}
}

// dirtyLocked notes that the progress of a subscription has to be saved.
func (v *saver) dirtyLocked(s *sub) {
	v.dirty[s] = struct{}{}
	signal(v.wanted)
}

// forgetLocked undoes dirtyLocked.
func (v *saver) forgetLocked(s *sub) { delete(v.dirty, s) }

// loop saves what is dirty, as fast as the store takes it.
func (v *saver) loop() {
	for v.run.wait(v.wanted, 0) {
		for {
			more, err := v.once(v.run.life)
			if err != nil && !v.run.wait(nil, time.Second) {
				return
			}
			if err == nil && !more {
				break
			}
		}
	}
}

// all saves what is dirty now, unless the store fails.
func (v *saver) all(ctx context.Context) {
	for more, err := v.once(ctx); more && err == nil; {
		more, err = v.once(ctx)
	}
}

// snapshot is the progress of a subscription while it is being saved.
type snapshot struct {
	s       *sub
	p       *event.Progress
	unsaved int // window.unsaved when p was made
}

// once makes one call of the store: it saves the progress of dirty subscriptions, as many as are saved at once. more
// says that others are dirty still. The error is that of the store.
func (v *saver) once(ctx context.Context) (more bool, err error) {
	v.mu.Lock()
	taken, progress := v.takeLocked()
	v.mu.Unlock()
	if len(taken) == 0 {
		return false, nil
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	refused, err := v.store.Save(ctx, progress)
	if err != nil {
		v.run.complain("the store of subscriptions fails", err)
	}
	not := make(map[string]bool, len(refused))
	for _, id := range refused {
		not[id] = true
	}
	var dropped []string
	v.mu.Lock()
	defer func() { v.run.forget(dropped) }()
	defer v.mu.Unlock()
	for _, t := range taken {
		switch {
		case t.s.gone:
		case err != nil:
			v.dirty[t.s] = struct{}{}
		case not[t.s.def.ID]: // another replica has its shard, or it was ended and created again
			dropped = append(dropped, t.s.def.ID)
			v.dropLocked(t.s)
		default:
			t.s.unsaved -= t.unsaved
			t.s.saved = t.p.At
			if t.s.more {
				v.queue.pushLocked(t.s)
			}
		}
	}
	return len(v.dirty) > 0, err
}

// takeLocked takes dirty subscriptions, as many as are saved at once, and clears their mark as dirty.
func (v *saver) takeLocked() (taken []snapshot, progress []*event.Progress) {
	for s := range v.dirty {
		if len(taken) == batch {
			break
		}
		delete(v.dirty, s)
		if !s.gone {
			taken = append(taken, snapshot{s, s.progress(), s.unsaved})
			progress = append(progress, taken[len(taken)-1].p)
		}
	}
	return taken, progress
}
