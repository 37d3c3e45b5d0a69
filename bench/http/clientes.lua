-- wrk: POST /api/v1/clientes, a random key and a random address for every request.
local sent, seed = 0, 0

function init()
    seed = tonumber(os.getenv("BENCH_SEED")) or os.time()
    math.randomseed(seed)
    wrk.method = "POST"
    wrk.headers["Content-Type"] = "application/json"
end

function request()
    sent = sent + 1
    local random = string.format("%08x%08x", math.random(0, 2 ^ 31 - 1), math.random(0, 2 ^ 31 - 1))
    wrk.headers["Idempotency-Key"] = string.format("%s-%x-%x", random, seed, sent)
    return wrk.format(nil, nil, nil, string.format(
        '{"nome":"Maria da Silva","email":"m%s%x@example.com","documento":"123.456.789-00"}', random, sent))
end

done = dofile(os.getenv("BENCH_FOLDER") .. "/report.lua")
