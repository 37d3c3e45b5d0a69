-- Reads what waits for a worker, the longest overdue first; entries whose record the server has let go, or
-- that is something else by now, are taken out of the index on the way. An index and the records it names
-- share a hash tag.
--
-- For each member KEYS: due; ARGV: 'abandoned' or 'in_doubt', how many. Answers a list of records.

local a = 3
for k = 4, #KEYS do
    local names, status
    if ARGV[a] == 'abandoned' then
        status = '0'
        names = call('ZRANGEBYSCORE', KEYS[k], 0, now, 'LIMIT', 0, ARGV[a + 1])
    else
        status = '3'
        names = call('ZREVRANGEBYSCORE', KEYS[k], '(0', -now, 'LIMIT', 0, ARGV[a + 1])
    end
    local found = {}
    for _, name in ipairs(names) do
        local value = call('GET', name)
        if value and #value <= head_bytes then
            found[#found + 1] = value
        elseif value and sub(value, 2, 2) == status then
            found[#found + 1] = sub(value, 1, head_bytes + unpack_('>I4', value, 59))
        else
            call('ZREM', KEYS[k], name)
        end
    end
    answers[#answers + 1] = found
    a = a + 2
end
return answers
