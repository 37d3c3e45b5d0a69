-- Takes elements out of the queue of the sweep once every record they name was looked at. One that was
-- queued again meanwhile has a later instant and stays.
--
-- For each member KEYS: queue; ARGV: element.

for k = 3, #KEYS do
    local at = call('ZSCORE', KEYS[k], ARGV[k])
    if at and tonumber(at) <= now then call('ZREM', KEYS[k], ARGV[k]) end
    answer(1)
end
return answers
