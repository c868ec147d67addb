package natsbus

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// bucket is a bucket of JetStream's key-value store, which the first use makes if there is none.
type bucket struct {
	js      jetstream.JetStream
	config  jetstream.StreamConfig
	subject string // before the key

	mu     sync.Mutex
	stream jetstream.Stream // nil if it is not known to exist
}

var bucketName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,128}$`)

// newBucket returns a bucket with what all buckets have in common and the properties of c.
func newBucket(js jetstream.JetStream, name string, c jetstream.StreamConfig) (*bucket, error) {
	if js == nil {
		return nil, errors.New("natsbus: there is no JetStream")
	}
	if !bucketName.MatchString(name) {
		return nil, fmt.Errorf("natsbus: %q is no name of a bucket: want letters, digits, - and _", name)
	}
	b := &bucket{js: js, subject: "$KV." + name + "."}
	c.Name, c.Subjects = "KV_"+name, []string{b.subject + ">"}
	c.Replicas = max(c.Replicas, 1)
	c.MaxMsgsPerSubject = 1
	c.Discard = jetstream.DiscardNew
	c.AllowRollup = true // as all buckets
	// AllowDirect would let servers answer that do not have the last change yet.
	b.config = c
	return b, nil
}

// open returns the bucket, and makes it if there is none. All methods begin with it: they do nothing after the end of
// their context.
func (b *bucket) open(ctx context.Context) (jetstream.Stream, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	b.mu.Lock()
	stream := b.stream
	b.mu.Unlock()
	if stream != nil {
		return stream, nil
	}
	stream, err := b.js.Stream(ctx, b.config.Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		c := b.config
		// One that takes the place of another goes on with greater sequences: those are versions that somebody knows.
		c.FirstSeq = uint64(time.Now().UnixMicro())
		stream, err = b.js.CreateStream(ctx, c)
		if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) { // another replica was faster
			stream, err = b.js.Stream(ctx, b.config.Name)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("natsbus: bucket %s: %w", b.config.Name, err)
	}
	if err := b.check(stream.CachedInfo().Config); err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stream = stream
	return stream, nil
}

// check returns an error that says why a bucket that somebody has made does not do.
func (b *bucket) check(c jetstream.StreamConfig) error {
	for _, p := range []struct {
		wrong bool
		text  string
	}{
		{b.config.AllowMsgTTL && !c.AllowMsgTTL, "it must allow a ttl for each message (allow_msg_ttl)"},
		{!b.config.DenyDelete && c.DenyDelete, "it must let its user delete messages (deny_delete)"},
		{c.SubjectDeleteMarkerTTL > 0, "it must keep nothing of what has expired (subject_delete_marker_ttl)"},
		{c.MaxMsgsPerSubject != 1, "it must keep one value for each key (max_msgs_per_subject)"},
		{c.AllowDirect, "only its leader may answer, because others may be late (allow_direct)"},
		{c.MaxAge > 0, "it must not expire by itself, because each record has its own time (max_age)"},
		{c.Discard != jetstream.DiscardNew, "it must refuse new records when it is full, not drop old ones (discard = new)"},
	} {
		if p.wrong {
			return fmt.Errorf("natsbus: bucket %s: %s; delete it, and it is made as it should be", c.Name, p.text)
		}
	}
	return nil
}

// failed wraps an error of the store. The bucket may be gone with the server that had it; the next use makes it.
func (b *bucket) failed(err error) error {
	if errors.Is(err, jetstream.ErrStreamNotFound) || errors.Is(err, jetstream.ErrNoStreamResponse) ||
		errors.Is(err, nats.ErrNoResponders) {
		b.mu.Lock()
		b.stream = nil
		b.mu.Unlock()
	}
	return fmt.Errorf("natsbus: bucket %s: %w", b.config.Name, err)
}

// publish writes a value if the last one of its key has a sequence, 0 for none, and returns the new one. Otherwise the
// error is errConflict.
func (b *bucket) publish(ctx context.Context, key string, value []byte, version uint64) (uint64, error) {
	ack, err := b.js.Publish(ctx, b.subject+key, value, jetstream.WithExpectLastSequencePerSubject(version))
	switch {
	case isConflict(err):
		return 0, errConflict
	case err != nil:
		return 0, b.failed(err)
	}
	return ack.Sequence, nil
}

// drop removes the message with a sequence. It is an error if there is none.
func (b *bucket) drop(ctx context.Context, stream jetstream.Stream, version uint64) error {
	if err := stream.DeleteMsg(ctx, version); err != nil {
		return b.failed(err)
	}
	return nil
}

// purge removes a key, if it is there.
func (b *bucket) purge(ctx context.Context, stream jetstream.Stream, key string) error {
	if err := stream.Purge(ctx, jetstream.WithPurgeSubject(b.subject+key)); err != nil {
		return b.failed(err)
	}
	return nil
}

// isConflict reports whether a message was refused because the last one of its subject is another one.
func isConflict(err error) bool {
	api := (*jetstream.APIError)(nil)
	return errors.As(err, &api) && (api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence ||
		api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

// together calls a function for the numbers below n, some at a time, and returns one of its errors.
func together(n int, do func(i int) error) error {
	const most = 16
	places, failed := make(chan struct{}, most), make(chan error, 1)
	var wait sync.WaitGroup
	for i := range n {
		places <- struct{}{}
		wait.Go(func() {
			defer func() { <-places }()
			if err := do(i); err != nil {
				select {
				case failed <- err:
				default:
				}
			}
		})
	}
	wait.Wait()
	select {
	case err := <-failed:
		return err
	default:
		return nil
	}
}
