-- Reads. For each member KEYS: record; ARGV: '' for the record, 'story' for its story too, 'brief' for its
-- head and the first of its body. Answers the bytes, or nothing where there is none.

for k = 4, #KEYS do
    local wanted = ARGV[k - 1]
    local value
    if wanted == 'brief' then
        value = call('GETRANGE', KEYS[k], 0, 639)
        if value == '' then value = false end
    else
        value = call('GET', KEYS[k])
        if value and wanted == '' and #value > head_bytes then
            value = sub(value, 1, head_bytes + unpack_('>I4', value, 59))
        end
    end
    answers[#answers + 1] = value
end
return answers
