#!/usr/bin/env python3
"""Fiscal documents while everything around them fails: three servers on one PostgreSQL are killed where it hurts and at
random, one call in five goes wrong at the authority, and the authority itself is killed. Its ledger counts, not we.

1,000 documents, 20,000 with UMAVEZ_TORTURE=1. UMAVEZ_SEED draws the same kills and faults again, not the same
interleaving.
"""

import collections
import itertools
import os
import random
import threading
import time
import unittest

import support
from fiscal import (CANCELLATION, DOCUMENTS, JUSTIFICATIVA, MUNICIPIO, Documents, FiscalInstallation, Simulator,
                    body_of, dps, id_dps, sha256_of)
from postgres import Postgres
from support import ask_until

TORTURE = os.environ.get("UMAVEZ_TORTURE", "") not in ("", "0")
COUNT = int(os.environ.get("UMAVEZ_DOCUMENTS") or (20000 if TORTURE else 1000))
SECONDS = 3600 if TORTURE else 4 * support.WAIT_SECONDS
SEED = int(os.environ.get("UMAVEZ_SEED") or random.randrange(2**32))
CLIENTS = 12
SERIE = "1"
SERVERS = 3
CANCELLED = 10  # one document of so many
# Maintenance is left alone for two minutes, which is too long here; every other fault is drawn.
FAULTS = ("drop-request", "reset", "slow-before", "error-500", "error-503", "bad-gateway", "throttle", "refuse",
          "forbidden", "lost-route", "answer-lost", "slow", "error-after", "duplicate", "cancel-behind", "unreadable",
          "truncated", "odd-shapes")
POINTS = ("claim_after_write", "handler_before_effect", "handler_after_effect", "reconcile_after_answer",
          "atomic_after_handler", "claim_before_write")
OPEN = ("TRANSMITIDO", "INDETERMINADO", "CANCELAMENTO_PENDENTE", "CANCELAMENTO_EM_ANALISE")


def check_digits(body):
    """Two of them, by modulo 11; a letter counts as its ASCII code less 48."""
    for _ in range(2):
        weights = itertools.cycle(range(2, 10))
        rest = sum((ord(each) - 48) * weight for each, weight in zip(reversed(body), weights)) % 11
        body += str(0 if rest < 2 else 11 - rest)
    return body


# A block of the authority holds for one issuer: others go on meanwhile.
ISSUERS = tuple(check_digits(body) for body in ("005747530001", "12ABC34501DE", "112223330001", "R55231B30007"))


class Client:
    """Takes documents until there are none left: reserves a number, sends, corrects what is refused, cancels some. It
    goes to any server, and asks again when it gets no answer."""

    def __init__(self, storm, number):
        self.storm = storm
        self.draw = random.Random(SEED + number)

    def ask(self, method, path, body, wanted, key=None):
        deadline = time.monotonic() + SECONDS
        answer = None
        while time.monotonic() < deadline and not self.storm.errors:
            answer = Documents(self.draw.choice(self.storm.nodes)).try_ask(method, path, body, key=key)
            if answer is not None and answer.status in wanted:
                return answer
            assert answer is None or answer.status in (202, 409, 503), (path, answer)
            self.storm.answers[answer.status if answer else None] += 1
            time.sleep(self.draw.uniform(0.02, 0.3))
        raise AssertionError(f"{path}: the last answer was {answer}")

    def run(self):
        while (order := self.storm.take()) is not None:
            issuer = ISSUERS[order % len(ISSUERS)]
            reserved = self.ask(
                "POST", "/api/v1/numeracao/reservas",
                {"tipo": "nfse-nacional", "ambiente": "homologacao", "emitente": issuer, "serie": SERIE,
                 "municipio": MUNICIPIO}, (200, 201), key=f"pedido-{order}").json
            self.emit(order, issuer, reserved)

    def emit(self, order, issuer, reserved):
        numero = reserved["numero"]
        assert reserved["id_autoridade"] == id_dps(numero, SERIE, issuer), reserved
        versions = []
        for version in itertools.count():
            valor = f"{51 + version}.60"
            versions.append(sha256_of(dps(numero, SERIE, issuer, valor=valor)))
            answer = self.ask("POST", DOCUMENTS, body_of(numero, SERIE, issuer, valor=valor), (200, 201, 422, 409))
            if answer.status == 409 and answer.problem != "estado-nao-permite":
                continue
            if answer.status != 422:
                break
        self.storm.note(issuer, numero, versions)
        if answer.status == 409:  # cancelled behind our back, and found out
            return
        assert answer.json["documento"]["id"] == reserved["id"], (answer, reserved)
        if order % CANCELLED == 0:
            self.cancel(reserved["id"])

    def cancel(self, id):
        while True:
            answer = self.ask("POST", f"{DOCUMENTS}/{id}/cancelar", {"justificativa": JUSTIFICATIVA}, (200, 422))
            if answer.status == 200:
                return


class StormTest(unittest.TestCase):
    def setUp(self):
        self.began = time.monotonic()
        print(f"UMAVEZ_SEED={SEED}")
        self.draw = random.Random(SEED)
        self.kills = collections.Counter()
        self.answers = collections.Counter()  # after which clients asked again
        self.errors = []
        self.orders = iter(range(COUNT))
        self.sent = {}  # versions of the bytes, by id of the DPS
        self.mutex = threading.Lock()
        self.simulator = self.enterContext(Simulator(
            "--fault-rate", "0.2", "--faults", ",".join(FAULTS), "--seed", str(SEED), issuers=ISSUERS))
        self.installation = self.enterContext(FiscalInstallation(
            self.simulator, self.enterContext(Postgres()), before="[http]\nthreads = 2\n", threads=4, lease="2s",
            assentamento="1s",  # longer than a slow call goes on after nobody waits for it any more
            backoff_maximo="500ms"))
        self.nodes = [self.installation.node("serve").start() for _ in range(SERVERS)]
        for issuer in ISSUERS:
            made = self.nodes[0].ask(
                "POST", "/api/v1/numeracao/faixas",
                {"tipo": "nfse-nacional", "ambiente": "homologacao", "emitente": issuer, "serie": SERIE},
                key=f"faixa-{issuer}")
            self.assertEqual(made.status, 201, made)

    def take(self):
        with self.mutex:
            return next(self.orders, None)

    def note(self, issuer, numero, versions):
        with self.mutex:
            self.sent[id_dps(numero, SERIE, issuer)] = versions

    def work(self, number):
        try:
            Client(self, number).run()
        except BaseException as error:  # told to the thread that waits
            self.errors.append(error)

    def hurt(self, turn):
        """One death, and a new life."""
        victim = self.nodes[turn % SERVERS]
        if turn == 4:
            self.simulator.kill()
            self.simulator.start()
            self.kills["authority"] += 1
        elif turn % 2:
            victim.kill()
            self.kills["anywhere"] += 1
            victim.start()
        else:
            point = POINTS[turn // 2 % len(POINTS)]
            victim.stop()
            victim.start(kill_at=f"{point}:{self.draw.randint(1, 10)}")
            # It dies as soon as it comes there; where work is over before, it does not.
            ask_until("it dies", lambda: victim.process.poll() is not None or self.are_done() or time.sleep(0.05),
                      SECONDS)
            if victim.process.poll() is None:
                victim.stop()
            else:
                victim.wait_killed()
                self.kills[point] += 1
            victim.start()

    def are_done(self):
        return self.errors or not any(thread.is_alive() for thread in self.clients)

    def test_every_number_once(self):
        self.clients = [threading.Thread(target=self.work, args=(number,), daemon=True) for number in range(CLIENTS)]
        for thread in self.clients:
            thread.start()
        step = max(COUNT // (200 if TORTURE else 14), 1)  # documents between two deaths
        for turn in itertools.count():
            ask_until("some more are sent",
                      lambda: len(self.sent) >= turn * step or self.are_done() or time.sleep(0.05), SECONDS)
            if self.are_done():
                break
            self.hurt(turn)
        for thread in self.clients:
            thread.join()
        self.assertEqual(self.errors, [])
        self.settle()
        self.check()

    def settle(self):
        """The worker's part; then what was cancelled behind our back is asked for, because nobody tells."""
        self.simulator.kill()
        self.simulator.start(with_faults=False)
        where = f"estado IN {OPEN}"
        try:
            ask_until("nothing is open", lambda: self.installation.count("documentos_fiscais", where) == 0, SECONDS)
        except AssertionError:
            left = self.installation.rows(
                f"SELECT id, estado, conciliar_em, alerta, mensagens FROM documentos_fiscais WHERE {where} LIMIT 5")
            raise AssertionError(f"after {SECONDS} s are open: {left}") from None
        ledger = self.simulator.ledger
        documents = Documents(self.nodes[0])
        for id, id_autoridade, estado in self.rows("id, id_autoridade, estado"):
            if estado == "AUTORIZADO" and ledger.of(id_autoridade).is_cancelled:
                found = documents.reconcile(id)
                self.assertEqual((found.status, found.json["documento"]["estado"]), (200, "CANCELADO"), found)

    def rows(self, columns):
        return self.installation.rows(f"SELECT {columns} FROM documentos_fiscais ORDER BY id")

    def check_versions(self, ledger):
        """Which of the versions that a client sent counts is the authority's word; a stranger's never does."""
        for id, versions in self.sent.items():
            account = ledger.of(id)
            self.assertIn(account.authorised[0]["sha256"], versions, f"{id}: {account}")

    def check(self):
        ledger = self.simulator.ledger
        self.assertEqual(set(ledger.authorised), set(self.sent), "what was sent is authorised, and nothing else")
        for id, account in ledger.authorised.items():
            self.assertEqual(len(account.authorised), 1, f"{id}: {account}")
            self.assertEqual(account.emitted_after_cancel, 0, f"{id}: {account}")
            self.assertLessEqual(sum(event["tipo"] == CANCELLATION for event in account.events), 1, f"{id}: {account}")
        table = {row[0]: row[1:] for row in self.rows("id_autoridade, estado, chave_acesso, xml_sha256")}
        self.assertEqual(len(table), COUNT)
        expected = {id: (account.estado, account.chave, account.authorised[0]["sha256"])
                    for id, account in ledger.authorised.items()}
        self.assertEqual({id: (table.get(id), right) for id, right in expected.items() if table.get(id) != right}, {})
        self.check_versions(ledger)
        for at, issuer in enumerate(ISSUERS):
            count = len(range(at, COUNT, len(ISSUERS)))
            numbers = self.installation.rows(
                f"SELECT numero FROM documentos_fiscais WHERE emitente = '{issuer}' ORDER BY numero")
            self.assertEqual([int(row[0]) for row in numbers], list(range(1, count + 1)), issuer)
            last = self.installation.rows(f"SELECT ultimo_numero FROM faixas_numeracao WHERE emitente = '{issuer}'")
            self.assertEqual(last, [(str(count),)])
        faults = collections.Counter(line["fault"] for line in ledger.requests if "fault" in line)
        estados = collections.Counter(row[0] for row in table.values())
        print(f"{COUNT} documents, {len(ledger.requests)} calls, {sum(faults.values())} faults {dict(faults)}; "
              f"deaths {dict(self.kills)}; asked again after {dict(self.answers)}; {dict(estados)}; "
              f"{time.monotonic() - self.began:.1f} s")
        self.assertGreater(sum(self.kills.values()), 5)


if __name__ == "__main__":
    support.run_tests()
