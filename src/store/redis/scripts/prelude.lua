-- What every script begins with: is this still the server we knew, what time is it, and how a record lies
-- in its key. Scripts hold no rules: conditions come as data, and the engine has decided before.
--
-- KEYS[1] sentinel, KEYS[2] where records wait to be looked at by a sweep
-- ARGV[1] what the sentinel must hold, ARGV[2] the clock of a test, or '' for the server's own
-- The answer is the instant, then one element for each member, in order.
--
-- A record, byte by byte: 'A', status (2), updated_at (3-10), end of the lease (11-18), expires_at (19-26),
-- queued for a sweep at (27-34), epoch (35-42), execution (43-58), size of the body (59-62), the body, which
-- is the client's business alone, and its story: entries of size (2 bytes), instant (8), epoch (8),
-- execution (16), event (1) and detail. Instants are microseconds, big-endian; 0 means none.

if redis.call('GET', KEYS[1]) ~= ARGV[1] then
    return redis.error_reply('EMPTIED the sentinel is not the one we left')
end
local now = tonumber(ARGV[2])
if not now then
    local time = redis.call('TIME')
    now = time[1] * 1000000 + time[2]
end
local answers = {now}

local call, pack, unpack_, sub = redis.call, struct.pack, struct.unpack, string.sub
local head_bytes = 62
-- The server's own expiry comes an hour after the sweep's: it is for servers that nobody sweeps any more.
local grace_ms = 3600000

local function answer(value)
    answers[#answers + 1] = value
end

-- The record without its story. What is too short to be one is given as it is: the client says so, and the
-- others of this call are answered.
local function record_of(value)
    if #value < head_bytes then return value end
    local size = head_bytes + unpack_('>I4', value, 59)
    if #value == size then return value end
    return sub(value, 1, size)
end

-- Durations are -1 where there is none. How a draft says what is to be written: status, '1' if the epoch is
-- raised, lease, expires_in, retry_in, queue_in.
local plan_format = '>c1c1i8i8i8i8'

local function in_future(duration)
    if duration < 0 then return 0 end
    return now + duration
end

-- As text: a number would go through the slowest of all formats on its way into a command.
local function text_of(number)
    return string.format('%d', number)
end

local function ttl_ms(expires_in)
    return text_of(expires_in / 1000 + grace_ms)
end

-- `tail` begins with the execution; `note` is event and detail.
local function entry(epoch, execution, note)
    if note == '' then return '' end
    return pack('>I2i8i8', 32 + #note, now, epoch) .. execution .. note
end

-- Abandoned work has the end of its lease as score, doubts the negative instant of their next try: one
-- index tells both apart, each in its order.
local function index(due_key, member, status, lease_end, retry_in, was_open)
    if status == '0' and lease_end > 0 then
        call('ZADD', due_key, text_of(lease_end), member)
    elseif status == '3' and retry_in >= 0 then
        call('ZADD', due_key, text_of(-(now + retry_in)), member)
    elseif was_open then
        call('ZREM', due_key, member)
    end
end

-- Records that are written together are queued together: one element for all, at the earliest instant.
local queue, queue_at = {}, nil
local function look_at(key, at)
    queue[#queue + 1] = key
    if not queue_at or at < queue_at then queue_at = at end
end
local function close()
    if queue_at then call('ZADD', KEYS[2], text_of(queue_at), table.concat(queue, ' ')) end
    return answers
end
