package relay

import (
	"context"
	"time"

	"github.com/mcpgen/mcpgen/internal/dev/failpoint"
)

// sender publishes the frames of one relay. It belongs to one goroutine.
type sender struct {
	*Relay
	at    instant // of the last frame
	batch batch
	buf   []byte
}

// send publishes beats and what is pending until the relay ends.
func (r *Relay) send() {
	defer r.cancel() // ends the subscription
	s := &sender{Relay: r, at: instant{epoch: 1}}
	next := time.NewTimer(0)
	defer next.Stop()
	gap := eagerGap
	for {
		beat := false
		select {
		case <-r.ctx.Done():
			return
		case <-r.stop:
			s.sayBye()
			return
		case <-r.kick:
		case <-next.C:
			beat = true
		}
		if r.quiet.Load() {
			s.pending.take(&s.batch)
			clear(s.batch.signals)
			s.pending.lose()
			next.Reset(watchGap)
			continue
		}
		wait := retryFirst
		for ok := s.flush(beat); !ok; ok = s.flush(true) {
			if !r.pause(wait) {
				return
			}
			wait = min(2*wait, retryMost)
		}
		if !beat {
			continue
		}
		if gap = min(gap*5/4, beatGap); r.joined() {
			gap = beatGap
		} else if gap > time.Second {
			gap = eagerGap
		}
		next.Reset(gap)
	}
}

// flush publishes all that is pending, with a beat if that is wanted. It returns false if the bus has failed.
func (s *sender) flush(beat bool) bool {
	b := &s.batch
	s.pending.take(b)
	for i := range b.directs {
		if !s.publish(&b.directs[i]) {
			s.pending.lose() // the signals; directed frames are not repeated, as who waits for an answer has a time limit
			return false
		}
	}
	if b.newEpoch {
		s.at = instant{epoch: s.at.epoch + 1}
	}
	beat = beat || b.beat || b.newEpoch
	if s.without == ruleBeatAndSilence && s.joined() {
		beat = b.newEpoch
	}
	for rest := b.signals; beat || b.lists != 0 || len(rest) > 0; beat = false {
		f := frame{from: s.origin, lists: b.lists}
		f.signals, rest = cut(rest)
		b.lists = 0
		if beat {
			s.addBeat(&f)
		}
		if !s.publishNext(&f) {
			return false
		}
	}
	clear(b.signals)
	return true
}

// publishNext publishes f as the next frame of the sequence. It returns false if the bus has failed.
func (s *sender) publishNext(f *frame) bool {
	s.at.seq++
	f.epoch, f.seq = s.at.epoch, s.at.seq
	if s.publish(f) {
		return true
	}
	if failpoint.On("relay-failed-publish-forgotten") {
		s.at.seq-- // the next frame takes its place
		return false
	}
	s.pending.lose()
	return false
}

// cut takes the signals of one frame off the first ones.
func cut(signals []Signal) (batch, rest []Signal) {
	text := 0
	for i, s := range signals {
		if text += len(s.Text); i == maxBatch || i > 0 && text > maxBatchText {
			if failpoint.On("relay-batch-boundary") {
				return signals[:i], signals[i+1:]
			}
			return signals[:i], signals[i:]
		}
	}
	return signals, nil
}

// addBeat makes f a beat.
func (s *sender) addBeat(f *frame) {
	f.flags |= flagBeat
	f.digests = s.Receiver.Digests()
	s.addHeard(f)
	if !s.joined() {
		f.flags |= flagAsks
	}
	f.clock, f.age = uint64(s.wallClock().UnixMilli()), uint64(time.Since(s.began).Milliseconds())
	if s.Fenced() {
		f.flags |= flagFenced
	}
}

// publish seals and publishes a frame. It returns false if the bus has failed.
func (s *sender) publish(f *frame) bool {
	ctx, stop := context.WithTimeout(s.ctx, publishTime)
	defer stop()
	s.buf = f.appendTo(s.buf[:0])
	err := s.Bus.Publish(ctx, s.Box.Seal(s.buf, s.purpose))
	s.counts.published(s.Log, err)
	return err == nil
}

// sayBye publishes what is left, and that this replica ends and will change nothing more.
func (s *sender) sayBye() {
	if !failpoint.On("relay-bye-without-flush") && !s.flush(false) || s.silent.Load() {
		return // the others notice the silence
	}
	s.publishNext(&frame{from: s.origin, flags: flagBye})
}
