package relay

import (
	"context"
	"time"

	"github.com/mcpgen/mcpgen/internal/dev/failpoint"
)

// sender publishes the frames of one relay. Only the goroutine of [Relay.send] uses it.
type sender struct {
	*Relay
	at    instant // of the last frame published
	batch batch
	buf   []byte
}

// send publishes beats, and pending signals and frames, until the relay ends.
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
		case <-r.pending.kick:
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

// flush publishes all pending signals and frames, and also a beat if beat is true or one is due for another reason. It
// returns false if the bus has failed.
func (s *sender) flush(beat bool) bool {
	b := &s.batch
	s.pending.take(b)
	for i := range b.directs {
		if !s.publish(&b.directs[i]) {
			s.pending.lose() // the signals; directed frames are not repeated, because their senders wait only briefly
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

// publishNext gives f the next sequence number and publishes it. It returns false if the bus has failed; the next frame
// then begins a new epoch.
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

// cut splits signals into first, as many as one frame can have, and the rest.
func cut(signals []Signal) (first, rest []Signal) {
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

// addBeat makes f a beat: a frame that also says which peers this replica hears.
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

// addHeard lists in f, a beat, peers that this replica hears.
func (r *Relay) addHeard(f *frame) {
	most := r.listed
	if most == 0 {
		most = maxListed
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	r.peers.list(f, most, now)
	if r.isDeafLocked(now) || now.Sub(r.hearsFrom) < hush {
		f.flags |= flagPart // peers that are not listed may have sent frames meanwhile
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

// sayBye publishes all that is pending, and then a frame that says that this replica ends and will change nothing more.
// It leaves that frame out if the bus has failed, or after Abandon.
func (s *sender) sayBye() {
	if !failpoint.On("relay-bye-without-flush") && !s.flush(false) || s.silent.Load() {
		return // the others notice the silence
	}
	s.publishNext(&frame{from: s.origin, flags: flagBye})
}
