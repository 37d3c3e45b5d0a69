-- What every script begins with: is this still the server we knew, what time is it, and how a record lies
-- in its key. Scripts hold no rules: conditions come as data, and the engine has decided before.
--
-- KEYS[1] sentinel, KEYS[2] where records wait for a sweep, KEYS[3] where they wait for the end of their lease
-- ARGV[1] what the sentinel must hold, ARGV[2] the clock of a test, or '' for the server's own
-- The answer is the instant, then one element for each member, in order.
--
-- A record, byte by byte: 'A', status (2), updated_at (3-10), end of the lease (11-18), expires_at (19-26),
-- somebody will look at it at (27-34), epoch (35-42), execution (43-58), size of the body (59-62), the body,
-- which is the client's business but for the name of the operation, and its story: entries of size (2 bytes),
-- instant (8), epoch (8), execution (16), event (1) and detail. Instants are microseconds, big-endian; 0 means
-- none.
--
-- What costs here (instructions of the server, by callgrind): a call 18,000, a command inside it 6,000 to 12,000,
-- a function that is declared 3,000 whether it is used or not, and every byte of every string that is made 9,
-- for Lua hashes them all. So there are few commands, the common way is written out, and numbers go into
-- commands as text, since Lua would give them the slowest of all formats.

if redis.call('GET', KEYS[1]) ~= ARGV[1] then
    return redis.error_reply('EMPTIED the sentinel is not the one we left')
end
local now = tonumber(ARGV[2])
if not now then
    local time = redis.call('TIME')
    now = time[1] * 1000000 + time[2]
end
local answers = {now}

local call, pack, unpack_, sub, format = redis.call, struct.pack, struct.unpack, string.sub, string.format
local keys, arguments = KEYS, ARGV
local head_bytes = 62
-- The server's own expiry comes an hour after the sweep's: it is for servers that nobody sweeps any more.
local grace_ms = 3600000
