package natsbus

import (
	"context"
	"math"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// view is what a handle knows of all records. Those that another replica has removed are in it until they expire.
type view struct {
	turn    chan struct{} // who has it uses the rest
	records map[string]sighted
	live    map[string]int // of each principal, by its hash
	upTo    uint64         // the version up to which it has looked
}

// sighted is a record.
type sighted struct {
	version uint64
	expires int64 // 0 for never
	live    bool
}

func (v *view) set(key string, x sighted) {
	v.forget(key)
	v.records[key] = x
	if x.live {
		v.live[key[strings.LastIndex(key, ".")+1:]]++
	}
}

func (v *view) forget(key string) {
	if hash := key[strings.LastIndex(key, ".")+1:]; v.records[key].live {
		if v.live[hash]--; v.live[hash] == 0 {
			delete(v.live, hash)
		}
	}
	delete(v.records, key)
}

// look takes what has changed since it has looked last. It is false if more than some pages have.
func (s *Subscriptions) look(ctx context.Context, stream jetstream.Stream, pages int) (all bool, err error) {
	const page = 1000
	for range pages {
		found, upTo, err := s.walk(ctx, stream, s.seen.upTo, page, func(*held) bool { return true })
		if err != nil {
			return false, err
		}
		s.seen.upTo = upTo
		for _, h := range found {
			s.seen.set(h.key(), sighted{h.version, h.expires, h.live})
		}
		if len(found) < page {
			return true, nil
		}
	}
	return false, nil
}

// guess returns the most live subscriptions that a principal, of a hash, and all can have. It is false if that would
// take long.
func (s *Subscriptions) guess(
	ctx context.Context, stream jetstream.Stream, hash string,
) (own, all int, ok bool, err error) {
	select {
	case s.seen.turn <- struct{}{}:
	default:
		return 0, 0, false, nil
	}
	defer func() { <-s.seen.turn }()
	if ok, err = s.look(ctx, stream, 1); !ok || err != nil {
		return 0, 0, false, err
	}
	info, err := stream.Info(ctx)
	if err != nil {
		return 0, 0, false, s.records.failed(err)
	}
	return s.seen.live[hash], int(info.State.Msgs), true, nil
}

// Expire implements [event.Store].
func (s *Subscriptions) Expire(ctx context.Context, now time.Time, limit int) (removed int, err error) {
	stream, err := s.records.open(ctx)
	if err != nil {
		return 0, err
	}
	leave, err := turn(ctx, s.seen.turn)
	if err != nil {
		return 0, err
	}
	defer leave()
	if _, err := s.look(ctx, stream, math.MaxInt); err != nil {
		return 0, err
	}
	var expired []string
	for key, x := range s.seen.records {
		if x.expires != 0 && x.expires <= now.UnixMilli() {
			expired = append(expired, key)
		}
	}
	for len(expired) > 0 && removed < limit {
		some := expired[:min(len(expired), limit-removed)]
		expired = expired[len(some):]
		n, err := s.removeAll(ctx, stream, some)
		if removed += n; err != nil {
			return removed, err
		}
	}
	return removed, s.tidy(ctx, stream)
}

// removeAll removes records that have expired, unless they have changed, and returns how many.
func (s *Subscriptions) removeAll(ctx context.Context, stream jetstream.Stream, keys []string) (n int, err error) {
	progress, err := s.progress.open(ctx)
	if err != nil {
		return 0, err
	}
	done, gone := make([]bool, len(keys)), make([]bool, len(keys))
	err = together(len(keys), func(i int) (err error) {
		gone[i], err = s.remove(ctx, stream, progress, keys[i], s.seen.records[keys[i]])
		done[i] = err == nil
		return err
	})
	for i, key := range keys {
		if done[i] {
			s.seen.forget(key)
		}
		if gone[i] {
			n++
		}
	}
	return n, err
}

// remove removes a record, and reports whether nobody else did before. Who dies meanwhile leaves the record.
func (s *Subscriptions) remove(
	ctx context.Context, stream, progress jetstream.Stream, key string, x sighted,
) (gone bool, err error) {
	if err := s.dropProgress(ctx, progress, key, x.version); err != nil {
		return false, err
	}
	if !x.live {
		if err := s.records.purge(ctx, stream, over+key); err != nil {
			return false, err
		}
	}
	if err := s.records.drop(ctx, stream, x.version); err != nil {
		h, other := s.find(ctx, stream, idOf(key))
		if other == nil && h.version != x.version {
			return false, nil // it has changed, or another replica has removed it
		}
		return false, err
	}
	return true, s.dropProgress(ctx, progress, key, x.version) // of who has found the record just before
}

// dropProgress removes the progress of a subscription, unless that has begun a life after a version.
func (s *Subscriptions) dropProgress(ctx context.Context, stream jetstream.Stream, key string, version uint64) error {
	p, at, err := s.progressOf(ctx, stream, idOf(key))
	if err != nil || at == 0 || p != nil && p.Birth > version {
		return err
	}
	if err := s.progress.drop(ctx, stream, at); err != nil {
		if _, now, other := s.progressOf(ctx, stream, idOf(key)); other == nil && now != at {
			return nil
		}
		return err
	}
	return nil
}

// tidy removes what says that a record is not live, if it is, or is not there.
func (s *Subscriptions) tidy(ctx context.Context, stream jetstream.Stream) error {
	_, _, ended, err := s.keys(ctx, stream, over+">")
	if err != nil {
		return err
	}
	return together(len(ended), func(i int) error {
		if x, found := s.seen.records[ended[i]]; found && !x.live {
			return nil
		}
		return s.records.purge(ctx, stream, over+ended[i])
	})
}
