-- Reads what waits for a worker, the longest overdue first; entries whose record the server has let go are
-- taken out of the index on the way. An index and the records it names share a hash tag.
--
-- For each member KEYS: due; ARGV: 'abandoned' or 'in_doubt', how many. Answers a list of records.

local a = 3
for k = 3, #KEYS do
    local names
    if ARGV[a] == 'abandoned' then
        names = call('ZRANGEBYSCORE', KEYS[k], 0, now, 'LIMIT', 0, ARGV[a + 1])
    else
        names = call('ZREVRANGEBYSCORE', KEYS[k], '(0', -now, 'LIMIT', 0, ARGV[a + 1])
    end
    local found = {}
    for _, name in ipairs(names) do
        local value = call('GET', name)
        if value then
            found[#found + 1] = record_of(value)
        else
            call('ZREM', KEYS[k], name)
        end
    end
    answer(found)
    a = a + 2
end
return answers
