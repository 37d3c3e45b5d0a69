-- wrk: POST /api/v1/clientes with keys that are finished: BENCH_KEYS of them, in turn.
local sent, keys = 0, tonumber(os.getenv("BENCH_KEYS"))

function init()
    wrk.method = "POST"
    wrk.headers["Content-Type"] = "application/json"
end

function request()
    local number = sent % keys
    sent = sent + 1
    wrk.headers["Idempotency-Key"] = string.format("finished-%d", number)
    return wrk.format(nil, nil, nil, string.format(
        '{"nome":"Maria da Silva","email":"finished%d@example.com","documento":"123.456.789-00"}', number))
end

done = dofile(os.getenv("BENCH_FOLDER") .. "/report.lua")
