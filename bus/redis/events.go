package redisbus

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/mcpgen/mcpgen/mcp/event"
)

var _ event.Log = (*Events)(nil)

// Events is an [event.Log] in Redis. It is as durable as the server: with "appendonly yes" and "appendfsync always" an
// event that was confirmed survives a loss of power. A server that loses the last events and keeps others, as with
// "appendfsync everysec" or after a failover to a replica of Redis, loses them in silence.
type Events struct{ keys }

// NewEvents returns a log in the keys that begin with prefix in braces, such as "{mcp:notes:events}:". So a cluster
// keeps all of them on one server. All replicas of one server name the same prefix. The error names an option of the
// client that does not do.
func NewEvents(client redis.UniversalClient, prefix string) (*Events, error) {
	keys, err := keysOf(client, prefix, "events")
	if err != nil {
		return nil, err
	}
	return &Events{keys}, nil
}

// Lasting implements [event.Log].
func (l *Events) Lasting() bool { return true }

// The keys of events all begin with KEYS[1], which ends in a colon:
//
//	epoch   the life of the log
//	m:NAME  the first place f that is held, and the last one l
//	d:NAME  by place: what was appended
//	k:NAME  by place: when it was appended, the nonce of the call, and the id
//	i:NAME  by id: the place
//
// The places that are held have no holes.
var (
	// appendEvent adds an entry, unless there is one with its id, and removes some whose time is over: more than it adds.
	// It returns the place, and whether another call has appended it.
	appendEvent = redis.NewScript(`
local P, name, id, kept, value, most, oldest, nonce = KEYS[1], unpack(ARGV)
local m, d, k, i = P .. 'm:' .. name, P .. 'd:' .. name, P .. 'k:' .. name, P .. 'i:' .. name
local state = redis.call('HMGET', m, 'f', 'l')
local first, last = tonumber(state[1] or 1), tonumber(state[2] or 0)
for _ = 1, 64 do
	if first > last then break end
	local at, old = string.match(redis.call('HGET', k, first), '^(%d+) %S+ (.*)$')
	if first > last + 1 - tonumber(most) and tonumber(at) >= tonumber(oldest) then break end
	redis.call('HDEL', d, first)
	redis.call('HDEL', k, first)
	redis.call('HDEL', i, old)
	first = first + 1
	redis.call('HSET', m, 'f', first)
end
local held = redis.call('HGET', i, id)
if held then
	local of = string.match(redis.call('HGET', k, held), '^%d+ (%S+) ')
	return {tonumber(held), of == nonce and 0 or 1}
end
last = last + 1
redis.call('HSET', d, last, value)
redis.call('HSET', k, last, kept .. ' ' .. nonce .. ' ' .. id)
redis.call('HSET', i, id, last)
redis.call('HSET', m, 'f', first, 'l', last)
return {last, 0}`)

	// readEvents returns the epoch, the first and the last place, and places and entries behind one.
	readEvents = redis.NewScript(`
local P, name, after, limit, bytes, epoch = KEYS[1], unpack(ARGV)
redis.call('SET', P .. 'epoch', epoch, 'NX')
local state = redis.call('HMGET', P .. 'm:' .. name, 'f', 'l')
local first, last, size = tonumber(state[1] or 1), tonumber(state[2] or 0), 0
local out = {redis.call('GET', P .. 'epoch'), tostring(first), tostring(last)}
for at = math.max(tonumber(after) + 1, first), last do
	if #out >= 3 + 2 * tonumber(limit) or size >= tonumber(bytes) then break end
	local value = redis.call('HGET', P .. 'd:' .. name, at)
	out[#out + 1] = tostring(at)
	out[#out + 1] = value
	size = size + #value
end
return out`)
)

// about is what is before the data of an entry.
type about struct {
	ID         string
	Time, Kept int64 // milliseconds since 1970
	Cause      string
}

// Append implements [event.Log].
func (l *Events) Append(ctx context.Context, name string, e *event.Entry, keep event.Retention) error {
	keep = keep.WithDefaults()
	text, err := json.Marshal(about{e.ID, e.Time.UnixMilli(), e.Kept.UnixMilli(), e.Cause})
	if err != nil {
		return err
	}
	value := append(append(text, '\n'), e.Data...)
	got, err := l.run(ctx, appendEvent, name, e.ID, e.Kept.UnixMilli(), value, keep.Most,
		e.Kept.Add(-keep.For).UnixMilli(), newVersion()).Int64Slice()
	if err != nil {
		return failed(err)
	}
	e.Seq = uint64(got[0])
	if got[1] != 0 {
		return event.ErrDuplicate
	}
	return nil
}

// pageBytes is how many bytes a page has at most, unless it has one entry.
const pageBytes = 1 << 20

// Read implements [event.Log].
func (l *Events) Read(ctx context.Context, name string, after uint64, limit int) (p event.Page, err error) {
	out, err := l.run(ctx, readEvents, name, after, max(limit, 0), pageBytes, rand.Text()).StringSlice()
	if err != nil {
		return p, failed(err)
	}
	first, wrong := strconv.ParseUint(out[1], 10, 64)
	last, err := strconv.ParseUint(out[2], 10, 64)
	p = event.Page{Epoch: out[0], First: first, Last: last}
	for i := 3; i+1 < len(out) && err == nil; i += 2 {
		var e event.Entry
		if e, err = entryOf(out[i], out[i+1]); err == nil {
			p.Entries = append(p.Entries, e)
		}
	}
	if err = errors.Join(err, wrong); err != nil {
		return event.Page{}, fmt.Errorf("redisbus: events %s: %w", name, err)
	}
	return p, nil
}

func entryOf(place, value string) (e event.Entry, err error) {
	text, data, _ := bytes.Cut([]byte(value), []byte("\n"))
	var a about
	if err := json.Unmarshal(text, &a); err != nil {
		return e, err
	}
	e = event.Entry{
		ID: a.ID, Time: time.UnixMilli(a.Time).UTC(), Kept: time.UnixMilli(a.Kept).UTC(), Cause: a.Cause, Data: data,
	}
	e.Seq, err = strconv.ParseUint(place, 10, 64)
	return e, err
}
