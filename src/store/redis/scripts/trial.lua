-- May this user do what the other scripts do? Tries every command on names of its own and leaves nothing.
-- KEYS: a record, a queue. Answers the first refusal, or nothing.

local name, queue = KEYS[1], KEYS[2]
local tries = {
    {'TIME'},
    {'GET', name},
    {'MGET', name},
    {'SET', name, 'x', 'PX', '1000'},
    {'GETRANGE', name, '0', '1'},
    {'SETRANGE', name, '0', 'y'},
    {'APPEND', name, 'z'},
    {'PEXPIRE', name, '1000'},
    {'DEL', name},
    {'ZADD', queue, '1', name},
    {'ZSCORE', queue, name},
    {'ZRANGEBYSCORE', queue, '0', '1'},
    {'ZREVRANGEBYSCORE', queue, '1', '0'},
    {'ZREM', queue, name},
}
for _, words in ipairs(tries) do
    local done = redis.pcall(unpack(words))
    local err = type(done) == 'table' and done.err
    -- "can't run this command", "can't access at least one of the keys" (7.0), "NOPERM" (7.2)
    if err and (string.find(err, "can't", 1, true) or string.find(err, 'NOPERM', 1, true)) then
        return words[1] .. ': ' .. err
    end
end
return false
