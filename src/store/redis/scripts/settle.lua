-- Takes elements out of the queue of the sweep, but for those of their names that were not looked at. One
-- that was queued again meanwhile has another instant, even if that has come by now, and stays.
--
-- For each member KEYS: queue; ARGV: element, its instant as it was read, names to keep.

local a = 3
for k = 4, #KEYS do
    if call('ZSCORE', KEYS[k], ARGV[a]) == ARGV[a + 1] then
        call('ZREM', KEYS[k], ARGV[a])
        if ARGV[a + 2] ~= '' then call('ZADD', KEYS[k], ARGV[a + 1], ARGV[a + 2]) end
    end
    answers[#answers + 1] = 1
    a = a + 3
end
return answers
