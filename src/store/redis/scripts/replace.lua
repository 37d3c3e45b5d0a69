-- Makes one step of: is the record what the caller expects? then write the next one. Writes as insert does.
--
-- For each member KEYS: record; ARGV: token, tail, and plans as in insert. Before its note a plan says what is
-- expected: the end of the lease or -1, how long the lease must be over or -1, four bytes of statuses allowed.
-- Answers the epoch written, the record that is there, or nothing where there is none.

-- One command reads all members; what this call itself has written meanwhile is read again.
local values = call('MGET', unpack(keys, 4))
local written = {}
local left, status, raises, lease_end, retry_in, queue_in_at, ttl, note, front, stamp = 0
local lease_is, over_for, statuses
local find = string.find
local a = 3
for k = 4, #keys do
    if left == 0 then
        local plan = arguments[a]
        a = a + 1
        local lease, expires_in, queue_in
        left, status, raises, lease, expires_in, retry_in, queue_in, lease_is, over_for, statuses =
            unpack_('>I4c1c1i8i8i8i8i8i8c4', plan)
        lease_end = lease < 0 and 0 or now + lease
        queue_in_at = queue_in < 0 and 0 or now + queue_in
        ttl = expires_in >= 0 and format('%d', expires_in / 1000 + grace_ms)
        front = 'A' .. status .. pack('>i8i8i8', now, lease_end, expires_in < 0 and 0 or now + expires_in)
        note = #plan > 58 and sub(plan, 59)
        stamp = note and pack('>I2i8', 32 + #note, now)
    end
    left = left - 1
    local key, token, tail = keys[k], arguments[a], arguments[a + 1]
    a = a + 2
    local value = values[k - 3]
    if written[key] then value = call('GET', key) end
    local before, lease_was, seen_at, epoch, size
    local matches = value and #value >= head_bytes and sub(value, 35, 58) == token
    if matches then
        local _
        before, _, lease_was, _, seen_at, epoch, _, size = unpack_('>c1i8i8i8i8i8c16I4', value, 2)
        matches = find(statuses, before, 1, true)
            and (lease_is < 0 or lease_is == lease_was)
            and (over_for < 0 or before == '0' and lease_was > 0 and lease_was <= now - over_for)
    end
    if not value then
        answers[k - 2] = false
    elseif not matches then
        if #value > head_bytes then value = sub(value, 1, head_bytes + unpack_('>I4', value, 59)) end
        answers[k - 2] = value
    else
        if raises == '1' then
            epoch = math.max(epoch + 1, now)
            token = pack('>i8', epoch) .. sub(tail, 1, 16)
        end
        local was_due = before == '3' or before == '0' and lease_was <= now
        if was_due then rarely().unfile(key, value) end
        if status == '0' and lease_end > 0 then
            -- Whoever looks at the end of the lease as it was will see the new one.
            if was_due or before ~= '0' or lease_end < lease_was then
                seen_at = queue_in_at > 0 and queue_in_at < lease_end and queue_in_at or lease_end
                leases_count = leases_count + 1
                leases[leases_count] = key
                if not leases_at or seen_at < leases_at then leases_at = seen_at end
            end
        elseif queue_in_at > 0 and (seen_at <= now or queue_in_at < seen_at) then
            seen_at = queue_in_at
            queue = queue or {}
            queue[#queue + 1] = key
            if not queue_at or seen_at < queue_at then queue_at = seen_at end
        end
        local story = sub(value, head_bytes + 1 + size)
        if note then
            value = front .. pack('>i8i8', seen_at, epoch) .. tail .. story .. stamp .. token .. note
        else
            value = front .. pack('>i8i8', seen_at, epoch) .. tail .. story
        end
        if ttl then
            call('SET', key, value, 'PX', ttl)
        else
            call('SET', key, value)
        end
        written[key] = true
        if status == '3' and retry_in >= 0 then rarely().file(key, value, -(now + retry_in)) end
        answers[k - 2] = epoch
    end
end
