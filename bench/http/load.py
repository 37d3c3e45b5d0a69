"""One window of load: wrk against a server, and what the server's processes spent on it."""

import json
import os
import subprocess
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TICK = 1 / os.sysconf("SC_CLK_TCK")
CPUS = os.cpu_count() or 1


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) * TICK


def busy_seconds():
    """What all processors did since the machine started, but for waiting."""
    with open("/proc/stat", encoding="ascii") as stat:
        user, nice, system, _idle, _iowait, irq, softirq = map(int, stat.readline().split()[1:8])
    return (user + nice + system + irq + softirq) * TICK


class Window:
    """Figures of one window; `cpu_us` is of the server alone, with the store of a peer."""

    def __init__(self, told, cpu, foreign):
        self.rate = told["requests"] / told["seconds"]
        self.p99_us = told["p99_us"]
        self.cpu_us = cpu * 1e6 / max(told["requests"], 1)
        self.refused = told["refused"]
        self.broken = told["broken"]
        self.foreign = foreign  # share of the machine that others took


def wrk(server, script, seconds, **settings):
    environment = {**os.environ, "BENCH_FOLDER": HERE, "BENCH_SEED": str(time.time_ns() % 2**31),
                   **{name: str(value) for name, value in settings.items()}}
    command = ["wrk", "-t1", "-c64", f"-d{seconds}s", "--latency", "-s", os.path.join(HERE, script), server.url]
    before = os.times()
    told = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    after = os.times()
    own = (after.children_user - before.children_user) + (after.children_system - before.children_system)
    return json.loads(told.stdout.strip().splitlines()[-1]), own


def measure(server, script, seconds=3, warm_up=1, **settings):
    if warm_up:
        wrk(server, script, warm_up, **settings)
    spent = sum(map(cpu_seconds, server.pids()))
    busy, began = busy_seconds(), time.monotonic()
    told, own = wrk(server, script, seconds, **settings)
    passed = time.monotonic() - began
    cpu = sum(map(cpu_seconds, server.pids())) - spent
    foreign = max(0.0, busy_seconds() - busy - cpu - own) / (passed * CPUS)
    window = Window(told, cpu, foreign)
    if window.refused or window.broken:
        raise SystemExit(f"{server.url}: {window.refused} answers were no success, {window.broken} were broken")
    return window
