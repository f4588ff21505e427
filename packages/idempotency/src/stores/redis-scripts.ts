import { createHash } from 'node:crypto';

/** A Lua script and the name Redis knows it by. */
export interface Script {
  readonly source: string;
  readonly sha: string;
}

function script(source: string): Script {
  return { source, sha: createHash('sha1').update(source).digest('hex') };
}

// Redis 6.2 and later, and Valkey: TIME inside a script is fine since effects, not scripts, are replicated.
const NOW = `local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`;

/** One hash per key: state, fp, token, attempt, lease (ms), answer, and c:<name> per checkpoint. Expiry is Redis's. */
const OWNED = `${NOW}
local owner = redis.call('HMGET', KEYS[1], 'token', 'state')
if owner[1] ~= ARGV[1] or owner[2] ~= 'running' then return 0 end
`;

/** ARGV: latest instant, fingerprint, token, lease, ttl. Every answer starts with what it is and the time. */
export const BEGIN: Script = script(`${NOW}
local at = string.format('%.0f', now)
if now > tonumber(ARGV[1]) then return {'late', at} end
local r = redis.call('HMGET', KEYS[1], 'state', 'fp', 'lease', 'attempt')
local attempt = 1
if r[1] then
  if r[2] ~= ARGV[2] then return {'mismatch', at} end
  if r[1] == 'completed' then
    local answer = redis.call('HGET', KEYS[1], 'answer')
    if answer then return {'replay', at, answer} end
    return {'replay', at}
  end
  local left = tonumber(r[3]) - now
  if r[1] == 'running' and left > 0 then return {'in-progress', at, string.format('%.0f', left)} end
  attempt = tonumber(r[4]) + 1
end
local lease = tonumber(ARGV[4])
redis.call('HSET', KEYS[1], 'state', 'running', 'fp', ARGV[2], 'token', ARGV[3],
  'lease', string.format('%.0f', now + lease), 'attempt', string.format('%.0f', attempt))
redis.call('PEXPIRE', KEYS[1], string.format('%.0f', math.max(tonumber(ARGV[5]), lease)))
local reply = {'run', at, string.format('%.0f', attempt)}
if attempt > 1 then
  local all = redis.call('HGETALL', KEYS[1])
  for i = 1, #all, 2 do
    if string.sub(all[i], 1, 2) == 'c:' then
      reply[#reply + 1] = string.sub(all[i], 3)
      reply[#reply + 1] = all[i + 1]
    end
  end
end
return reply
`);

/** ARGV: token, lease. */
export const RENEW: Script = script(`${OWNED}
local lease = tonumber(ARGV[2])
local till = math.max(tonumber(redis.call('HGET', KEYS[1], 'lease')), now + lease)
redis.call('HSET', KEYS[1], 'lease', string.format('%.0f', till))
if redis.call('PTTL', KEYS[1]) < lease then redis.call('PEXPIRE', KEYS[1], string.format('%.0f', lease)) end
return 1
`);

/** ARGV: token, then the answer unless it is too large to keep. */
export const COMPLETE: Script = script(`${OWNED}
redis.call('HSET', KEYS[1], 'state', 'completed')
if ARGV[2] then redis.call('HSET', KEYS[1], 'answer', ARGV[2]) end
return 1
`);

/** ARGV: token. */
export const RELEASE: Script = script(`${OWNED}
for _, name in ipairs(redis.call('HKEYS', KEYS[1])) do
  if string.sub(name, 1, 2) == 'c:' then
    redis.call('HSET', KEYS[1], 'state', 'retryable', 'lease', string.format('%.0f', now))
    return 1
  end
end
redis.call('DEL', KEYS[1])
return 1
`);

/** ARGV: token, name, data. */
export const CHECKPOINT: Script = script(`${OWNED}
redis.call('HSET', KEYS[1], 'c:' .. ARGV[2], ARGV[3])
return 1
`);
