#!/usr/bin/env python3
"""Fiscal documents while everything around them fails: three servers on one PostgreSQL are killed where it hurts and at
random, one call in five goes wrong at the authority, and the authority itself is killed. Its ledger counts, not we.

300 documents, 20,000 with UMAVEZ_TORTURE=1, and more where a death needs more to happen. UMAVEZ_SEED draws the same
kills and faults again, not the same interleaving.
"""

import collections
import itertools
import os
import random
import threading
import time

import support
from fiscal import (CANCELLATION, DOCUMENTS, ISSUERS, JUSTIFICATIVA, MUNICIPIO, Documents, FiscalInstallation,
                    Simulator, body_of, dps, id_dps, sha256_of)
from postgres import Postgres
from support import wait_on, wait_until

TORTURE = os.environ.get("UMAVEZ_TORTURE", "") not in ("", "0")
COUNT = int(os.environ.get("UMAVEZ_DOCUMENTS") or (20000 if TORTURE else 300))
SECONDS = 3600 if TORTURE else 8 * support.WAIT_SECONDS
SEED = int(os.environ.get("UMAVEZ_SEED") or random.randrange(2**32))
CLIENTS_OF_AN_ISSUER = 3  # a block of the authority keeps them waiting, and no others
SERIE = "1"
SERVERS = 3
CANCELLED = 10  # one document of so many
FAULT_RATE = 0.28  # where the call is of another kind nothing happens: of all calls about a fifth goes wrong
# Maintenance is left alone for two minutes, which is too long here; every other fault is drawn.
FAULTS = ("drop-request", "reset", "slow-before", "error-500", "error-503", "bad-gateway", "throttle", "refuse",
          "forbidden", "lost-route", "answer-lost", "slow", "error-after", "duplicate", "cancel-behind", "unreadable",
          "truncated", "odd-shapes")
# A question is several calls, fails with any of them, and is asked again after pauses that grow: most are of emissions.
DRAWN = FAULTS + 6 * ("duplicate", "error-after", "refuse") + 2 * ("cancel-behind",)
# What is slow arrives when nobody waits for it any more, and long before its absence is believed: an authority that
# stands still meanwhile is no reason to send something else.
SLOW = "1200ms"
PATIENCE = {"timeout_emissao": "1s", "timeout_cancelamento": "1s", "assentamento": "6s", "lease": "1s",
            "tentativas": 6, "backoff_maximo": "500ms"}
# Deaths at a point, at one of the first so many arrivals there; nobody comes often to those that have one.
POINTS = {"claim_before_write": 10, "claim_after_write": 10, "handler_before_effect": 10, "handler_after_effect": 10,
          "atomic_after_handler": 10, "reconcile_after_answer": 1}
DEATHS = ("anywhere", "claim_after_write", "authority", "handler_before_effect", "anywhere", "reconcile_after_answer",
          "handler_after_effect", "order", "atomic_after_handler", "anywhere", "claim_before_write")
ROUNDS = 20 if TORTURE else 1
OPEN = ("TRANSMITIDO", "INDETERMINADO", "CANCELAMENTO_PENDENTE", "CANCELAMENTO_EM_ANALISE")


class Over(Exception):
    """Another client failed."""


class Client:
    """Takes orders of one issuer until there are none left: reserves a number, sends, corrects what is refused, cancels
    some. It goes to any server, and asks again when it gets no answer."""

    def __init__(self, storm, number):
        self.storm = storm
        self.draw = random.Random(SEED + number)
        self.issuer = ISSUERS[number % len(ISSUERS)]

    def ask(self, method, path, body, wanted, key=None):
        """The same request until the answer is one of `wanted`: a status, or the name of a problem."""
        seen = []

        def answered():
            answer = Documents(self.draw.choice(self.storm.nodes)).try_ask(method, path, body, key=key)
            seen[:] = [answer]
            if self.storm.errors:
                raise Over
            if answer is not None and (answer.status in wanted or answer.problem in wanted):
                return answer
            # Nobody knows yet, the authority cannot be reached, somebody is at it, or no answer at all.
            assert answer is None or answer.status in (202, 503) or answer.problem == "idempotency-in-progress", \
                (path, answer)
            self.storm.answers[answer.status if answer else None] += 1
            return None

        return wait_until(f"{path} is answered {wanted}", answered, SECONDS, lambda: seen, self.draw.uniform(0.1, 0.3))

    def run(self):
        while (order := self.storm.take(self.issuer)) is not None:
            reserved = self.ask(
                "POST", "/api/v1/numeracao/reservas",
                {"tipo": "nfse-nacional", "ambiente": "homologacao", "emitente": self.issuer, "serie": SERIE,
                 "municipio": MUNICIPIO}, (200, 201), key=f"pedido-{order}").json
            self.emit(order, reserved)

    def emit(self, order, reserved):
        """A refusal alone is a reason for other bytes: while nobody knows what became of the first, they may count."""
        numero = reserved["numero"]
        assert reserved["id_autoridade"] == id_dps(numero, SERIE, self.issuer), reserved
        for version in itertools.count():
            xml = dps(numero, SERIE, self.issuer, valor=f"{51 + version}.60")
            answer = self.ask("POST", DOCUMENTS, body_of(numero, SERIE, self.issuer, xml=xml),
                              (200, 201, "documento-rejeitado", "estado-nao-permite"))
            if answer.problem != "documento-rejeitado":
                break
        self.storm.note(id_dps(numero, SERIE, self.issuer), sha256_of(xml), version)
        if answer.problem:  # cancelled behind our back, and found out
            return
        assert answer.json["documento"]["id"] == reserved["id"], (answer, reserved)
        if order % CANCELLED == 0:
            self.cancel(reserved["id"])

    def cancel(self, id):
        while self.ask("POST", f"{DOCUMENTS}/{id}/cancelar", {"justificativa": JUSTIFICATIVA},
                       (200, "cancelamento-recusado")).status != 200:
            pass


class StormTest(support.TestCase):
    def setUp(self):
        self.began = time.monotonic()
        print(f"UMAVEZ_SEED={SEED}")
        self.draw = random.Random(SEED)
        self.deaths = collections.Counter()
        self.answers = collections.Counter()  # after which clients asked again
        self.errors = []
        self.next_orders = {issuer: at for at, issuer in enumerate(ISSUERS)}  # every so many is an issuer's
        self.allowed = 0  # orders below it are handed out
        self.has_all = False  # no more are allowed
        self.sent = {}  # digest of the bytes that were sent last, by id of the DPS
        self.corrected = 0
        self.changed = threading.Condition()
        self.simulator = self.enterContext(Simulator(
            "--fault-rate", str(FAULT_RATE), "--faults", ",".join(DRAWN), "--seed", str(SEED), issuers=ISSUERS,
            slow=SLOW))
        self.installation = self.enterContext(FiscalInstallation(
            self.simulator, self.enterContext(Postgres()), before="[http]\nthreads = 2\n", threads=8,
            **PATIENCE))
        self.nodes = [self.installation.node("serve").start() for _ in range(SERVERS)]
        for issuer in ISSUERS:
            made = support.until_taken(issuer, lambda: self.nodes[0].ask(
                "POST", "/api/v1/numeracao/faixas",
                {"tipo": "nfse-nacional", "ambiente": "homologacao", "emitente": issuer, "serie": SERIE},
                key=f"faixa-{issuer}"))
            self.assertTrue(made.status == 201 or made.is_replay, made)

    def take(self, issuer):
        """The next order, once it is handed out. None: there are no more."""
        is_there = lambda: self.next_orders[issuer] < self.allowed
        with self.changed:
            wait_on(self.changed, "an order", lambda: self.errors or is_there() or self.has_all, SECONDS)
            if self.errors or not is_there():
                return None
            order = self.next_orders[issuer]
            self.next_orders[issuer] += len(ISSUERS)
            return order

    def allow(self, count):
        with self.changed:
            self.allowed = max(self.allowed, count)
            self.changed.notify_all()

    def note(self, id, sha256, version):
        with self.changed:
            self.sent[id] = sha256
            self.corrected += version > 0
            self.changed.notify_all()

    def work(self, number):
        try:
            Client(self, number).run()
        except Over:
            pass
        except BaseException as error:  # told to the thread that waits
            with self.changed:
                self.errors.append(error)
                self.changed.notify_all()

    def wait_sent(self, count):
        with self.changed:
            wait_on(self.changed, f"{count} documents are sent", lambda: self.errors or len(self.sent) >= count,
                    SECONDS, lambda: len(self.sent))
        support.raise_worst(self.errors)

    def hurt(self, death, victim):
        """One death, and a new life."""
        if death == "authority":
            self.simulator.kill()
            self.simulator.start()
        elif death == "order":  # what is under way is finished, or cut short
            victim.stop()
            victim.start()
        else:
            victim.kill()
            if death in POINTS:
                self.die_at(death, victim)
            victim.start()
        self.deaths[death] += 1

    def die_at(self, point, victim):
        """It dies as soon as it comes there; until then there is always work that may lead it there."""
        victim.start(kill_at=f"{point}:{self.draw.randint(1, POINTS[point])}")

        def died():
            support.raise_worst(self.errors)
            if len(self.sent) > self.allowed - 2 * len(self.clients):
                self.allow(self.allowed + len(self.clients))
            return victim.process.poll() is not None

        wait_until(f"{victim.name} dies at {point}", died, SECONDS)
        victim.wait_killed()

    def test_every_number_once(self):
        self.clients = [threading.Thread(target=self.work, args=(number,), daemon=True)
                        for number in range(CLIENTS_OF_AN_ISSUER * len(ISSUERS))]
        for thread in self.clients:
            thread.start()
        # Documents are handed out as processes die, so that there is work whenever one does.
        deaths = DEATHS * ROUNDS
        step = COUNT // (len(deaths) + 2)
        for turn, death in enumerate(deaths):
            self.allow((turn + 2) * step)
            self.wait_sent(turn * step)
            self.hurt(death, self.nodes[turn % SERVERS])
        self.allow(COUNT)
        with self.changed:
            self.has_all = True
            self.changed.notify_all()
        self.wait_sent(self.allowed - len(self.clients))
        # What is still in doubt was asked for in vain many times, and would be as long as chance wants.
        self.simulator.kill()
        self.simulator.start(with_faults=False)
        for thread in self.clients:
            thread.join()  # its own waits end it
        support.raise_worst(self.errors)
        self.settle()
        self.check()

    def settle(self):
        """The worker's part; then what was cancelled behind our back is asked for, because nobody tells."""
        where = f"estado IN {OPEN}"
        wait_until("nothing is open", lambda: self.installation.count("documentos_fiscais", where) == 0, SECONDS,
                   lambda: self.installation.rows("SELECT id, estado, conciliar_em, alerta, mensagens "
                                                  f"FROM documentos_fiscais WHERE {where} LIMIT 5"))
        ledger = self.simulator.ledger
        documents = Documents(self.nodes[0])
        for id, id_autoridade, estado in self.rows("id, id_autoridade, estado"):
            if estado == "AUTORIZADO" and ledger.of(id_autoridade).is_cancelled:
                # The last block may not be over yet.
                wait_until(f"{id} is found to be cancelled", lambda: documents.reconcile(id).status == 200)
                self.assertEqual(documents.get(id)["estado"], "CANCELADO")

    def rows(self, columns):
        return self.installation.rows(f"SELECT {columns} FROM documentos_fiscais ORDER BY id")

    def check(self):
        ledger = self.simulator.ledger
        self.assertEqual(set(ledger.authorised), set(self.sent), "what was sent is authorised, and nothing else")
        for id, account in ledger.authorised.items():
            self.assertEqual(len(account.authorised), 1, f"{id}: {account}")
            self.assertEqual(account.emitted_after_cancel, 0, f"{id}: {account}")
            self.assertLessEqual(sum(event["tipo"] == CANCELLATION for event in account.events), 1, f"{id}: {account}")
        table = {row[0]: row[1:] for row in self.rows("id_autoridade, estado, chave_acesso, xml_sha256")}
        self.assertEqual(len(table), self.allowed)
        # Of the versions of a document that was refused the last one counts.
        expected = {id: (account.estado, account.chave, self.sent[id], account.authorised[0]["sha256"])
                    for id, account in ledger.authorised.items()}
        found = {id: (*row, row[-1]) for id, row in table.items()}
        self.assertEqual({id: (found.get(id), right) for id, right in expected.items() if found.get(id) != right}, {})
        for at, issuer in enumerate(ISSUERS):
            orders = range(at, self.allowed, len(ISSUERS))
            numbers = self.installation.rows(
                f"SELECT numero FROM documentos_fiscais WHERE emitente = '{issuer}' ORDER BY numero")
            self.assertEqual([int(row[0]) for row in numbers], list(range(1, len(orders) + 1)), issuer)
            last = self.installation.rows(f"SELECT ultimo_numero FROM faixas_numeracao WHERE emitente = '{issuer}'")
            self.assertEqual(last, [(str(len(orders)),)])
        faults = collections.Counter(line["fault"] for line in ledger.requests if "fault" in line)
        estados = collections.Counter(row[0] for row in table.values())
        print(f"{self.allowed} documents, {self.corrected} corrected, {len(ledger.requests)} calls, {sum(faults.values())} "
              f"faults {dict(faults)}; deaths {dict(self.deaths)}; asked again after {dict(self.answers)}; "
              f"{dict(estados)}; {time.monotonic() - self.began:.1f} s")
        self.assertGreater(sum(faults.values()), len(ledger.requests) // 12)  # by chance: far from a fifth
        self.assertEqual(set(self.deaths), set(DEATHS))


if __name__ == "__main__":
    support.run_tests()
