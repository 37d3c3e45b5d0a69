-- Adds a decision that changed nothing to the story of a record, if the record is there. A story that grew
-- long is cut to its last entries.
--
-- For each member KEYS: record; ARGV: epoch that was met, event and detail.

local kept_bytes, kept_entries = 8192, 100

local function shorten(key)
    local value = call('GET', key)
    local at = head_bytes + unpack_('>I4', value, 59) + 1
    local places = {}
    local size = at - 1
    while at < #value do
        places[#places + 1] = at
        at = at + 2 + unpack_('>I2', value, at)
    end
    if #places < 2 * kept_entries then return end
    local rest = sub(value, places[#places - kept_entries + 1])
    call('SET', key, sub(value, 1, size) .. rest, 'KEEPTTL')
end

local nobody = string.rep('\0', 16)
local a = 3
for k = 4, #KEYS do
    local note = ARGV[a + 1]
    local head = call('GETRANGE', KEYS[k], 58, 61)
    if #head == 4 then
        local size = call('APPEND', KEYS[k], pack('>I2i8i8', 32 + #note, now, ARGV[a]) .. nobody .. note)
        if size - head_bytes - unpack_('>I4', head) > kept_bytes then shorten(KEYS[k]) end
    end
    answers[#answers + 1] = 1
    a = a + 2
end
return answers
