-- Makes one step of: is the record still the one that was read? then delete it, or look at it again later.
-- A record that was written meanwhile stays, and is looked at again in a second.
--
-- For each member KEYS: record, due; ARGV: bytes 2 to 58 as they were read, '' to delete, or when to look
-- again, 0 for never: whoever writes it next queues it. Answers 1 if it is gone by this call.

local a = 3
for k = 4, #KEYS, 2 do
    local key, again_at = KEYS[k], ARGV[a + 1]
    local head = call('GETRANGE', key, 1, 57)
    local gone = 0
    if head == ARGV[a] and again_at == '' then
        call('DEL', key)
        call('ZREM', KEYS[k + 1], key)
        gone = 1
    elseif head == ARGV[a] then
        call('SETRANGE', key, 26, pack('>i8', again_at))
        again_at = tonumber(again_at)
    elseif head ~= '' then
        again_at = now + 1000000
    else
        again_at = 0
    end
    if gone == 0 and again_at > 0 then
        queue = queue or {}
        queue[#queue + 1] = key
        if not queue_at or again_at < queue_at then queue_at = again_at end
    end
    answers[#answers + 1] = gone
    a = a + 2
end
