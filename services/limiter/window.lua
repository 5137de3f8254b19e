-- window: decide a list of checks by their exact logs, all in one call and by the clock of this server.
--
-- A window is a sorted set of the calls that count: id -> microsecond. A call counts from its own microsecond until
-- just before the same microsecond one window later, and is allowed while fewer than the quota count. Refused calls do
-- not count. An id that counts already is allowed again and not counted twice.
--
-- KEYS[n]  the window of check n
-- ARGV     for each check its id, its quota, and its window in microseconds
--
-- Returns four numbers for each check: 0 refused, 1 counted, 2 counted before; how many calls count now; in how many
-- microseconds one fewer will, or fewer than the quota when more do; in how many microseconds this check could be
-- counted (0 unless refused).

local call = redis.call
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local stamp = string.format('%.0f', now)
local answer, size = {}, 0

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

for n = 1, #KEYS do
    local key, id = KEYS[n], ARGV[3 * n - 2]
    local quota, window = tonumber(ARGV[3 * n - 1]), tonumber(ARGV[3 * n])
    local used, oldest = count(key, now - window)
    if used >= quota and score(key, '-1') > now then
        -- the clock was set back: calls in its future would count for too long
        call('ZREMRANGEBYSCORE', key, '(' .. stamp, '+inf')
        used, oldest = count(key, now - window)
    end
    local state = 0
    if used < quota then
        if call('ZADD', key, 'NX', stamp, id) == 1 then
            state = 1
            call('PEXPIRE', key, string.format('%.0f', math.ceil(window / 1000) + 1))
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
