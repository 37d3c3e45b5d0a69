"""Webhooks under load. `./dev bench webhook [ROUNDS]`.

Accepting: durable, 64 connections, unique events signed by Stripe's scheme beforehand, next to
`POST /api/v1/clientes` of the same round on the same kind of database; nobody works on the events meanwhile, as
nobody does on clients. Draining: 100,000 accepted payments of 1,000 invoices, four `umavez worker` processes,
next to the atomic mode of bench_store on the same server.
"""

import contextlib
import hashlib
import hmac
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "http"))

import load  # noqa: E402
import servers  # noqa: E402

ROUNDS_LEAST = 5
EVENTS = 200_000
BACKLOG = 100_000
INVOICES = 1000
WORKERS = 4
DRAIN_SECONDS_MAX = 900
SECRET = "whsec_bench_0123456789abcdef"
CONFIG = f"""
[[webhook.provider]]
name = "stripe"
scheme = "stripe"
secrets = ["{SECRET}"]
tolerance = "24h"
"""


def say(text):
    print(text, file=sys.stderr, flush=True)


def event_of(number, invoice):
    """As Stripe writes one, about 1 KiB."""
    return json.dumps({
        "id": f"evt_{number:012d}", "object": "event", "api_version": "2025-09-30.clover", "created": 1760000000,
        "type": "payment_intent.succeeded", "livemode": True, "pending_webhooks": 1,
        "request": {"id": f"req_{number:014d}", "idempotency_key": f"{number:032x}"},
        "data": {"object": {
            "id": f"pi_{number:012d}", "object": "payment_intent", "amount": 100, "amount_received": 100,
            "capture_method": "automatic", "confirmation_method": "automatic", "currency": "brl",
            "customer": "cus_NffrFeUfNV2Hib", "description": "Assinatura mensal", "status": "succeeded",
            "latest_charge": f"ch_{number:012d}", "payment_method_types": ["card", "pix", "boleto"],
            "metadata": {"fatura_id": str(invoice), "loja": "filial centro", "pedido": f"{number:010d}"},
            "receipt_email": "maria.silva@example.com", "statement_descriptor": "LOJA DA MARIA",
            "next_action": None, "on_behalf_of": None, "review": None, "shipping": None, "source": None}}})


def sign_events(path, count):
    say(f"signing {count:,} events")
    now = int(time.time())
    with open(path, "w", encoding="ascii") as file:
        for number in range(count):
            body = event_of(number, 1 + number % INVOICES)
            signature = hmac.new(SECRET.encode(), f"{now}.{body}".encode(), hashlib.sha256).hexdigest()
            file.write(f"t={now},v1={signature}\t{body}\n")


class Postgres:
    """The private server of postgres_side."""

    def __init__(self, programs):
        self.process = subprocess.Popen([os.path.join(programs, "postgres_side")], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.url = self._line()
        # A folder of uploads belongs to one database, and the servers of a bench share their own.
        self.uploads = tempfile.mkdtemp(prefix="umavez-uploads-")
        os.environ["UMAVEZ_MAILING_STORAGE"] = self.uploads

    def _line(self):
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("postgres_side ended")
        return line.strip()

    def ask(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        return self._line()

    def sql(self, text):
        return self.ask("sql " + " ".join(text.split()))

    def atomic_rate(self):
        return float(self.ask("atomic 3000"))

    def close(self):
        self.process.stdin.close()
        self.process.wait(60)
        shutil.rmtree(self.uploads, ignore_errors=True)


class Bench:
    def __init__(self, programs):
        self.folder = tempfile.mkdtemp(prefix="umavez-bench-", dir=os.environ.get("UMAVEZ_BENCH_DIR", "/var/tmp"))
        self.program = os.path.join(programs, "..", "..", "umavez")
        self.events = os.path.join(self.folder, "events")
        with open(os.path.join(self.folder, "umavez.toml"), "w", encoding="ascii") as config:
            config.write(CONFIG)
        self.used = 0

    def serve(self, database, path):
        port = servers.free_port()
        return servers.Server([self.program, "serve", "--no-worker", "--listen", f"127.0.0.1:{port}", "--database",
                               database, "--log-level", "warning"], port, path, folder=self.folder)

    def measure_events(self, server):
        settings = {"BENCH_EVENTS": self.events}
        load.wrk(server, os.path.join(HERE, "events.lua"), 1, BENCH_SKIP=self._skip(1), **settings)
        return load.measure(server, os.path.join(HERE, "events.lua"), 3, warm_up=0, BENCH_SKIP=self._skip(3), **settings)

    def _skip(self, seconds):
        """The first event of a window that no window before it may have reached."""
        first = self.used
        self.used += 40_000 * seconds
        if self.used > EVENTS:
            self.used = 0
            first = 0
        return first

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)


def measure_accept(bench, database):
    figures = {}
    with bench.serve(database, "/api/v1/clientes") as server:
        figures["clientes"] = load.measure(server, "clientes.lua")
    with bench.serve(database, "/webhooks/stripe") as server:
        figures["accept"] = bench.measure_events(server)
    for name, window in figures.items():
        say(f"  {name:<10} {window.rate:>9,.0f}/s  {window.cpu_us:>7.1f} us CPU  p99 {window.p99_us / 1000:>6.1f} ms"
            f"  others {window.foreign:.0%}")
    return figures["accept"].rate, figures["clientes"].rate


def fill_backlog(postgres):
    """Accepted events of payments, 1.00 each, that exactly pay their invoices."""
    say(f"a backlog of {BACKLOG:,} events")
    value = f"{BACKLOG // INVOICES}.00"
    now = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
    body = event_of(123456789012, 987654321)
    for text in (
        f"""INSERT INTO assinaturas (tenant_id, cliente, plano, valor, ciclo, estado, versao, created_at, updated_at)
            VALUES ('default', 'Maria', 'ouro', '{value}', 'mensal', 'ativa', 1, {now}, {now})""",
        f"""INSERT INTO faturas (tenant_id, assinatura_id, competencia, valor, valor_pago, estado, versao, created_at,
            updated_at) SELECT 'default', 1, to_char(DATE '1950-01-01' + (n || ' months')::interval, 'YYYY-MM'),
            '{value}', '0.00', 'aberta', 1, {now}, {now} FROM generate_series(1, {INVOICES}) AS n""",
        f"INSERT INTO provider_accounts VALUES ('stripe', '', 'default', {now})",
        f"""INSERT INTO umavez_inbox (provider, scheme, account, event_id, type, body_digest, body, state, run, attempts,
            due_at, received_at, changed_at) SELECT 'stripe', 'stripe', '', 'evt_' || lpad(n::text, 12, '0'),
            'payment_intent.succeeded', sha256(n::text::bytea), convert_to(replace(replace('{body}', '987654321',
            (1 + n % {INVOICES})::text), '123456789012', lpad(n::text, 12, '0')), 'UTF8'), 'pending', 0, 0, {now},
            {now}, {now} FROM generate_series(1, {BACKLOG}) AS n""",
        "ANALYZE",
    ):
        postgres.sql(text)


def drain(bench, postgres):
    """Events per second, from the start of the workers to the last event."""
    arguments = [bench.program, "worker", "--database", postgres.url, "--log-level", "warning"]
    began = time.monotonic()
    workers = [subprocess.Popen(arguments, cwd=bench.folder, stderr=subprocess.DEVNULL) for _ in range(WORKERS)]
    try:
        left = BACKLOG
        while left > 0:
            if time.monotonic() - began > DRAIN_SECONDS_MAX:
                raise SystemExit(f"{left:,} events are left after {DRAIN_SECONDS_MAX} s")
            time.sleep(0.5)
            left = int(postgres.sql("SELECT count(*) FROM umavez_inbox WHERE state = 'pending'"))
        passed = time.monotonic() - began
    finally:
        for worker in workers:
            worker.terminate()
        for worker in workers:
            worker.wait(30)
    paid = int(postgres.sql("SELECT count(*) FROM pagamentos"))
    full = int(postgres.sql("SELECT count(*) FROM faturas WHERE estado = 'paga' AND valor_pago = valor"))
    if paid != BACKLOG or full != INVOICES:
        raise SystemExit(f"{paid:,} payments of {BACKLOG:,}, {full:,} invoices of {INVOICES:,} are paid")
    return BACKLOG / passed


def show(what, pairs, at_least):
    ratios = [ours / theirs for ours, theirs in pairs]
    ratio = statistics.median(ratios)
    ours, theirs = (statistics.median(side) for side in zip(*pairs))
    met = ratio >= at_least
    print(f"{what:<58} {ours:>9,.0f} {theirs:>9,.0f} {ratio:>6.2f} [{min(ratios):.2f}..{max(ratios):.2f}]"
          f"  >= {at_least:<5} {'yes' if met else 'NO'}", flush=True)
    return met


def main():
    if not shutil.which("wrk"):
        raise SystemExit("wrk is not installed; `./dev bench webhook` installs it")
    programs = sys.argv[1]
    rounds = max(int(sys.argv[2]) if len(sys.argv) > 2 else ROUNDS_LEAST, 1)
    with contextlib.suppress(PermissionError):
        os.nice(-10)  # so that others on the machine disturb less
    bench = Bench(programs)
    met = []
    try:
        sign_events(bench.events, EVENTS)
        print(f"{'':<58} {'ours':>9} {'theirs':>9} {'ratio':>6} [least..most]  goal     met")
        pairs = []
        for number in range(rounds):
            say(f"SQLite, round {number + 1} of {rounds}")
            bench.used = 0
            pairs.append(measure_accept(bench, f"sqlite:{bench.folder}/accept{number}.db"))
        met.append(show("accept, SQLite: events/s / clientes/s", pairs, 0.7))
        pairs = []
        for number in range(rounds):
            say(f"PostgreSQL, round {number + 1} of {rounds}")
            bench.used = 0
            postgres = Postgres(programs)
            try:
                pairs.append(measure_accept(bench, postgres.url))
            finally:
                postgres.close()
        met.append(show("accept, PostgreSQL: events/s / clientes/s", pairs, 0.7))
        postgres = Postgres(programs)
        try:
            with bench.serve(postgres.url, "/"):
                pass  # it makes the tables
            fill_backlog(postgres)
            before = statistics.median(postgres.atomic_rate() for _ in range(3))
            rate = drain(bench, postgres)
            after = statistics.median(postgres.atomic_rate() for _ in range(3))
        finally:
            postgres.close()
        say(f"  atomic mode before {before:,.0f}/s and after {after:,.0f}/s; drained at {rate:,.0f}/s")
        met.append(show("backlog of 100,000, 4 workers: events/s / atomic mode", [(rate, before), (rate, after)], 0.5))
    finally:
        bench.close()
    sys.exit(0 if all(met) else 1)


if __name__ == "__main__":
    main()
