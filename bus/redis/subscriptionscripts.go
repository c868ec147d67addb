package redisbus

import "github.com/redis/go-redis/v9"

// The keys of subscriptions all begin with KEYS[1], which ends in a colon:
//
//	v            the last version
//	r:ID         a record: text t, progress p, version v, birth b, fence f, nonce n, principal o, shard s, live a
//	all          the ids; o:PRINCIPAL has those of a principal, and x those that expire, by when
//	c:SHARD      the ids of a shard by version
//	n n:PRINCIPAL  how many are live
//	leases       owner, beat and nonce of each lease
const (
	hookRow = `
local P = KEYS[1]
local function row(id)
	local r = redis.call('HMGET', P .. 'r:' .. id, 't', 'p', 'v', 'b', 'o', 's')
	return {id, r[1], r[2], r[3], r[4], r[5], r[6]}
end
`
	hookCount = `
local P = KEYS[1]
local function count(principal, n)
	for _, key in ipairs({P .. 'n', P .. 'n:' .. principal}) do
		if redis.call('INCRBY', key, n) <= 0 then redis.call('DEL', key) end
	end
end
`
)

var (
	// hookPut writes a record if its version is the expected one. A call that the client sends twice, because it missed
	// the answer, is known by its nonce. It returns the new version and the birth, or why nothing was changed.
	hookPut = redis.NewScript(hookCount + `
local id, nonce, expected, text, progress, fence, principal, shard, expires, live, per, total, begin = unpack(ARGV)
local key = P .. 'r:' .. id
local r = redis.call('HMGET', key, 'v', 'n', 'a', 'b')
if r[1] and r[2] == nonce then return {tonumber(r[1]), tonumber(r[4])} end
if (r[1] or '0') ~= expected then return {-1} end
local was = r[3] == '1'
if live == '1' and not was then
	if tonumber(redis.call('GET', P .. 'n:' .. principal) or 0) >= tonumber(per) then return {-2} end
	if tonumber(redis.call('GET', P .. 'n') or 0) >= tonumber(total) then return {-3} end
end
redis.call('SET', P .. 'v', begin, 'NX')
local version = redis.call('INCR', P .. 'v')
redis.call('HSET', key, 't', text, 'v', version, 'n', nonce, 'o', principal, 's', shard, 'a', live)
local birth = tonumber(r[4])
if progress ~= '' then
	birth = version
	redis.call('HSET', key, 'p', progress, 'b', birth, 'f', fence)
end
redis.call('ZADD', P .. 'c:' .. shard, version, id)
redis.call('ZADD', P .. 'all', 0, id)
redis.call('ZADD', P .. 'o:' .. principal, 0, id)
if expires ~= '' then redis.call('ZADD', P .. 'x', expires, id) else redis.call('ZREM', P .. 'x', id) end
if live == '1' and not was then count(principal, 1) end
if live ~= '1' and was then count(principal, -1) end
return {version, birth}`)

	hookGet = redis.NewScript(hookRow + `return row(ARGV[1])`)

	// hookSave keeps progress, and returns the ids of those that are left out.
	hookSave = redis.NewScript(`
local refused = {}
for i = 1, #ARGV, 4 do
	local key = KEYS[1] .. 'r:' .. ARGV[i]
	local r = redis.call('HMGET', key, 'b', 'f')
	if r[1] == ARGV[i + 1] and tonumber(r[2]) <= tonumber(ARGV[i + 2]) then
		redis.call('HSET', key, 'f', ARGV[i + 2], 'p', ARGV[i + 3])
	else
		refused[#refused + 1] = ARGV[i]
	end
end
return refused`)

	// hookChanged returns records of shards behind a version, in its order.
	hookChanged = redis.NewScript(hookRow + `
local limit, found, out = tonumber(ARGV[2]), {}, {}
for i = 3, #ARGV do
	local ids = redis.call('ZRANGEBYSCORE', P .. 'c:' .. ARGV[i], '(' .. ARGV[1], '+inf', 'WITHSCORES', 'LIMIT', 0, limit)
	for j = 1, #ids, 2 do found[#found + 1] = {tonumber(ids[j + 1]), ids[j]} end
end
table.sort(found, function(a, b) return a[1] < b[1] end)
for i = 1, math.min(#found, limit) do out[i] = row(found[i][2]) end
return out`)

	// hookList returns records of an index behind an id.
	hookList = redis.NewScript(hookRow + `
local out = {}
for i, id in ipairs(redis.call('ZRANGEBYLEX', P .. ARGV[1], ARGV[2], '+', 'LIMIT', 0, ARGV[3])) do out[i] = row(id) end
return out`)

	// hookExpire removes records that have expired, and returns how many.
	hookExpire = redis.NewScript(hookCount + `
local ids = redis.call('ZRANGEBYSCORE', P .. 'x', '-inf', ARGV[1], 'LIMIT', 0, ARGV[2])
for _, id in ipairs(ids) do
	local r = redis.call('HMGET', P .. 'r:' .. id, 'o', 's', 'a')
	redis.call('DEL', P .. 'r:' .. id)
	for _, key in ipairs({'x', 'all', 'o:' .. (r[1] or ''), 'c:' .. (r[2] or '')}) do redis.call('ZREM', P .. key, id) end
	if r[3] == '1' then count(r[1], -1) end
end
return #ids`)

	// hookTake gives leases, and returns the places of those that it has given.
	hookTake = redis.NewScript(`
local given, key = {}, KEYS[1] .. 'leases'
for i = 2, #ARGV, 3 do
	local beat, nonce = string.match(redis.call('HGET', key, ARGV[i]) or '0 -', '^(%d+) (%S+)')
	local next = tonumber(ARGV[i + 2]) + 1
	local again = nonce == ARGV[1] and tonumber(beat) == next
	if beat == ARGV[i + 2] then
		redis.call('HSET', key, ARGV[i], string.format('%.0f %s %s', next, ARGV[1], ARGV[i + 1]))
	end
	if again or beat == ARGV[i + 2] then given[#given + 1] = (i - 2) / 3 end
end
return given`)
)
