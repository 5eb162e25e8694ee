-- The one script: compares and appends. ARGV[1] is a MessagePack array of items; each is checked, then
-- written, by itself: an error in one is that one's answer. Answers {now, {answer, ...}}, packed. See
-- docs/architecture.md, "Compare and append". ARGV[2], if there is one: a WAIT follows.

local STORED, BEFORE, OTHER_TIP, FENCED, LATE, EARLY, TAKEN, FAILED = 0, 1, 2, 3, 4, 5, 6, 7
local TIP_LENGTH = 16

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function integer(number)
  return string.format('%.0f', number)
end

-- A retry whose first try was stored, or somebody else's entry?
local function stored_before(head_key, seq, log_key, n, tip)
  local entries = redis.call('XRANGE', log_key, n .. '-0', n .. '-0')
  if #entries == 1 then
    local fields = entries[1][2]
    if fields[2] == tip then
      if ARGV[2] then -- WAIT counts what its own connection wrote, and the first try was another's
        redis.call('HSET', head_key, 'seq', seq)
      end
      return {BEFORE, tonumber(fields[4]), 0}
    end
  end
  return {OTHER_TIP, 0, 0}
end

local function set_expiry(prefix, head_key, list_key, expire_at)
  for _, field in ipairs(redis.call('HKEYS', head_key)) do
    if string.sub(field, 1, 4) == 'log:' then
      redis.call('PEXPIREAT', prefix .. ':' .. string.sub(field, 5), expire_at)
    end
  end
  redis.call('PEXPIREAT', head_key, expire_at)
  redis.call('ZADD', list_key, 'XX', expire_at, string.match(prefix, '[^:]+$'))
end

-- The last stamp in any of a room's logs: the room's clock has been there, also where a server that has taken
-- over is behind.
local function latest_stamp(head_key)
  local latest, fields = 0, redis.call('HGETALL', head_key)
  for i = 1, #fields, 2 do
    if string.sub(fields[i], 1, 4) == 'log:' then
      latest = math.max(latest, tonumber(string.match(fields[i + 1], ':(%d+):%d+$')))
    end
  end
  return latest
end

-- Whether a lease taken or renewed at this moment is a living one. One of the future is of a clock that was set
-- back: it lives no longer than others.
local function is_living(moment, lease)
  return math.abs(now - moment) < lease
end

-- Conditions and effects that only room events have.
local function refused_by(extra, head_key)
  if extra.from and now < extra.from and latest_stamp(head_key) < extra.from then
    return {EARLY, 0, 0}
  end
  if extra.absent then
    local seen = redis.call('HGET', head_key, 'seen:' .. extra.absent)
    local moment = seen and tonumber(string.match(seen, ':(%d+)$'))
    if moment and is_living(moment, extra.lease) then
      return {FENCED, 0, 0}
    end
  end
end

local function effects_of(extra, prefix, head_key, tip)
  for _, field in ipairs(extra.fences or {}) do
    redis.call('HSET', head_key, field, tip)
  end
  if extra.ends then
    redis.call('HSET', head_key, extra.ends_field, integer(extra.ends))
  end
  if extra.expire then
    set_expiry(prefix, head_key, extra.list_key, integer(extra.expire))
  end
  if extra.listed == true then
    local expire_at = redis.call('PEXPIRETIME', head_key)
    redis.call('ZADD', extra.list_key, expire_at, string.match(prefix, '[^:]+$'))
  elseif extra.listed == false then
    redis.call('ZREM', extra.list_key, string.match(prefix, '[^:]+$'))
  end
end

local function append(item)
  local prefix, log, n, before, tip = item[1], item[2], item[3], item[4], item[5]
  local payload, fences, row, extra = item[7], item[8], item[11], item[12]
  local head_key, log_key = prefix .. ':head', prefix .. ':' .. log
  local known = redis.call('HMGET', head_key, 'log:' .. log, 'seq', item[13], unpack(fences[1]))
  local current = known[1] or ''
  if string.sub(current, 1, TIP_LENGTH) ~= before then
    return stored_before(head_key, known[2], log_key, integer(n), tip)
  end
  for i, expected in ipairs(fences[2]) do
    if string.sub(known[3 + i] or '', 1, TIP_LENGTH) ~= expected then
      return {FENCED, 0, 0}
    end
  end
  local last_stamp, last_n = string.match(current, ':(%d+):(%d+)$', TIP_LENGTH)
  if n ~= (last_n or 0) + 1 then
    return {OTHER_TIP, 0, 0}
  end
  local stamp = math.max(now - item[6], tonumber(last_stamp or '0'), item[9])
  local refusal = extra and refused_by(extra, head_key)
  if refusal then
    return refusal
  end
  if extra and extra.stamp then
    stamp = extra.stamp
  end
  local till = (extra and extra.till) or (row and known[3] and tonumber(known[3]))
  if till and stamp >= till then
    return {LATE, 0, 0}
  end
  -- A log's first entry gives it the room's expiry, or the room its first.
  local expire_at = n == 1 and not (extra and extra.expire) and redis.call('PEXPIRETIME', head_key)
  if expire_at and expire_at < 0 then
    return {OTHER_TIP, 0, 0} -- the room is gone, and must not come back without one
  end
  local stamp_text, n_text, seq = integer(stamp), integer(n), tonumber(known[2] or '0') + 1
  redis.call('XADD', log_key, n_text .. '-0', 't', tip, 's', stamp_text, 'd', payload)
  local value = tip .. ':' .. stamp_text .. ':' .. n_text
  if row then
    redis.call('HSET', head_key, 'log:' .. log, value, 'seq', integer(seq), item[10], row)
  else
    redis.call('HSET', head_key, 'log:' .. log, value, 'seq', integer(seq))
  end
  if expire_at then
    redis.call('PEXPIREAT', log_key, integer(expire_at))
  end
  if extra then
    effects_of(extra, prefix, head_key, tip)
    redis.call('SPUBLISH', prefix, cmsgpack.pack({'event', n, before, tip, stamp_text, payload, seq}))
  end
  return {STORED, stamp, seq}
end

-- Presence: a lease on "this player is here, on that connection". Modes: here, gone. Connections are named so
-- that the later to come into the room sorts after: what an earlier one says, late or again, takes nothing
-- from it.
local function seen(item)
  local prefix, player, connection, mode, lease = item[1], item[3], item[4], item[5], item[6]
  local head_key, field = prefix .. ':head', 'seen:' .. item[3]
  local known = redis.call('HMGET', head_key, 'log:room', field)
  if not known[1] then
    return {OTHER_TIP, 0, 0}
  end
  local holder, moment = string.match(known[2] or '', '^(.*):(%d+)$')
  local held = holder and is_living(tonumber(moment), lease) or false
  if holder and holder ~= connection and (mode == 'gone' or (held and holder > connection)) then
    return {TAKEN, 0, 0}
  end
  local online = mode == 'here'
  if online then
    redis.call('HSET', head_key, field, connection .. ':' .. integer(now))
  elseif holder then
    redis.call('HDEL', head_key, field)
  end
  if held == online and (holder == connection or not holder) then
    return {STORED, now, 0}
  end
  local seq = redis.call('HINCRBY', head_key, 'seq', 1)
  redis.call('SPUBLISH', prefix, cmsgpack.pack({'seen', player, connection, online, integer(now), seq}))
  return {STORED, now, seq}
end

local answers = {}
for i, item in ipairs(cmsgpack.unpack(ARGV[1])) do
  local well, answer = pcall(item[2] == 'seen' and seen or append, item)
  if not well then
    answer = {FAILED, 0, 0, type(answer) == 'table' and answer.err or tostring(answer)}
  end
  answers[i] = answer
end
return cmsgpack.pack({now, answers})
