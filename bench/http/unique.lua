-- wrk: POST /charges, a key of its own for every request.
local sent, seed = 0, 0
local body = '{"amount":1999,"currency":"EUR","customer":"cus_0123456789","description":"order 4711",' ..
    '"metadata":{"cart":"c-1","channel":"web"}}'

function init()
    seed = tonumber(os.getenv("BENCH_SEED")) or os.time()
    wrk.method = "POST"
    wrk.body = body
    wrk.headers["Content-Type"] = "application/json"
end

function request()
    sent = sent + 1
    wrk.headers["Idempotency-Key"] = string.format("%x-%x-0123456789abcdef", seed, sent)
    return wrk.format()
end

done = dofile(os.getenv("BENCH_FOLDER") .. "/report.lua")
