-- Reads. For each member KEYS: record; ARGV: '' for the record, 'story' for its story too, 'brief' for its
-- head and the first of its body. Answers the bytes, or nothing where there is none.

for k = 3, #KEYS do
    local wanted = ARGV[k]
    if wanted == 'brief' then
        local value = call('GETRANGE', KEYS[k], 0, 639)
        answer(value ~= '' and value)
    else
        local value = call('GET', KEYS[k])
        answer(value and (wanted == '' and record_of(value) or value))
    end
end
return answers
