package redisbus

import "github.com/redis/go-redis/v9"

// The keys of tasks all begin with KEYS[1], which ends in a colon:
//
//	v            the last version
//	r:ID         a record: head h, body b of l bytes, version v, size z, principal p, expiry e, ended f, nonce n
//	i:PRINCIPAL  the ids of a principal, f:PRINCIPAL those that have ended
//	x w u        ids by expiry; those that work by version; those of them that nobody owns, by the time to claim them
//	n:PRINCIPAL  what a principal has: tasks t, bytes b, of which have ended e and eb; n: has what all have
//	mt mb        principals with tasks that have ended, by all their tasks and by all their bytes
//
// A server without memory refuses the first write of a script if it may need some, and none after that. So scripts that
// need no more than there was begin with one that removes.
const prelude = `
local P = KEYS[1]
local function count(p, n, size, final)
	for _, key in ipairs({P .. 'n:' .. p, P .. 'n:'}) do
		redis.call('HINCRBY', key, 't', n)
		redis.call('HINCRBY', key, 'b', n * size)
		if final then
			redis.call('HINCRBY', key, 'e', n)
			redis.call('HINCRBY', key, 'eb', n * size)
		end
	end
	local own = redis.call('HMGET', P .. 'n:' .. p, 't', 'b', 'e')
	if tonumber(own[1]) <= 0 then redis.call('DEL', P .. 'n:' .. p) end
	if tonumber(own[3] or 0) > 0 then
		redis.call('ZADD', P .. 'mt', own[1], p)
		redis.call('ZADD', P .. 'mb', own[2], p)
	else
		redis.call('ZREM', P .. 'mt', p)
		redis.call('ZREM', P .. 'mb', p)
	end
end
local function drop(id)
	local r = redis.call('HMGET', P .. 'r:' .. id, 'p', 'z', 'f')
	redis.call('UNLINK', P .. 'r:' .. id)
	if r[1] then count(r[1], -1, tonumber(r[2]), r[3] == '1') end
	for _, key in ipairs({'x', 'w', 'u', 'i:' .. (r[1] or ''), 'f:' .. (r[1] or '')}) do
		redis.call('ZREM', P .. key, id)
	end
end
`

var (
	// put writes a record if its version is the expected one. A call that the client sends twice, because it missed the
	// answer, is known by its nonce. It returns the new version, or why nothing was changed.
	put = redis.NewScript(prelude + `
local id, nonce, expected, head, keep, body, size, principal, status, owner, lease, expires = unpack(ARGV)
local key = P .. 'r:' .. id
local r = redis.call('HMGET', key, 'v', 'n', 'p', 'z', 'f')
if r[1] and r[2] == nonce then return tonumber(r[1]) end
if expected == '' and r[1] then return -1 end
if expected ~= '' and not r[1] then return -2 end
if r[1] and r[1] ~= expected then return -3 end
if r[1] and r[3] ~= principal then return -4 end
if r[1] and tonumber(size) <= tonumber(r[4]) then redis.call('ZREM', P .. 'w', id) end
local version = redis.call('INCR', P .. 'v')
if r[1] then count(principal, -1, tonumber(r[4]), r[5] == '1') end
local final = status == 'final'
redis.call('HSET', key, 'h', head, 'v', version, 'n', nonce, 'p', principal, 'z', size, 'e', expires,
	'f', final and '1' or '0')
if keep ~= '1' then redis.call('HSET', key, 'b', body, 'l', #body) end
redis.call('ZADD', P .. 'i:' .. principal, 0, id)
redis.call('ZADD', P .. 'x', expires, id)
for _, k in ipairs({'w', 'u', 'f:' .. principal}) do redis.call('ZREM', P .. k, id) end
if status == 'working' then redis.call('ZADD', P .. 'w', version, id) end
if status == 'working' and owner == '' then redis.call('ZADD', P .. 'u', lease, id) end
if final then redis.call('ZADD', P .. 'f:' .. principal, 0, id) end
count(principal, 1, tonumber(size), final)
return version`)

	// find returns the last version, and what may be claimed: id, head, version, size, bytes of the body.
	find = redis.NewScript(prelude + `
local now, still, owned, except = tonumber(ARGV[1]), ARGV[2], ARGV[3] == '1', {}
for i = 4, #ARGV do except[ARGV[i]] = true end
local latest = redis.call('GET', P .. 'v') or '0'
for _, index in ipairs(owned and {{'w', still}} or {{'w', still}, {'u', ARGV[1]}}) do
	local from, ids = 0, nil
	repeat
		ids = redis.call('ZRANGEBYSCORE', P .. index[1], '-inf', index[2], 'LIMIT', from, 100)
		for _, id in ipairs(ids) do
			local key = P .. 'r:' .. id
			local r = redis.call('HMGET', key, 'p', 'e')
			local free = owned and redis.call('ZSCORE', P .. 'u', id)
			if r[1] and tonumber(r[2]) > now and not except[r[1]] and not free then
				return {latest, id, unpack(redis.call('HMGET', key, 'h', 'v', 'z', 'l'))}
			end
		end
		from = from + #ids
	until #ids < 100
end
return {latest}`)

	// page returns ids, heads, versions and sizes of a principal behind an id.
	page = redis.NewScript(`
local out = {}
for i, id in ipairs(redis.call('ZRANGEBYLEX', KEYS[1] .. 'i:' .. ARGV[1], ARGV[2], '+', 'LIMIT', 0, ARGV[3])) do
	local r = redis.call('HMGET', KEYS[1] .. 'r:' .. id, 'h', 'v', 'z')
	out[i] = {id, r[1], r[2], r[3]}
end
return out`)

	// holdings returns what a principal has and what all have, and for both orders the principal with most and a task
	// that has ended, with what it has and its two oldest such tasks.
	holdings = redis.NewScript(`
local P = KEYS[1]
local function of(key) return redis.call('HMGET', P .. 'n:' .. key, 't', 'e', 'b', 'eb') end
local out = {of(ARGV[1]), of('')}
for _, key in ipairs({'mt', 'mb'}) do
	local top = redis.call('ZREVRANGE', P .. key, 0, 0)[1]
	if top then
		out[#out + 1] = of(top)
		out[#out + 1] = redis.call('ZRANGE', P .. 'f:' .. top, 0, 1)
	end
end
return out`)

	// remove removes a task that has ended.
	remove = redis.NewScript(prelude + `
if redis.call('HGET', P .. 'r:' .. ARGV[1], 'f') == '1' then drop(ARGV[1]) end
return 1`)

	// expire removes records that have expired, and returns how many.
	expire = redis.NewScript(prelude + `
local ids = redis.call('ZRANGEBYSCORE', P .. 'x', '-inf', ARGV[1], 'LIMIT', 0, ARGV[2])
for _, id in ipairs(ids) do drop(id) end
return #ids`)
)
