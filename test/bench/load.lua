-- What wrk asks: each line of the file named after `--` is a method, a path, and the body where there is one.
local requests = {}
local at = 0

function init(args)
  wrk.headers["authorization"] = "Bearer " .. args[2]
  for line in io.lines(args[1]) do
    local method, path, body = line:match("^(%S+) (%S+) ?(.*)$")
    local headers = {}
    for name, value in pairs(wrk.headers) do headers[name] = value end
    if body == "" then body = nil else headers["content-type"] = "application/json" end
    requests[#requests + 1] = wrk.format(method, path, headers, body)
  end
end

function request()
  at = at % #requests + 1
  return requests[at]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\n{"requests":%d,"seconds":%f,"p50_ms":%f,"p99_ms":%f,"refused":%d,"broken":%d}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end
