package natsbus

import (
	"context"
	"errors"
	"slices"

	"github.com/nats-io/nats.go/jetstream"
)

// walkers is in how many parts of its bucket records are looked for at once.
const walkers = 16

// walk returns the records that were written after a version and that keep takes, in the order of versions, at most
// limit of them. They are those of a moment after its begin; one that is written meanwhile may be there twice. It has
// looked up to a version.
func (s *Subscriptions) walk(
	ctx context.Context, stream jetstream.Stream, after uint64, limit int, keep func(*held) bool,
) (found []*held, upTo uint64, err error) {
	for len(found) < limit {
		info, err := stream.Info(ctx)
		if err != nil {
			return nil, 0, s.records.failed(err)
		}
		st := info.State
		if st.LastSeq <= after { // else what was behind it may have been written anew meanwhile
			break
		}
		if st.Msgs == 0 {
			after = st.LastSeq
			continue
		}
		each := (st.LastSeq-st.FirstSeq)/max(st.Msgs, 1) + 1 // of how many places one has a record
		for after < st.LastSeq && len(found) < limit {
			from := max(after+1, st.FirstSeq)
			to := min(st.LastSeq, from+each*uint64(min(limit-len(found), 1000)))
			some, err := s.between(ctx, stream, from, to)
			if err != nil {
				return nil, 0, err
			}
			for _, h := range some {
				if keep(h) {
					found = append(found, h)
				}
			}
			after = to
		}
	}
	if len(found) > limit {
		found = found[:limit]
		after = found[limit-1].version
	}
	return found, after, nil
}

// between returns the records with versions of a range.
func (s *Subscriptions) between(ctx context.Context, stream jetstream.Stream, from, to uint64) ([]*held, error) {
	step := (to-from)/walkers + 1
	var parts [walkers][]*held
	err := together(walkers, func(i int) error {
		first := from + uint64(i)*step
		for last := min(first+step-1, to); first <= last; first++ {
			m, err := stream.GetMsg(ctx, first, jetstream.WithGetMsgSubject(s.records.subject+record+">"))
			switch {
			case errors.Is(err, jetstream.ErrMsgNotFound):
				return nil
			case err != nil:
				return s.records.failed(err)
			case m.Sequence > last:
				return nil
			}
			if h := s.heldOf(m); h != nil {
				parts[i] = append(parts[i], h)
			}
			first = m.Sequence
		}
		return nil
	})
	return slices.Concat(parts[:]...), err
}
