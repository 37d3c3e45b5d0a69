-- wrk: POST /webhooks/stripe, events that were signed beforehand, each sent once. A line of the file is a
-- signature, a tab and a body; BENCH_SKIP of them were used before.
local lines

function init()
    lines = io.open(os.getenv("BENCH_EVENTS"), "r")
    for _ = 1, tonumber(os.getenv("BENCH_SKIP")) do lines:read("*l") end
    wrk.method = "POST"
    wrk.headers["Content-Type"] = "application/json"
end

function request()
    local line = lines:read("*l")
    if line == nil then error("there are no more events") end
    local tab = line:find("\t", 1, true)
    wrk.headers["Stripe-Signature"] = line:sub(1, tab - 1)
    return wrk.format(nil, nil, nil, line:sub(tab + 1))
end

done = dofile(os.getenv("BENCH_FOLDER") .. "/report.lua")
