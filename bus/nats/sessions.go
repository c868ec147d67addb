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
type Sessions struct {
	js      jetstream.JetStream
	config  jetstream.StreamConfig
	subject string // before the id

	mu     sync.Mutex
	stream jetstream.Stream // nil if it is not known to exist
}

var bucketName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,128}$`)

// NewSessions returns a store in a bucket, which the first use makes if there is none. All replicas name the same
// bucket; it holds nothing else. Bucket has letters, digits, - and _. It does not wait for a server.
func NewSessions(js jetstream.JetStream, bucket string, options SessionsOptions) (*Sessions, error) {
	if js == nil {
		return nil, errors.New("natsbus: there is no JetStream")
	}
	if !bucketName.MatchString(bucket) {
		return nil, fmt.Errorf("natsbus: %q is no name of a bucket: want letters, digits, - and _", bucket)
	}
	subject := "$KV." + bucket + "."
	return &Sessions{js: js, subject: subject, config: jetstream.StreamConfig{
		Name:              "KV_" + bucket,
		Description:       "sessions of an MCP server",
		Subjects:          []string{subject + ">"},
		MaxMsgsPerSubject: 1,
		MaxBytes:          options.MaxBytes,
		Storage:           options.Storage,
		Replicas:          max(options.Replicas, 1),
		Discard:           jetstream.DiscardNew,
		AllowRollup:       true, // as all buckets
		DenyDelete:        true,
		AllowMsgTTL:       true,
		// AllowDirect would let servers answer that do not have the last change yet.
	}}, nil
}

// Load implements [replica.SessionStore].
func (s *Sessions) Load(ctx context.Context, id string) (record []byte, version uint64, err error) {
	stream, err := s.open(ctx, id)
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
	if _, err := s.open(ctx, id); err != nil {
		return 0, err
	}
	ttl = (ttl + time.Second - 1).Truncate(time.Second)
	ack, err := s.js.PublishMsg(ctx, &nats.Msg{Subject: s.subject + id, Data: record},
		jetstream.WithExpectLastSequencePerSubject(version), jetstream.WithMsgTTL(ttl))
	if api := (*jetstream.APIError)(nil); errors.As(err, &api) &&
		(api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence ||
			api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant) {
		return 0, replica.ErrChanged
	}
	if err != nil {
		return 0, s.failed(err)
	}
	return ack.Sequence, nil
}

// Delete implements [replica.SessionStore].
func (s *Sessions) Delete(ctx context.Context, id string) error {
	stream, err := s.open(ctx, id)
	if err != nil {
		return err
	}
	// What the key-value store writes to say that a key is gone would have to be removed later.
	if err := stream.Purge(ctx, jetstream.WithPurgeSubject(s.subject+id)); err != nil {
		return s.failed(err)
	}
	return nil
}

// validID is an id that is one word of a subject.
var validID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,256}$`)

// open returns the bucket, and makes it if there is none. It refuses ids that would be other subjects.
func (s *Sessions) open(ctx context.Context, id string) (jetstream.Stream, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !validID.MatchString(id) {
		return nil, errors.New("natsbus: an id has 1 to 256 bytes of base64url")
	}
	s.mu.Lock()
	stream := s.stream
	s.mu.Unlock()
	if stream != nil {
		return stream, nil
	}
	stream, err := s.js.Stream(ctx, s.config.Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		stream, err = s.js.CreateStream(ctx, s.config)
		if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) { // another replica was faster
			stream, err = s.js.Stream(ctx, s.config.Name)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("natsbus: bucket %s: %w", s.config.Name, err)
	}
	if err := checkBucket(stream.CachedInfo().Config); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stream = stream
	return stream, nil
}

// checkBucket returns an error that says why a bucket that somebody has made does not do.
func checkBucket(c jetstream.StreamConfig) error {
	for problem, wrong := range map[string]bool{
		"it must allow a ttl for each message (allow_msg_ttl)":                              !c.AllowMsgTTL,
		"it must keep nothing of what has expired (subject_delete_marker_ttl)":              c.SubjectDeleteMarkerTTL > 0,
		"it must keep one value for each key (max_msgs_per_subject)":                        c.MaxMsgsPerSubject != 1,
		"only its leader may answer, because others may be late (allow_direct)":             c.AllowDirect,
		"it must not expire by itself, because each record has its own ttl (max_age)":       c.MaxAge > 0,
		"it must refuse new records when it is full, and not drop old ones (discard = new)": c.Discard != jetstream.DiscardNew,
	} {
		if wrong {
			return fmt.Errorf("natsbus: bucket %s: %s; delete it, and it is made as it should be", c.Name, problem)
		}
	}
	return nil
}

// failed wraps an error of the store. The bucket may be gone with the server that had it; the next use makes it.
func (s *Sessions) failed(err error) error {
	if errors.Is(err, jetstream.ErrStreamNotFound) || errors.Is(err, jetstream.ErrNoStreamResponse) ||
		errors.Is(err, nats.ErrNoResponders) {
		s.mu.Lock()
		s.stream = nil
		s.mu.Unlock()
	}
	return fmt.Errorf("natsbus: bucket %s: %w", s.config.Name, err)
}
