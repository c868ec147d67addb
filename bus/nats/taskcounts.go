package natsbus

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/mcp/task"
)

// What each principal has is counted under c.PRINCIPAL, and what all have under n.all, so that creating a task looks at
// no other one. A task counts before it is written, and no more after it was removed. So a process that dies meanwhile
// leaves too much; and what is created or removed at the moment of a recount may be missing until the next one.
// Whatever a limit refuses is counted anew at the next look for expired tasks, and so is what a count has corrected,
// until it finds nothing to correct. Everything is counted once in an hour. When that was is the time of the message
// under n.at.
const (
	counts    = "c."
	countsAll = "n.all"
	countedAt = "n.at"
)

// maxTries is how often a counter is changed while others change it.
const maxTries = 64

// rounded is what a record counts for: whole steps, so that few changes of a record change a counter.
func rounded(size int64) int64 { return (size + task.Slack - 1) / task.Slack * task.Slack }

func holdingOf(h *task.Head) task.Holding {
	of := *h
	of.Size = rounded(h.Size)
	return of.Holding()
}

// counted returns a counter and its version, which is 0 if there is none.
func (t *Tasks) counted(
	ctx context.Context, stream jetstream.Stream, key string,
) (h task.Holding, version uint64, err error) {
	msg, err := stream.GetLastMsgForSubject(ctx, t.subject+key)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return h, 0, nil
	}
	if err != nil {
		return h, 0, t.failed(err)
	}
	if err := json.Unmarshal(msg.Data, &h); err != nil {
		return h, 0, t.failed(err)
	}
	return h, msg.Sequence, nil
}

// count writes a counter; the error is errConflict if it has another version.
func (t *Tasks) count(ctx context.Context, key string, h task.Holding, version uint64) error {
	h = task.Holding{
		Tasks: max(h.Tasks, 0), Ended: max(h.Ended, 0), Bytes: max(h.Bytes, 0), EndedBytes: max(h.EndedBytes, 0),
	}
	text, err := json.Marshal(h)
	if err != nil {
		return err
	}
	msg := &nats.Msg{Subject: t.subject + key, Data: text}
	_, err = t.js.PublishMsg(ctx, msg, jetstream.WithExpectLastSequencePerSubject(version))
	if isConflict(err) {
		return errConflict
	}
	if err != nil {
		return t.known(err)
	}
	return nil
}

// add adds to a counter.
func (t *Tasks) add(ctx context.Context, stream jetstream.Stream, key string, h task.Holding, n int) error {
	for range maxTries {
		now, version, err := t.counted(ctx, stream, key)
		if err != nil {
			return err
		}
		if version == 0 && (n < 0 || key == countsAll) {
			return nil // of an older release: the first who creates a task counts all
		}
		now.Add(h, n)
		if now == (task.Holding{}) && version > 0 && key != countsAll {
			err = t.drop(ctx, stream, key, version)
		} else {
			err = t.count(ctx, key, now, version)
		}
		if !errors.Is(err, errConflict) {
			return err
		}
	}
	return t.failed(errConflict)
}

// drop removes the counter of a principal that has nothing any more.
func (t *Tasks) drop(ctx context.Context, stream jetstream.Stream, key string, version uint64) error {
	err := stream.DeleteMsg(ctx, version)
	if err == nil {
		return nil
	}
	if _, now, other := t.counted(ctx, stream, key); other == nil && now != version {
		return errConflict
	}
	return t.known(err)
}

// addBoth adds to the counters of a principal and of all.
func (t *Tasks) addBoth(ctx context.Context, stream jetstream.Stream, principal string, h task.Holding, n int) error {
	if h == (task.Holding{}) {
		return nil
	}
	return errors.Join(t.add(ctx, stream, counts+principal, h, n), t.add(ctx, stream, countsAll, h, n))
}

// reserve counts more of a principal, if limits allow it. It makes room if all have as much as they may have.
func (t *Tasks) reserve(
	ctx context.Context, stream jetstream.Stream, principal string, more task.Holding, limits task.Limits,
) error {
	for range maxTries {
		own, version, err := t.counted(ctx, stream, counts+principal)
		if err != nil {
			return err
		}
		all, some, err := t.counted(ctx, stream, countsAll)
		if err != nil {
			return err
		}
		if some == 0 { // of an older release, or new
			if err := t.countFirst(ctx, stream); err != nil {
				return err
			}
			continue
		}
		switch err := limits.Check(own, all, more); {
		case errors.Is(err, task.ErrPrincipalFull):
			t.suspect(principal)
			return err
		case err != nil:
			gone, other := false, error(nil)
			if all.Ended > 0 {
				gone, other = t.evict(ctx, stream, own, limits.Short(all, more))
			}
			if other != nil || !gone {
				t.suspect("")
				return errors.Join(other, err)
			}
			continue
		}
		own.Add(more, 1)
		err = t.count(ctx, counts+principal, own, version)
		if errors.Is(err, errConflict) {
			continue
		}
		if err != nil {
			return err
		}
		all.Add(more, 1)
		if err = t.count(ctx, countsAll, all, some); errors.Is(err, errConflict) {
			err = t.add(ctx, stream, countsAll, more, 1)
		}
		return err
	}
	return t.failed(errConflict)
}

// rooms is what a handle knows of those who make room.
type rooms struct {
	mu       sync.Mutex
	victims  []victim        // in their order
	byTasks  bool            // which is that of what principals have in tasks, not in bytes
	looked   time.Time       // when they were found
	suspects map[string]bool // principals whose counters have refused something; "" is all
}

// victim is a task that has ended, and how much its principal has.
type victim struct {
	entry

	amount int64
}

const (
	// maxVictims is how many tasks one look finds that can make room.
	maxVictims = 64
	// lookAgain is after how long somebody looks again if those that were found have too little.
	lookAgain = time.Second
)

func (t *Tasks) suspect(principal string) {
	t.rooms.mu.Lock()
	defer t.rooms.mu.Unlock()
	if t.rooms.suspects == nil {
		t.rooms.suspects = make(map[string]bool)
	}
	t.rooms.suspects[principal] = true
}

// evict removes the oldest task that has ended of the principal that has most, and reports whether there was one.
func (t *Tasks) evict(
	ctx context.Context, stream jetstream.Stream, own task.Holding, amount func(task.Holding) int64,
) (bool, error) {
	for mayLook := true; ; {
		v, looked, err := t.nextVictim(ctx, stream, amount(own), amount, mayLook)
		if err != nil || v.id == "" {
			return false, err
		}
		mayLook = mayLook && !looked // who has died may have left what a look finds every time
		k, err := t.head(ctx, stream, v.id)
		if errors.Is(err, task.ErrNotFound) || err == nil && !k.Status.Final() {
			continue // it was removed, or is one that waits, of an older release
		}
		if err != nil {
			return false, err
		}
		gone, err := t.removeHead(ctx, stream, k)
		if err != nil {
			return false, err
		}
		if gone {
			err = stream.Purge(ctx, jetstream.WithPurgeSubject(t.rest(k.ID)))
			return true, errors.Join(err, t.addBoth(ctx, stream, k.Principal, holdingOf(&k.Head), -1))
		}
	}
}

// nextVictim returns the next task that makes room, if its principal has at least as much; else the zero value. It
// looks for such tasks if it may and knows none.
func (t *Tasks) nextVictim(
	ctx context.Context, stream jetstream.Stream, least int64, amount func(task.Holding) int64, mayLook bool,
) (v victim, looked bool, err error) {
	t.rooms.mu.Lock()
	defer t.rooms.mu.Unlock()
	byTasks := amount(task.Holding{Tasks: 1}) > 0
	if t.rooms.byTasks != byTasks {
		t.rooms.victims = nil
	}
	now := t.rooms.victims
	if mayLook && (len(now) == 0 || now[0].amount < least && time.Since(t.rooms.looked) > lookAgain) {
		entries, _, err := t.entries(ctx, stream, "*.*.*.*.*")
		if err != nil {
			return v, false, err
		}
		now, looked = victimsOf(entries, amount), true
		t.rooms.victims, t.rooms.looked, t.rooms.byTasks = now, time.Now(), byTasks
	}
	if len(now) == 0 || now[0].amount < least {
		return v, looked, nil
	}
	t.rooms.victims = now[1:]
	return now[0], looked, nil
}

// victimsOf returns the tasks that make room, in their order.
func victimsOf(entries []entry, amount func(task.Holding) int64) []victim {
	has, ended := make(map[string]task.Holding), make(map[string][]entry)
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.id, b.id) })
	entries = slices.CompactFunc(entries, func(a, b entry) bool { return a.id == b.id })
	for _, e := range entries {
		h := has[e.principal]
		h.Add(e.holding(), 1)
		has[e.principal] = h
		if !e.working && e.due != notEnded {
			ended[e.principal] = append(ended[e.principal], e)
		}
	}
	var out []victim
	for len(out) < maxVictims && len(ended) > 0 {
		most := slices.MaxFunc(slices.Collect(maps.Keys(ended)), func(a, b string) int {
			return cmp.Compare(amount(has[a]), amount(has[b]))
		})
		e, h := ended[most][0], has[most]
		out = append(out, victim{e, amount(h)})
		h.Add(e.holding(), -1)
		has[most] = h
		if ended[most] = ended[most][1:]; len(ended[most]) == 0 {
			delete(ended, most)
		}
	}
	return out
}

// holding is what is known of what a task counts for.
func (e entry) holding() task.Holding {
	if e.working || e.due <= notEnded {
		return task.Holding{Tasks: 1, Bytes: task.Slack}
	}
	return task.Holding{Tasks: 1, Ended: 1, Bytes: e.due, EndedBytes: e.due}
}
