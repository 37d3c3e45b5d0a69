-- The last line of wrk's output: what bench_http reads.
return function(summary, latency)
    local errors = summary.errors
    io.write(string.format(
        '{"requests":%d,"seconds":%f,"p50_us":%d,"p99_us":%d,"refused":%d,"broken":%d}\n',
        summary.requests, summary.duration / 1e6, latency:percentile(50), latency:percentile(99),
        errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end
