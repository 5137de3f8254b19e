-- policies: replace the policies in force, unless they have been replaced meanwhile.
--
-- KEYS[1]  the policies in force: a hash of their revision and their state
-- ARGV     the revision that is to be replaced, the new revision, the new state
--
-- Returns 1 when done, 0 when another revision is in force.

if tonumber(redis.call('HGET', KEYS[1], 'revision') or 0) ~= tonumber(ARGV[1]) then return 0 end
redis.call('HSET', KEYS[1], 'revision', ARGV[2], 'state', ARGV[3])
return 1
