-- wrk: keys that are finished, BENCH_KEYS of them in turn, of POST /charges or, where BENCH_REPLAYS says
-- "clientes", of POST /api/v1/clientes. Requests are formatted before the first is sent: wrk shares the
-- processors with the server, and would cost a faster one more.
local bodies = {
    charges = '{"amount":1999,"currency":"EUR","customer":"cus_0123456789","description":"order 4711",' ..
        '"metadata":{"cart":"c-1","channel":"web"}}',
    clientes = '{"nome":"Maria da Silva","email":"finished%d@example.com","documento":"123.456.789-00"}',
}
local requests, sent = {}, 0

function init()
    local body = bodies[os.getenv("BENCH_REPLAYS") or "charges"]
    wrk.headers["Content-Type"] = "application/json"
    for number = 0, tonumber(os.getenv("BENCH_KEYS")) - 1 do
        wrk.headers["Idempotency-Key"] = string.format("finished-%d", number)
        requests[number + 1] = wrk.format("POST", nil, nil, string.format(body, number))
    end
end

function request()
    sent = sent % #requests + 1
    return requests[sent]
end

done = dofile(os.getenv("BENCH_FOLDER") .. "/report.lua")
