-- Makes one step of: is the lease still the caller's? then prolong it. Touches nothing else of the record.
--
-- For each member KEYS: record; ARGV: token, lease, expires_in. Answers {1 or 0, record}, or nothing where
-- there is none.

local a = 3
for k = 4, #KEYS do
    local key, expires_in = KEYS[k], ARGV[a + 2]
    local value = call('GET', key)
    local size = value and #value >= head_bytes and head_bytes + unpack_('>I4', value, 59)
    if not value then
        answers[#answers + 1] = false
    elseif not size or sub(value, 35, 58) ~= ARGV[a] or sub(value, 2, 2) ~= '0' then
        answers[#answers + 1] = {0, size and sub(value, 1, size) or value}
    else
        local lease_end = now + ARGV[a + 1]
        local lease_was, expires, seen_at = unpack_('>i8i8i8', value, 11)
        if expires_in ~= '' then expires = now + expires_in end
        if lease_was <= now then rarely().unfile(key, value) end
        -- Whoever looks at the end of the lease as it was will see the new one.
        if lease_was <= now or lease_end < lease_was then
            seen_at = lease_end
            leases_count = leases_count + 1
            leases[leases_count] = key
            if not leases_at or seen_at < leases_at then leases_at = seen_at end
        end
        local changed = pack('>i8i8i8', lease_end, expires, seen_at)
        call('SETRANGE', key, 10, changed)
        if expires_in ~= '' then call('PEXPIRE', key, format('%d', expires_in / 1000 + grace_ms)) end
        answers[#answers + 1] = {1, sub(value, 1, 10) .. changed .. sub(value, 35, size)}
    end
    a = a + 3
end
