package natsbus

import (
	"context"
	"errors"
	"regexp"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/internal/dev/failpoint"
	"github.com/mcpgen/mcpgen/mcp/replica"
)

var _ replica.SessionStore = (*Sessions)(nil)

// SessionsOptions are the properties of a bucket that is made. The zero value is one in a file on one server.
type SessionsOptions struct {
	Replicas int                   // how many servers of the cluster keep each record; 0 is 1
	Storage  jetstream.StorageType // file or memory
	MaxBytes int64                 // the size of the bucket, beyond which Save fails; 0 is no limit
}

// Sessions is a [replica.SessionStore] in a bucket of JetStream's key-value store. Reads ask the leader of the bucket,
// so they see every change. The zero value is of no use. It is as durable as the bucket: one in a file survives kill -9
// of the server; for a loss of power see sync_interval of the server, or use replicas.
type Sessions struct{ *bucket }

// NewSessions returns a store in a bucket, which the first use makes if there is none. All replicas name the same
// bucket; it holds nothing else. Bucket has letters, digits, - and _. It does not wait for a server.
func NewSessions(js jetstream.JetStream, bucket string, options SessionsOptions) (*Sessions, error) {
	b, err := newBucket(js, bucket, jetstream.StreamConfig{
		Description: "sessions of an MCP server",
		MaxBytes:    options.MaxBytes,
		Storage:     options.Storage,
		Replicas:    options.Replicas,
		DenyDelete:  true,
		AllowMsgTTL: true,
	})
	if err != nil {
		return nil, err
	}
	return &Sessions{b}, nil
}

// Load implements [replica.SessionStore].
func (s *Sessions) Load(ctx context.Context, id string) (record []byte, version uint64, err error) {
	stream, err := s.openFor(ctx, id)
	if err != nil {
		return nil, 0, err
	}
	msg, err := stream.GetLastMsgForSubject(ctx, s.subject+id)
	switch {
	case errors.Is(err, jetstream.ErrMsgNotFound):
		return nil, 0, replica.ErrNotFound
	case err != nil:
		return nil, 0, s.failed(err)
	}
	return msg.Data, msg.Sequence, nil
}

// Save implements [replica.SessionStore]. It rounds ttl up to the next second.
func (s *Sessions) Save(
	ctx context.Context, id string, version uint64, record []byte, ttl time.Duration,
) (uint64, error) {
	if len(record) > replica.MaxRecord || ttl <= 0 {
		return 0, errors.New("natsbus: the record is larger than replica.MaxRecord, or ttl is not positive")
	}
	if _, err := s.openFor(ctx, id); err != nil {
		return 0, err
	}
	ttl = (ttl + time.Second - 1).Truncate(time.Second)
	options := []jetstream.PublishOpt{jetstream.WithMsgTTL(ttl)}
	if !failpoint.On("nats-session-unchecked") {
		options = append(options, jetstream.WithExpectLastSequencePerSubject(version))
	}
	ack, err := s.js.PublishMsg(ctx, &nats.Msg{Subject: s.subject + id, Data: record}, options...)
	if isConflict(err) {
		return 0, replica.ErrChanged
	}
	if err != nil {
		return 0, s.failed(err)
	}
	return ack.Sequence, nil
}

// Delete implements [replica.SessionStore].
func (s *Sessions) Delete(ctx context.Context, id string) error {
	stream, err := s.openFor(ctx, id)
	if err != nil {
		return err
	}
	// What the key-value store writes to say that a key is gone would have to be removed later.
	return s.purge(ctx, stream, id)
}

// validID is an id that is one word of a subject.
var validID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,256}$`)

// openFor opens the bucket for a record. It refuses ids that would be other subjects.
func (s *Sessions) openFor(ctx context.Context, id string) (jetstream.Stream, error) {
	if !validID.MatchString(id) {
		return nil, errors.New("natsbus: an id has 1 to 256 bytes of base64url")
	}
	return s.open(ctx)
}
