-- Makes one step of: is the lease still the caller's? then prolong it. Touches nothing else of the record.
--
-- For each member KEYS: record, due; ARGV: token, lease, expires_in, queue_in. Answers {1 or 0, record}, or
-- nothing where there is none.

local a = 3
for k = 3, #KEYS, 2 do
    local key, expires_in, queue_in = KEYS[k], ARGV[a + 2], ARGV[a + 3]
    local value = call('GET', key)
    if not value then
        answer(false)
    elseif sub(value, 35, 58) ~= ARGV[a] or sub(value, 2, 2) ~= '0' then
        answer({0, record_of(value)})
    else
        local lease_end = now + ARGV[a + 1]
        local expires, queued = unpack_('>i8i8', value, 19)
        if expires_in ~= '' then expires = now + expires_in end
        if queue_in ~= '' and (queued == 0 or now + queue_in < queued) then
            queued = now + queue_in
            look_at(key, queued)
        end
        local changed = pack('>i8i8i8', lease_end, expires, queued)
        call('SETRANGE', key, 10, changed)
        if expires_in ~= '' then call('PEXPIRE', key, ttl_ms(expires_in)) end
        call('ZADD', KEYS[k + 1], text_of(lease_end), key)
        answer({1, record_of(sub(value, 1, 10) .. changed .. sub(value, 35))})
    end
    a = a + 4
end
return close()
