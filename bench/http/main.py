"""HTTP under load, each figure next to its limit or its peer in the same run. `./dev bench http [ROUNDS]`.

A round measures every server once, one after the other, with `wrk -t1 -c64`; a ratio is made of two windows
of the same round, and the median of the rounds counts. Peers need node, npm packages and redis-server; their
lines are left out where these are absent. The correctness probes of peers come last.
"""

import os
import shutil
import statistics
import subprocess
import sys

import load
import probes
import servers

ROUNDS_LEAST = 5
STORED_KEYS = 1_000_000
FINISHED_KEYS = 1000
# A server that was just started makes its log longer until it has the length that a large database is given, and reads
# what it will keep in memory: seconds of its life. Large files are measured after that.
LARGE_WARM_UP_SECONDS = 6


class Goal:
    """A ratio of two figures of one round, and what it has to be."""

    def __init__(self, what, ours, theirs, at_least=None, at_most=None):
        self.what, self.ours, self.theirs = what, ours, theirs
        self.at_least, self.at_most = at_least, at_most

    def show(self, rounds):
        """Prints the line; tells whether it is met, None where it was not measured."""
        pairs = [(one[self.ours], one[self.theirs]) for one in rounds if self.ours in one and self.theirs in one]
        if not pairs:
            print(f"{self.what:<58} not measured: a peer is absent")
            return None
        ratios = [ours / theirs for ours, theirs in pairs]
        ratio = statistics.median(ratios)
        met = ratio >= self.at_least if self.at_least is not None else ratio <= self.at_most
        goal = f">= {self.at_least}" if self.at_least is not None else f"<= {self.at_most}"
        ours, theirs = (statistics.median(side) for side in zip(*pairs))
        print(f"{self.what:<58} {ours:>9,.1f} {theirs:>9,.1f} {ratio:>6.2f} [{min(ratios):.2f}..{max(ratios):.2f}]"
              f"  {goal:<8} {'yes' if met else 'NO'}")
        return met


GOALS = [
    Goal("plain endpoint: requests/s / bare Beast", "plain.rate", "bare.rate", at_least=0.85),
    Goal("plain endpoint: CPU us / bare Beast", "plain.cpu", "bare.cpu", at_most=1.3),
    Goal("unique key, memory: CPU us / bare Beast", "memory.cpu", "bare.cpu", at_most=1.5),
    Goal("unique key, memory: requests/s / fastify+node-idempotency", "memory.rate", "peer.rate", at_least=4),
    Goal("unique key, memory: p99 us / fastify+node-idempotency", "memory.p99", "peer.p99", at_most=0.35),
    Goal("clientes, SQLite: clients/s / batches of 32 by hand", "clientes.rate", "by_hand.rate", at_least=0.7),
    Goal("clientes, SQLite: clients/s / peer, appendfsync always", "clientes.rate", "peer_always.rate", at_least=1.2),
    Goal("clientes, SQLite: replays/s / peer, appendfsync always", "replay.rate", "peer_replay.rate", at_least=3),
    Goal("memory, 1,000,000 keys: requests/s / with none", "memory_full.rate", "memory.rate", at_least=0.9),
    Goal("leased, SQLite, 1,000,000 keys: requests/s / with none", "durable_full.rate", "durable.rate", at_least=0.9),
    Goal("clientes, 1,000,000 keys: clients/s / with none", "clientes_full.rate", "clientes.rate", at_least=0.9),
    Goal("clientes, 1,000,000 keys: clients/s / by hand", "clientes_full.rate", "by_hand_full.rate", at_least=0.7),
]


def say(text):
    print(text, file=sys.stderr, flush=True)


def note(figures, name, window):
    figures[f"{name}.rate"] = window.rate
    figures[f"{name}.cpu"] = window.cpu_us
    figures[f"{name}.p99"] = window.p99_us
    say(f"  {name:<14} {window.rate:>9,.0f}/s  {window.cpu_us:>7.1f} us CPU  p99 {window.p99_us / 1000:>6.1f} ms"
        f"  others {window.foreign:.0%}")


def measure_peer(bench, figures):
    with bench.peer() as server:
        note(figures, "peer", load.measure(server, "unique.lua"))
    with bench.peer("always") as server:
        note(figures, "peer_always", load.measure(server, "unique.lua"))
        load.wrk(server, "replay.lua", 1, BENCH_KEYS=FINISHED_KEYS)
        executed = server.get("/count")
        note(figures, "peer_replay", load.measure(server, "replay.lua", BENCH_KEYS=FINISHED_KEYS))
        if server.get("/count") != executed:
            raise SystemExit("the peer ran again instead of replaying")


def measure_clientes(bench, figures):
    bench.remove_database("new.db")
    with bench.umavez("new.db") as server:
        note(figures, "clientes", load.measure(server, "clientes.lua"))
        for number in range(FINISHED_KEYS):
            body = f'{{"nome":"Maria da Silva","email":"finished{number}@example.com","documento":"123.456.789-00"}}'
            status, answer = server.post(f"finished-{number}", body)
            if status != 201:
                raise SystemExit(f"a client was not made: {status} {answer}")
        note(figures, "replay", load.measure(
            server, "replay.lua", BENCH_KEYS=FINISHED_KEYS, BENCH_REPLAYS="clientes"))
    bench.remove_database("by-hand.db")
    with bench.umavez("by-hand.db"):
        pass  # it makes the tables
    figures["by_hand.rate"] = bench.write_by_hand("by-hand.db", 3000)
    say(f"  {'by_hand':<14} {figures['by_hand.rate']:>9,.0f}/s")
    with bench.umavez("full.db") as server:
        note(figures, "clientes_full", load.measure(server, "clientes.lua", warm_up=LARGE_WARM_UP_SECONDS))
    # How far the same rows without us fall on a file of this size.
    figures["by_hand_full.rate"] = bench.write_by_hand("full.db", 3000)
    say(f"  {'by_hand_full':<14} {figures['by_hand_full.rate']:>9,.0f}/s")


def measure_round(bench, full_memory):
    figures = {}
    with bench.bare_beast() as server:
        note(figures, "bare", load.measure(server, "unique.lua"))
    with bench.plain() as server:
        note(figures, "plain", load.measure(server, "unique.lua"))
    with bench.probe("memory:") as server:
        note(figures, "memory", load.measure(server, "unique.lua"))
    note(figures, "memory_full", load.measure(full_memory, "unique.lua"))
    bench.remove_database("keys.db")
    for name, file, warm_up in (("durable", "keys.db", 1), ("durable_full", "full-keys.db", LARGE_WARM_UP_SECONDS)):
        with bench.probe(f"sqlite:{bench.file(file)}") as server:
            note(figures, name, load.measure(server, "unique.lua", warm_up=warm_up))
    measure_clientes(bench, figures)
    if bench.has_peer():
        measure_peer(bench, figures)
    return figures


def fill(bench):
    """A million clients in a file, a million keys in another and in the memory of a server, which is given back."""
    say(f"storing {STORED_KEYS:,} clients in SQLite")
    with bench.umavez("full.db"):
        pass
    bench.fill_by_hand("full.db", STORED_KEYS)
    say(f"storing {STORED_KEYS:,} keys in SQLite")
    with bench.probe(f"sqlite:{bench.file('full-keys.db')}") as server:
        store_keys(server)
    say(f"storing {STORED_KEYS:,} keys in memory")
    memory = bench.probe("memory:")
    store_keys(memory)
    return memory


def store_keys(server):
    stored = 0
    while stored < STORED_KEYS:
        told, _ = load.wrk(server, "unique.lua", 5)
        stored += told["requests"]


def main():
    if not shutil.which("wrk"):
        raise SystemExit("wrk is not installed; `apt-get install wrk` or `./dev bench http`, which installs it")
    programs = sys.argv[1]
    rounds_wanted = max(int(sys.argv[2]) if len(sys.argv) > 2 else ROUNDS_LEAST, ROUNDS_LEAST)
    try:
        os.nice(-10)  # so that others on the machine disturb less
    except PermissionError:
        pass
    bench = servers.Bench(programs)
    try:
        rounds = []
        with fill(bench) as full_memory:
            for number in range(rounds_wanted):
                say(f"round {number + 1} of {rounds_wanted}")
                rounds.append(measure_round(bench, full_memory))
        print(f"{'':<58} {'ours':>9} {'theirs':>9} {'ratio':>6} [least..most]  goal     met")
        met = [goal.show(rounds) for goal in GOALS]
        say("correctness probes on sqlite:")
        right = probes.run_all(bench, rounds=100)
    finally:
        bench.close()
    sys.exit(0 if right and False not in met else 1)


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        raise SystemExit(str(error)) from error
