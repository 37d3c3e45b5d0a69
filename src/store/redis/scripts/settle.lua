-- Takes elements out of the queue of the sweep once every record they name was looked at. One that was
-- queued again meanwhile has another instant, even if that has come by now, and stays.
--
-- For each member KEYS: queue; ARGV: element, its instant as it was read.

local a = 3
for k = 4, #KEYS do
    if call('ZSCORE', KEYS[k], ARGV[a]) == ARGV[a + 1] then call('ZREM', KEYS[k], ARGV[a]) end
    answers[#answers + 1] = 1
    a = a + 2
end
return answers
