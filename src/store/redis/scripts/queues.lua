-- Where records wait to be looked at. Needs the prelude.
--
-- A run is named among the leases, at the end of its lease or before; a record that expires, in the queue of
-- the sweep. Names that are written together lie in one element, at the earliest instant of any of them, and
-- nobody takes a name out: who looks sees for himself what the record has become. Runs that outlived their
-- lease, and doubts, are filed one by one in the index of their operation, and taken out when they change.

local queue, queue_at
local leases, leases_count, leases_at = {}, 0, nil

-- What is seldom needed is made when it is: file, unfile, ripen.
local rare
local function rarely()
    if rare then return rare end
    rare = {}

    -- The index of due work that a record belongs to, by its name and its body; nil if it is damaged.
    local function index_of(key, value)
        if #value < 158 then return nil end
        local at = 159 + unpack_('>I4', value, 155)
        if #value < at + 4 then return nil end
        local size = unpack_('>I4', value, at)
        local own = string.find(key, '}:r:', 1, true)
        return sub(key, 1, own + 1) .. 'd:' .. sub(value, at + 4, at + 3 + size)
    end

    -- Abandoned work has the end of its lease as score, doubts the negative instant of their next try: one
    -- index tells both apart, each in its order.
    function rare.file(key, value, score)
        local index = index_of(key, value)
        if index then call('ZADD', index, format('%d', score), key) end
    end
    function rare.unfile(key, value)
        local index = index_of(key, value)
        if index then call('ZREM', index, key) end
    end

    -- Looks at a run whose lease may be over. If it goes on it is watched on, if it was abandoned it is filed
    -- as due, and if it expires it joins `expiring`. Gives the earliest instant of those.
    local function ripen_one(name, expiring, at)
        local head = call('GETRANGE', name, 0, 61)
        if #head < head_bytes then return at end
        local is_run = sub(head, 2, 2) == '0'
        local lease_end, expires = unpack_('>i8i8', head, 11)
        if is_run and lease_end > now then
            leases_count = leases_count + 1
            leases[leases_count] = name
            if not leases_at or lease_end < leases_at then leases_at = lease_end end
            return at
        end
        if is_run and lease_end > 0 then rare.file(name, call('GETRANGE', name, 0, 639), lease_end) end
        if expires == 0 then return at end
        expiring[#expiring + 1] = name
        return at and at < expires and at or expires
    end

    -- Elements name records of their own hash tag, or of any where there is no cluster. Gives how many
    -- elements were ripe.
    function rare.ripen(leases_key, queue_key, elements_max)
        local elements = call('ZRANGEBYSCORE', leases_key, '-inf', format('%d', now), 'LIMIT', 0, elements_max)
        for _, element in ipairs(elements) do
            local expiring, at = {}, nil
            for name in string.gmatch(element, '[^ ]+') do at = ripen_one(name, expiring, at) end
            call('ZREM', leases_key, element)
            if at then call('ZADD', queue_key, format('%d', at), table.concat(expiring, ' ')) end
        end
        return #elements
    end
    return rare
end
