-- Reads what waits to be looked at by a sweep. For each member KEYS: queue; ARGV: how many elements.
-- Answers a list of elements, each the names of records, separated by spaces, and behind it its instant.

for k = 4, #KEYS do
    answers[#answers + 1] =
        call('ZRANGEBYSCORE', KEYS[k], '-inf', format('%d', now), 'WITHSCORES', 'LIMIT', 0, ARGV[k - 1])
end
return answers
