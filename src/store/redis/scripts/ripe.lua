-- Reads what waits to be looked at by a sweep. For each member KEYS: queue; ARGV: how many elements.
-- Answers a list of elements, each the names of records, separated by spaces.

for k = 3, #KEYS do
    answer(call('ZRANGEBYSCORE', KEYS[k], '-inf', now, 'LIMIT', 0, ARGV[k]))
end
return answers
