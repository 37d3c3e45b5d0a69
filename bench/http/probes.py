#!/usr/bin/env python3
"""The correctness probes that peers were put to (see docs/reference/performance.md), pointed at probe_server on
`sqlite:`, or on a private Redis. What ran is counted in the execution log, which no idempotency layer writes.

    probes.py FOLDER_OF_PROBE_SERVER [ROUNDS [redis]]      ends with 1 if one of them failed

On Redis the operation is `cached`, and its guarantee is another: a run that failed or was killed is run again.
"""

import itertools
import json
import os
import signal
import sys
import threading

import servers

sys.path.append(os.path.join(servers.HERE, "..", "..", "tests", "clients"))
from support import WAIT_SECONDS, wait_until  # noqa: E402

CHARGE = json.dumps({"amount": 1999, "currency": "EUR"})
REORDERED = json.dumps({"currency": "EUR", "amount": 1999})
OTHER = json.dumps({"amount": 5, "currency": "USD"})
RACERS = 50
# No stall ends the one; the other is to end.
LONG_LEASE_MS = 300_000
SHORT_LEASE_MS = 2000


class Probes:
    def __init__(self, bench, redis=None):
        self.bench = bench
        self.redis = redis
        self.log = bench.file("executions.log")
        self.failed = 0
        self.server = self.start(LONG_LEASE_MS)

    def start(self, lease_ms):
        store = f"redis://127.0.0.1:{self.redis.port}" if self.redis else f"sqlite:{self.bench.file('probe.db')}"
        return self.bench.probe(store, EXEC_LOG=self.log, LEASE_MS=str(lease_ms))

    def executions(self):
        try:
            with open(self.log, encoding="ascii") as lines:
                return sum(1 for _ in lines)
        except FileNotFoundError:
            return 0

    def post(self, key, body=CHARGE, headers=None):
        """Asked again where the claim took as long as its lease: nothing ran then."""
        return wait_until(f"an answer for {key}", lambda: self.told(self.server.post(key, body, headers, WAIT_SECONDS)))

    @staticmethod
    def told(answer):
        return None if answer[0] == 503 else answer

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
                answers[racer] = self.post(key, CHARGE, {"x-delay-ms": "50"})[0]

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
        first, again = self.post("seq-1"), self.post("seq-1")
        seen = first[0], again[0], self.executions() - before
        self.expect("a retry replays", seen == (200, 200, 1) and first[1] == again[1], seen)

        before = self.executions()
        seen = self.post("seq-1", REORDERED)[0], self.executions() - before
        self.expect("members in another order replay", seen == (200, 0), seen)

        before = self.executions()
        seen = self.post("seq-1", OTHER)[0], self.executions() - before
        self.expect("another payload is refused", seen == (409, 0), seen)

    def retry_until_success(self, key):
        """The statuses as they changed."""
        seen = []

        def succeeds():
            status, _ = self.post(key)
            if not seen or seen[-1] != status:
                seen.append(status)
            return status == 200

        wait_until(f"{key} succeeds", succeeds)
        return seen

    def exception(self):
        told, executions = (500, 2) if self.redis else (409, 1)
        seen = []

        def fails(number=itertools.count()):
            # A stall may end the lease before the exception comes: then another key is tried.
            key, before = f"fail-{next(number)}", self.executions()
            first, _ = self.post(key, CHARGE, {"x-fail": "1"})
            seen[:] = first, self.retry_until_success(key), self.executions() - before
            return first == told or seen[2] != executions

        wait_until(f"an exception is told as {told}", fails)
        what = "the key is free again" if self.redis else "found out, not repeated"
        self.expect(f"an exception after the effect: {what}", seen[2] == executions, seen)

    def kill(self):
        before = self.executions()
        # Until the server is killed, which is an answer, too.
        pending = threading.Thread(target=self.post, args=("kill-1", CHARGE, {"x-delay-ms": "3600000"}))
        pending.start()
        wait_until("the handler runs", lambda: self.executions() > before)
        self.server.stop(signal.SIGKILL)
        pending.join()
        self.server = self.start(SHORT_LEASE_MS)
        # The lease runs out, then comes `settle`, a fifth of it, then the worker asks.
        seen = self.retry_until_success("kill-1")
        executions = self.executions() - before
        if self.redis:
            self.expect("kill -9 in the handler: run again when the lease is over",
                        seen[-1] == 200 and executions == 2, f"{seen}, {executions} executions")
        else:
            self.expect("kill -9 in the handler: a definite answer, one execution",
                        executions == 1, f"{seen}, {executions} executions")


def run_all(bench, rounds, on_redis=False):
    """Prints a line per probe; tells whether all were right."""
    redis = bench.redis(None) if on_redis else None
    probes = Probes(bench, redis)
    try:
        probes.race(rounds)
        probes.replay()
        probes.server.stop()
        probes.server = probes.start(SHORT_LEASE_MS)
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
