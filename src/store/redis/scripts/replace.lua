-- Makes one step of: is the record what the caller expects? then write the next one. Writes as insert does.
--
-- For each member KEYS: record, due; ARGV: token, statuses allowed, end of the lease expected or '', how
-- long the lease must be over or '', and the seven of insert. Answers the epoch written, the record that is
-- there, or nothing where there is none.

local function matches(value, token, statuses, lease_is, over_for)
    if sub(value, 35, 58) ~= token then return false end
    if not string.find(statuses, sub(value, 2, 2), 1, true) then return false end
    if lease_is ~= '' and sub(value, 11, 18) ~= lease_is then return false end
    if over_for == '' then return true end
    local lease_end = unpack_('>i8', value, 11)
    return sub(value, 2, 2) == '0' and lease_end > 0 and lease_end <= now - over_for
end

local a = 3
for k = 3, #KEYS, 2 do
    local key = KEYS[k]
    local value = call('GET', key)
    if not value then
        answer(false)
    elseif not matches(value, ARGV[a], ARGV[a + 1], ARGV[a + 2], ARGV[a + 3]) then
        answer(record_of(value))
    else
        local plan, tail, expires_in, queue_in = ARGV[a + 4], ARGV[a + 5], ARGV[a + 7], ARGV[a + 9]
        local status, before = sub(plan, 1, 1), sub(value, 2, 2)
        local queued, epoch = unpack_('>i8i8', value, 27)
        local size = head_bytes + unpack_('>I4', value, 59)
        if sub(plan, 2, 2) == '1' then epoch = math.max(epoch + 1, now) end
        if queue_in ~= '' and (queued == 0 or now + queue_in < queued) then
            queued = now + queue_in
            look_at(key, queued)
        end
        local lease_end = in_future(ARGV[a + 6])
        local next = 'A' .. status
            .. pack('>i8i8i8i8i8', now, lease_end, in_future(expires_in), queued, epoch)
            .. tail .. sub(value, size + 1) .. entry(epoch, sub(tail, 1, 16), ARGV[a + 10])
        if expires_in == '' then
            call('SET', key, next)
        else
            call('SET', key, next, 'PX', ttl_ms(expires_in))
        end
        index(KEYS[k + 1], key, status, lease_end, ARGV[a + 8], before == '0' or before == '3')
        answer(epoch)
    end
    a = a + 11
end
return close()
