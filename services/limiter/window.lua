-- window: decide a list of checks by their exact logs, all in one call and by the clock of this server.
--
-- A window is a sorted set of the calls that count: id -> microsecond. A call counts from its own microsecond until
-- just before the same microsecond one window later, and is allowed while fewer than the quota count. Refused calls do
-- not count. An id that counts already is allowed again and not counted twice.
--
-- KEYS[1]      the policies in force
-- KEYS[1 + n]  the window of check n
-- ARGV         the revision of the policies that the caller knows; the number of policies that follow; for each its
--              quota, its window in microseconds, and 1 when it is in shadow; for each check the number of its policy
--              and its id
--
-- Returns the revision in force; then, only if it is the caller's, four numbers for each check: 0 refused, 1 counted,
-- 2 counted before, 3 allowed only because of the shadow; how many calls count now; in how many microseconds one fewer
-- will, or fewer than the quota when more do; in how many microseconds this check could be counted (0 unless refused).

local call = redis.call
local revision = tonumber(call('HGET', KEYS[1], 'revision') or 0)
if revision ~= tonumber(ARGV[1]) then return {revision} end

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local stamp = string.format('%.0f', now)
local answer, size = {revision}, 1

local policies = {}
for n = 1, tonumber(ARGV[2]) do
    local quota, window = tonumber(ARGV[3 * n]), tonumber(ARGV[3 * n + 1])
    local lifetime = string.format('%.0f', math.ceil(window / 1000) + 1)
    policies[n] = {quota = quota, window = window, shadow = ARGV[3 * n + 2] == '1', lifetime = lifetime}
end
local last = 2 + 3 * #policies

local function score(key, rank)
    local found = call('ZRANGE', key, rank, rank, 'WITHSCORES')[2]
    return found and tonumber(found)
end

-- Remove the calls up to a moment; return how many are left, and when the first of them was.
local function count(key, moment)
    local oldest = score(key, '0')
    if oldest and oldest <= moment then
        call('ZREMRANGEBYSCORE', key, '-inf', moment)
        oldest = score(key, '0')
    end
    return oldest and call('ZCARD', key) or 0, oldest
end

for n = 1, #KEYS - 1 do
    local key, policy, id = KEYS[1 + n], policies[tonumber(ARGV[last + 2 * n - 1])], ARGV[last + 2 * n]
    local quota, window, shadow = policy.quota, policy.window, policy.shadow
    local used, oldest = count(key, now - window)
    if used >= quota and score(key, '-1') > now then
        -- the clock was set back: calls in its future would count for too long
        call('ZREMRANGEBYSCORE', key, '(' .. stamp, '+inf')
        used, oldest = count(key, now - window)
    end
    local state = shadow and 3 or 0
    if used < quota then
        if call('ZADD', key, 'NX', stamp, id) == 1 then
            state = 1
            call('PEXPIRE', key, policy.lifetime)
            used, oldest = used + 1, math.min(oldest or now, now)
        else
            state = 2
        end
    elseif call('ZSCORE', key, id) then
        state = 2
    end
    -- more than the quota may count, as when it was lowered: then the next check waits for the quota-th newest
    local reset = (used > quota and score(key, -quota) or oldest) + window - now
    answer[size + 1], answer[size + 2] = state, used
    answer[size + 3], answer[size + 4] = reset, state == 0 and reset or 0
    size = size + 4
end
return answer
