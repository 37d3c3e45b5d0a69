#!/usr/bin/env python3
"""The correctness probes that peers were put to (see docs/reference/performance.md), pointed at probe_server on
`sqlite:`, or on a private Redis. What ran is counted in the execution log, which no idempotency layer writes.

    probes.py FOLDER_OF_PROBE_SERVER [ROUNDS [redis]]      ends with 1 if one of them failed

On Redis the operation is `cached`, and its guarantee is another: a run that failed or was killed is run again.
"""

import json
import signal
import sys
import threading
import time

import servers

CHARGE = json.dumps({"amount": 1999, "currency": "EUR"})
REORDERED = json.dumps({"currency": "EUR", "amount": 1999})
OTHER = json.dumps({"amount": 5, "currency": "USD"})
RACERS = 50
LEASE_MS = 2000


class Probes:
    def __init__(self, bench, redis=None):
        self.bench = bench
        self.redis = redis
        self.log = bench.file("executions.log")
        self.failed = 0
        self.server = self.start()

    def start(self):
        store = f"redis://127.0.0.1:{self.redis.port}" if self.redis else f"sqlite:{self.bench.file('probe.db')}"
        return self.bench.probe(store, EXEC_LOG=self.log, LEASE_MS=str(LEASE_MS))

    def executions(self):
        try:
            with open(self.log, encoding="ascii") as lines:
                return sum(1 for _ in lines)
        except FileNotFoundError:
            return 0

    def expect(self, what, is_right, seen):
        self.failed += not is_right
        print(f"{'ok    ' if is_right else 'FAILED'} {what}: {seen}", flush=True)

    def race(self, rounds):
        """50 at once with one key: the handler runs once, nobody gets a 5xx."""
        executions, statuses = [], {}
        for number in range(rounds):
            before = self.executions()
            answers = [None] * RACERS

            def post(racer, key=f"race-{number}"):
                answers[racer] = self.server.post(key, CHARGE, {"x-delay-ms": "50"})[0]

            threads = [threading.Thread(target=post, args=(racer,)) for racer in range(RACERS)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            executions.append(self.executions() - before)
            for status in answers:
                statuses[status] = statuses.get(status, 0) + 1
        is_right = set(executions) == {1} and set(statuses) <= {200, 409} and statuses.get(200, 0) >= rounds
        self.expect(f"{rounds} races of {RACERS}, executions per race", is_right, f"{sorted(set(executions))} {statuses}")

    def replay(self):
        before = self.executions()
        first, again = self.server.post("seq-1", CHARGE), self.server.post("seq-1", CHARGE)
        seen = first[0], again[0], self.executions() - before
        self.expect("a retry replays", seen == (200, 200, 1) and first[1] == again[1], seen)

        before = self.executions()
        seen = self.server.post("seq-1", REORDERED)[0], self.executions() - before
        self.expect("members in another order replay", seen == (200, 0), seen)

        before = self.executions()
        seen = self.server.post("seq-1", OTHER)[0], self.executions() - before
        self.expect("another payload is refused", seen == (409, 0), seen)

    def retry_until_success(self, key, seconds):
        """(statuses as they changed, seconds until 200 or None)."""
        began, seen = time.monotonic(), []
        while time.monotonic() - began < seconds:
            status, _ = self.server.post(key, CHARGE)
            if not seen or seen[-1] != status:
                seen.append(status)
            if status == 200:
                return seen, time.monotonic() - began
            time.sleep(0.05)  # as a client that retries
        return seen, None

    def exception(self):
        before = self.executions()
        first, _ = self.server.post("fail-1", CHARGE, {"x-fail": "1"})
        seen, after = self.retry_until_success("fail-1", 3 * LEASE_MS / 1000)
        executions = self.executions() - before
        told = first, seen, f"{executions} executions"
        if self.redis:
            self.expect("an exception: the key is free again", first == 500 and after is not None and executions == 2, told)
        else:
            self.expect("an exception after the effect: found out, not repeated",
                        first == 409 and after is not None and executions == 1, told)

    def kill(self):
        before = self.executions()
        pending = threading.Thread(target=self.server.post, args=("kill-1", CHARGE, {"x-delay-ms": "30000"}))
        pending.start()
        deadline = time.monotonic() + 10
        while self.executions() == before and time.monotonic() < deadline:
            time.sleep(0.01)
        self.server.stop(signal.SIGKILL)
        pending.join()
        self.server = self.start()
        # The lease runs out, then comes `settle`, a fifth of it, then the worker asks.
        seen, after = self.retry_until_success("kill-1", 3 * LEASE_MS / 1000)
        executions = self.executions() - before
        told = f"{seen}, success after {after:.1f} s" if after is not None else f"{seen}, no success"
        if self.redis:
            self.expect("kill -9 in the handler: run again when the lease is over",
                        seen == [409, 200] and executions == 2, f"{told}, {executions} executions")
        else:
            self.expect("kill -9 in the handler: a definite answer, one execution",
                        after is not None and executions == 1, f"{told}, {executions} executions")


def run_all(bench, rounds, on_redis=False):
    """Prints a line per probe; tells whether all were right."""
    redis = bench.redis(None) if on_redis else None
    probes = Probes(bench, redis)
    try:
        probes.race(rounds)
        probes.replay()
        probes.exception()
        probes.kill()
    finally:
        probes.server.stop()
        if redis:
            redis.stop()
    return probes.failed == 0


if __name__ == "__main__":
    made = servers.Bench(sys.argv[1])
    try:
        is_right = run_all(made, int(sys.argv[2]) if len(sys.argv) > 2 else 5, sys.argv[3:] == ["redis"])
    finally:
        made.close()
    sys.exit(0 if is_right else 1)
