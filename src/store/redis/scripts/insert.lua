-- Makes one step of: is the record absent? then write it, and name it where it will be looked at.
--
-- For each member KEYS: record; ARGV: tail (execution, size, body), and a plan before the first of those that
-- share it. Answers 1, or the record that is there.
--
-- A plan is how many members follow it (4 bytes), status, '1' if the epoch is raised, lease, expires_in,
-- retry_in, queue_in (durations in microseconds, -1 where there is none), and the note for the story: event and
-- detail, or nothing. Members of one call mostly share one: what follows from it is worked out once.

local left, status, retry_in, is_run, seen_at, ttl, note, head, stamp = 0
local a = 3
for k = 4, #keys do
    if left == 0 then
        local plan = arguments[a]
        a = a + 1
        local raises, lease, expires_in, queue_in
        left, status, raises, lease, expires_in, retry_in, queue_in = unpack_('>I4c1c1i8i8i8i8', plan)
        is_run = status == '0' and lease >= 0
        seen_at = queue_in < 0 and 0 or now + queue_in
        if is_run and (seen_at == 0 or lease < queue_in) then seen_at = now + lease end
        ttl = expires_in >= 0 and format('%d', expires_in / 1000 + grace_ms)
        local epoch = raises == '1' and now or 0
        head = 'A' .. status .. pack('>i8i8i8i8i8', now, lease < 0 and 0 or now + lease,
            expires_in < 0 and 0 or now + expires_in, seen_at, epoch)
        note = #plan > 38 and sub(plan, 39)
        stamp = note and pack('>I2i8i8', 32 + #note, now, epoch)
    end
    local key, tail = keys[k], arguments[a]
    a = a + 1
    left = left - 1
    local value
    if note then
        value = head .. tail .. stamp .. sub(tail, 1, 16) .. note
    else
        value = head .. tail
    end
    local done
    if ttl then
        done = call('SET', key, value, 'NX', 'PX', ttl)
    else
        done = call('SET', key, value, 'NX')
    end
    if not done then
        -- The record that is there, without its story. What is too short to be one is given as it is: the
        -- client says so, and the others of this call are answered.
        value = call('GET', key)
        if #value > head_bytes then value = sub(value, 1, head_bytes + unpack_('>I4', value, 59)) end
        answers[k - 2] = value
    else
        if is_run then
            leases_count = leases_count + 1
            leases[leases_count] = key
            if not leases_at or seen_at < leases_at then leases_at = seen_at end
        elseif seen_at > 0 then
            queue = queue or {}
            queue[#queue + 1] = key
            if not queue_at or seen_at < queue_at then queue_at = seen_at end
        end
        if status == '3' and retry_in >= 0 then rarely().file(key, value, -(now + retry_in)) end
        answers[k - 2] = 1
    end
end
-- Every eighth call looks at more ripe elements than the other seven leave behind: there are never more of
-- them than one lease's, whether or not anybody sweeps.
if leases_at and now % 8 == 0 then rarely().ripen(KEYS[3], KEYS[2], 16) end
