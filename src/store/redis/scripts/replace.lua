-- Makes one step of: is the record what the caller expects? then write the next one. Writes as insert does.
--
-- For each member KEYS: record, due; ARGV: token, conditions (end of the lease or -1, how long the lease must
-- be over or -1, statuses allowed), and the three of insert. Answers the epoch written, the record that is
-- there, or nothing where there is none.

local function matches(value, before, token, conditions)
    if sub(value, 35, 58) ~= token then return false end
    if not string.find(conditions, before, 17, true) then return false end
    local lease_is, over_for = unpack_('>i8i8', conditions)
    if lease_is < 0 and over_for < 0 then return true end
    local lease_end = unpack_('>i8', value, 11)
    if lease_is >= 0 and lease_end ~= lease_is then return false end
    if over_for < 0 then return true end
    return before == '0' and lease_end > 0 and lease_end <= now - over_for
end

local a = 3
for k = 3, #KEYS, 2 do
    local key = KEYS[k]
    local value = call('GET', key)
    local before = value and sub(value, 2, 2)
    if not value then
        answer(false)
    elseif not matches(value, before, ARGV[a], ARGV[a + 1]) then
        answer(record_of(value))
    else
        local tail = ARGV[a + 3]
        local status, raises, lease, expires_in, retry_in, queue_in = unpack_(plan_format, ARGV[a + 2])
        local queued, epoch = unpack_('>i8i8', value, 27)
        local size = head_bytes + unpack_('>I4', value, 59)
        if raises == '1' then epoch = math.max(epoch + 1, now) end
        if queue_in >= 0 and (queued == 0 or now + queue_in < queued) then
            queued = now + queue_in
            look_at(key, queued)
        end
        local lease_end = in_future(lease)
        local next = 'A' .. status
            .. pack('>i8i8i8i8i8', now, lease_end, in_future(expires_in), queued, epoch)
            .. tail .. sub(value, size + 1) .. entry(epoch, sub(tail, 1, 16), ARGV[a + 4])
        if expires_in < 0 then
            call('SET', key, next)
        else
            call('SET', key, next, 'PX', ttl_ms(expires_in))
        end
        index(KEYS[k + 1], key, status, lease_end, retry_in, before == '0' or before == '3')
        answer(epoch)
    end
    a = a + 5
end
return close()
