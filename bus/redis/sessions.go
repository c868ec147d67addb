package redisbus

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/mcpgen/mcpgen/internal/dev/failpoint"
	"github.com/mcpgen/mcpgen/mcp/replica"
)

var _ replica.SessionStore = (*Sessions)(nil)

// versionSize is how many hexadecimal digits stand before a record and are its version.
const versionSize = 16

// save replaces a record of the version ARGV[1], which is empty if there is none, by one of the version ARGV[2]. It
// returns 1 if it did so now, or when the client sent the same call before and missed the answer.
var save = redis.NewScript(`
local now = redis.call('GETRANGE', KEYS[1], 0, 15)
if now ~= ARGV[2] then
	if now ~= ARGV[1] then return 0 end
	redis.call('SET', KEYS[1], ARGV[2] .. ARGV[4], 'PX', ARGV[3])
end
return 1`)

// Sessions is a [replica.SessionStore] in Redis, with one key for each record. Versions are random, so they do not
// return. It is as durable as the server: with "appendonly yes" and "appendfsync always" a record that was saved
// survives a loss of power; a failover to a replica of Redis may lose what was saved last.
type Sessions struct {
	client redis.UniversalClient
	prefix string
}

// NewSessions returns a store in the keys that begin with prefix, such as "mcp:notes:session:". All replicas of one
// server name the same prefix. The error names an option of the client that does not do.
func NewSessions(client redis.UniversalClient, prefix string) (*Sessions, error) {
	if err := check(client); err != nil {
		return nil, err
	}
	if prefix == "" {
		return nil, errors.New("redisbus: the keys of sessions have no prefix")
	}
	return &Sessions{client: client, prefix: prefix}, nil
}

// Load implements [replica.SessionStore].
func (s *Sessions) Load(ctx context.Context, id string) (record []byte, version uint64, err error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	value, err := s.client.Get(ctx, s.prefix+id).Bytes()
	switch {
	case errors.Is(err, redis.Nil):
		return nil, 0, replica.ErrNotFound
	case err != nil:
		return nil, 0, failed(err)
	}
	if len(value) >= versionSize {
		version, err = strconv.ParseUint(string(value[:versionSize]), 16, 64)
	}
	if err != nil || version == 0 {
		return nil, 0, fmt.Errorf("redisbus: the key %s is none of a session", s.prefix+id)
	}
	return value[versionSize:], version, nil
}

// Save implements [replica.SessionStore]. It rounds ttl up to the next millisecond.
func (s *Sessions) Save(
	ctx context.Context, id string, version uint64, record []byte, ttl time.Duration,
) (uint64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if id == "" || len(id) > replica.MaxID || len(record) > replica.MaxRecord || ttl <= 0 {
		return 0, errors.New("redisbus: id or record have a size that package replica does not allow, " +
			"or ttl is not positive")
	}
	next := newVersion()
	was := ""
	if version > 0 {
		was = versionText(version)
	}
	if failpoint.On("redis-session-unchecked") {
		if _, now, err := s.Load(ctx, id); err == nil {
			was = versionText(now)
		}
	}
	milliseconds := (ttl + time.Millisecond - 1).Milliseconds()
	done, err := save.Run(ctx, s.client, []string{s.prefix + id}, was, versionText(next), milliseconds, record).Int()
	if err != nil {
		return 0, failed(err)
	}
	if done == 0 {
		return 0, replica.ErrChanged
	}
	return next, nil
}

// Delete implements [replica.SessionStore].
func (s *Sessions) Delete(ctx context.Context, id string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := s.client.Del(ctx, s.prefix+id).Err(); err != nil {
		return failed(err)
	}
	return nil
}

// newVersion returns a number that no record had before, and is not 0.
func newVersion() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // which never fails
	return max(binary.BigEndian.Uint64(b[:]), 1)
}

func versionText(version uint64) string { return fmt.Sprintf("%0*x", versionSize, version) }

func failed(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("redisbus: %w", err)
}
