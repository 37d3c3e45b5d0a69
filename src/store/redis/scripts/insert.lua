-- Makes one step of: is the record absent? then write it. Writes the record, its place in the index of due
-- work and in the queue of the sweep.
--
-- For each member KEYS: record, due; ARGV: plan, tail (execution, size, body), note. Answers 1, or the record
-- that is there.

local a = 3
for k = 3, #KEYS, 2 do
    local key, tail = KEYS[k], ARGV[a + 1]
    local status, raises, lease, expires_in, retry_in, queue_in = unpack_(plan_format, ARGV[a])
    local epoch = raises == '1' and now or 0
    local lease_end, queued = in_future(lease), in_future(queue_in)
    local value = 'A' .. status
        .. pack('>i8i8i8i8i8', now, lease_end, in_future(expires_in), queued, epoch)
        .. tail .. entry(epoch, sub(tail, 1, 16), ARGV[a + 2])
    local done
    if expires_in < 0 then
        done = call('SET', key, value, 'NX')
    else
        done = call('SET', key, value, 'NX', 'PX', ttl_ms(expires_in))
    end
    if done then
        index(KEYS[k + 1], key, status, lease_end, retry_in, false)
        if queued > 0 then look_at(key, queued) end
        answer(1)
    else
        answer(record_of(call('GET', key)))
    end
    a = a + 3
end
return close()
