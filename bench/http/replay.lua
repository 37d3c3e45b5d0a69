-- wrk: POST /charges with one key; somebody has sent it before.
wrk.method = "POST"
wrk.body = '{"amount":1999,"currency":"EUR","customer":"cus_0123456789","description":"order 4711",' ..
    '"metadata":{"cart":"c-1","channel":"web"}}'
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Idempotency-Key"] = "replay-key-0001"

done = dofile(os.getenv("BENCH_FOLDER") .. "/report.lua")
