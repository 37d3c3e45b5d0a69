#!/usr/bin/env python3
"""Every fault of the authority at every call, and kill -9 of our process at every point that a document passes.

Whatever happened, in the end the authority's ledger shows no number authorised twice and no cancelled note sent again,
our table says what the ledger says, and a client that asks again gets the same document. UMAVEZ_TORTURE=1 kills at
every arrival at every point in every scenario; else UMAVEZ_SEED draws some of them again.
"""

import collections
import concurrent.futures
import itertools
import os
import queue
import random
import shutil
import threading

import support
from fiscal import (CANCELLATION, FAULTS_OF_CHANGES, FAULTS_OF_QUESTIONS, ISSUER, ISSUERS, PATIENT, Documents,
                    FiscalInstallation, Simulator, dps, id_dps, sha256_of)
from support import wait_until

SEED = int(os.environ.get("UMAVEZ_SEED") or random.randrange(2**32))
TORTURE = os.environ.get("UMAVEZ_TORTURE", "") not in ("", "0")
OPEN = ("TRANSMITIDO", "INDETERMINADO", "CANCELAMENTO_PENDENTE", "CANCELAMENTO_EM_ANALISE")
ATTEMPTS = 3
MANY = ATTEMPTS + 2  # a call that fails so often leaves a doubt
CLIENTS = 12
SIDE_BY_SIDE = 12  # installations that are killed at a time: what they do is to wait
# In how many scenarios a process dies at one point; around the call itself in each of them.
DEATHS = 1000 if TORTURE else 1
SECONDS = 3 * support.WAIT_SECONDS  # many processes are started at a time
AROUND_THE_CALL = ("handler_before_effect", "handler_after_effect")


def times_of_changes(fault):
    """Once, and so often that a doubt is left. Whoever is told to wait does not try again at once."""
    if fault == "refuse":
        return (1,)
    return (1, 2 if fault == "throttle" and not TORTURE else MANY)


def times_of_questions(fault):
    """Slow questions get their answer in the end."""
    if TORTURE:
        return (1, MANY)
    return (2 if fault in ("throttle", "slow", "slow-before") else MANY,)


class Judged(support.TestCase):
    """Compares with the ledger. `of` names a document: its number and its issuer."""

    def account(self, numero, issuer=ISSUER):
        return self.simulator.ledger.of(id_dps(numero, issuer=issuer))

    def judge(self, numero, row, issuer=ISSUER, case=""):
        """`row`: what Documents.find gives."""
        account = self.account(numero, issuer)
        told = f"{case}: number {numero}: ours {row}, theirs {account}"
        self.assertLessEqual(len(account.authorised), 1, told)
        self.assertEqual(account.emitted_after_cancel, 0, told)
        self.assertLessEqual(sum(event["tipo"] == CANCELLATION for event in account.events), 1, told)
        self.assertNotIn(row[1] if row else None, OPEN, told)
        if not account.authorised:
            self.assertIn(row[1] if row else None, (None, "RESERVADO", "REJEITADO"), told)
            return account
        self.assertEqual(row[1], account.estado, told)
        self.assertEqual(row[2], account.chave, told)
        self.assertEqual(row[3], account.authorised[0]["sha256"], told)
        return account


class Desk:
    """An installation with one server."""

    def __init__(self, installation):
        self.installation = installation
        self.documents = Documents(installation.node("serve").start())


def is_slow(faults):
    """Whether a call that changes something is to last longer than it may."""
    return any(fault in ("slow", "slow-before") and call in ("emitir", "cancelar") for call, fault, _ in faults)


class FaultTest(Judged):
    """Faults alone: many documents at a time on one server, each with its own faults. Where an answer is to come too
    late another server does not wait for it. The others wait: on a machine that is slow, a refusal that nobody waits
    for would be no refusal."""

    @classmethod
    def setUpClass(cls):
        cls.simulator = cls.enterClassContext(Simulator(issuers=ISSUERS))
        cls.patient, cls.hasty = (Desk(cls.enterClassContext(FiscalInstallation(
            cls.simulator, tentativas=ATTEMPTS, threads=CLIENTS, **more)))
            for more in (PATIENT, {"lease": PATIENT["lease"]}))
        cls.at = threading.local()  # the desk of the case that a thread runs
        cls.numbers = itertools.count(1)

    @property
    def documents(self):
        return self.at.desk.documents

    @property
    def installation(self):
        return self.at.desk.installation

    def row(self, numero, issuer=ISSUER):
        return self.documents.find(self.installation, id_dps(numero, issuer=issuer))

    def settled(self, numero, issuer=ISSUER):
        """Once the worker has nothing to do with it any more."""
        def found():
            row = self.row(numero, issuer)
            return row and row[1] not in OPEN and row
        return wait_until(f"number {numero} is settled", found, SECONDS)

    def ask_again(self, what, question, wanted):
        """As a client that waits a little before it asks again."""
        seen = []

        def arrived():
            seen[:] = [question()]
            if seen[0].status in wanted:
                return seen[0]
            self.assertIn(seen[0].status, (202, 409, 503), f"{what}: {seen[0]}")
            return None
        return wait_until(what, arrived, SECONDS, lambda: f"the last answer was {seen}", 0.1)

    def emit(self, numero, issuer=ISSUER, case="", wanted=(200, 201), **of_body):
        return self.ask_again(f"{case}: emit {numero}",
                              lambda: self.documents.post(numero, issuer=issuer, **of_body), wanted)

    def cancel(self, id, case="", wanted=(200,)):
        return self.ask_again(f"{case}: cancel {id}", lambda: self.documents.cancel(id), wanted)

    def check_replay(self, numero, issuer, account, case, **of_body):
        again = self.documents.post(numero, issuer=issuer, **of_body)
        if account.is_cancelled:
            self.assertEqual((again.status, again.problem), (409, "estado-nao-permite"), f"{case}: {again}")
            return
        self.assertEqual((again.status, again.is_replay), (200, True), f"{case}: {again}")
        self.assertEqual(again.json["origem"], "cache", case)
        self.assertEqual(again.json["documento"]["chave_acesso"], account.chave, case)

    def run_emission(self, faults, issuer, case):
        """`faults`: what goes wrong, (call, fault, times)."""
        numero = next(self.numbers)
        id = id_dps(numero, issuer=issuer)
        for call, fault, times in faults:
            self.simulator.fault(call, fault, times, id)
        words = {fault for _, fault, _ in faults}
        sent = {}
        if "refuse" in words:
            first = self.emit(numero, issuer, case, (422,))
            self.assertEqual(first.problem, "documento-rejeitado", case)
            self.assertEqual(first.json["documento"]["estado"], "REJEITADO", case)
            self.assertEqual(first.json["mensagens"][0]["codigo"], "E0010", case)
            self.assertEqual(self.account(numero, issuer).authorised, [], case)
            sent = {"valor": "61.60"}  # the number is used again, with what was corrected
        wanted = (200, 201, 409) if "cancel-behind" in words else (200, 201)
        answer = self.emit(numero, issuer, case, wanted, **sent)
        row = self.settled(numero, issuer)
        if "cancel-behind" in words and row[1] == "AUTORIZADO":
            # Nothing tells us but a question.
            found = self.documents.reconcile(row[0])
            self.assertEqual((found.status, found.json["origem"]), (200, "conciliacao"), f"{case}: {found}")
            row = self.row(numero, issuer)
        account = self.judge(numero, row, issuer, case)
        self.assertEqual(len(account.authorised), 1, case)
        digests = {line["sha256"] for line in account.requests if line["call"] == "emitir"}
        last = sha256_of(dps(numero, issuer=issuer, **sent))
        self.assertLessEqual(digests, {sha256_of(dps(numero, issuer=issuer)), last})
        self.assertEqual(account.authorised[0]["sha256"], last, case)
        if answer.status != 409:
            self.assertEqual(answer.json["documento"]["id"], int(row[0]), case)
        self.check_replay(numero, issuer, account, case, **sent)

    def run_cancellation(self, faults, issuer, case):
        numero = next(self.numbers)
        id = self.emit(numero, issuer, case).json["documento"]["id"]
        for call, fault, times in faults:
            self.simulator.fault(call, fault, times, id_dps(numero, issuer=issuer))
        if "refuse" in {fault for _, fault, _ in faults}:
            refused = self.cancel(id, case, (422,))
            self.assertEqual(refused.json["mensagens"][0]["codigo"], "E0822", f"{case}: {refused}")
            self.assertEqual(self.settled(numero, issuer)[1], "AUTORIZADO", case)
        answer = self.cancel(id, case)
        self.assertEqual(answer.json["documento"]["estado"], "CANCELADO", f"{case}: {answer}")
        account = self.judge(numero, self.settled(numero, issuer), issuer, case)
        self.assertTrue(account.is_cancelled, case)
        again = self.documents.cancel(id)
        self.assertEqual((again.status, again.json["origem"]), (200, "cache"), f"{case}: {again}")
        self.check_replay(numero, issuer, account, case)

    def run_all(self, cases):
        """`cases`: (run, faults). Throttling blocks an issuer, so those cases have theirs, one at a time."""
        def is_throttled(case):
            return any(fault == "throttle" for _, fault, _ in case[1])
        waiting, blocking = queue.SimpleQueue(), queue.SimpleQueue()
        for case in cases:
            (blocking if is_throttled(case) else waiting).put(case)

        def of_issuer(issuer):
            def run_one(case):
                run, faults = case
                self.at.desk = self.hasty if is_slow(faults) else self.patient
                run(faults, issuer, f"{run.__name__} {faults}")
            return run_one

        support.run_cases([(waiting, of_issuer(ISSUER))] * CLIENTS +
                          [(blocking, of_issuer(issuer)) for issuer in ISSUERS[1:]])

    def test_emission(self):
        cases = [[("emitir", fault, times)] for fault in (*FAULTS_OF_CHANGES, "cancel-behind")
                 for times in times_of_changes(fault)]
        self.run_all([(self.run_emission, faults) for faults in cases])

    def test_question_after_a_doubt(self):
        """The answer to the emission is lost, with or without the note, and then the question fails too."""
        asked = (("answer-lost", "consultar"), ("answer-lost", "consultar-nota"), ("answer-lost", "consultar-evento"),
                 ("drop-request", "consultar"))
        cases = [[("emitir", first, 1), (call, fault, times)]
                 for first, call in asked for fault in FAULTS_OF_QUESTIONS for times in times_of_questions(fault)]
        self.run_all([(self.run_emission, faults) for faults in cases])

    def test_cancellation(self):
        cases = [[("cancelar", fault, times)] for fault in FAULTS_OF_CHANGES for times in times_of_changes(fault)]
        self.run_all([(self.run_cancellation, faults) for faults in cases])

    def test_question_after_a_cancellation(self):
        cases = [[("cancelar", first, 1), ("consultar-evento", fault, times)]
                 for first in ("answer-lost", "drop-request") for fault in FAULTS_OF_QUESTIONS
                 for times in times_of_questions(fault)]
        self.run_all([(self.run_cancellation, faults) for faults in cases])


class Scenario:
    """What a document goes through before and while its process is killed."""

    def __init__(self, name, faults=(), is_cancellation=False, first_death=None):
        self.name, self.faults, self.is_cancellation, self.first_death = name, faults, is_cancellation, first_death
        self.is_slow = any(fault == "slow" for _, fault, _ in faults)


SCENARIOS = (
    Scenario("emission"),
    Scenario("emission, answer lost", [("emitir", "answer-lost", 1)]),
    Scenario("emission in doubt", [("emitir", "answer-lost", 1), ("consultar", "error-500", ATTEMPTS)]),
    Scenario("emission in doubt, never arrived", [("emitir", "drop-request", 1), ("consultar", "error-500", ATTEMPTS)]),
    Scenario("emission, duplicate", [("emitir", "duplicate", 1)]),
    Scenario("emission, slow", [("emitir", "slow", 1)]),
    Scenario("emission left before it was sent", first_death="handler_before_effect:1"),
    Scenario("emission left after it was sent", first_death="handler_after_effect:1"),
    Scenario("cancellation", is_cancellation=True),
    Scenario("cancellation, answer lost", [("cancelar", "answer-lost", 1)], is_cancellation=True),
    Scenario("cancellation in doubt", [("cancelar", "answer-lost", 1), ("consultar-evento", "error-500", ATTEMPTS)],
             is_cancellation=True),
    Scenario("cancellation in doubt, never arrived",
             [("cancelar", "drop-request", 1), ("consultar-evento", "error-500", ATTEMPTS)], is_cancellation=True),
    Scenario("cancellation, slow", [("cancelar", "slow", 1)], is_cancellation=True),
    Scenario("cancellation left before it was sent", is_cancellation=True, first_death="handler_before_effect:1"),
    Scenario("cancellation left after it was sent", is_cancellation=True, first_death="handler_after_effect:1"),
)
# Those that a document certainly passes; others are killed at too, where it passes them.
POINTS = {"claim_before_write", "claim_after_write", "handler_before_effect", "handler_after_effect",
          "lane_before_commit", "lane_after_commit", "complete_before_write", "complete_after_write",
          "doubt_before_write", "reconcile_before_ask", "reconcile_after_answer", "run_after_reconcile"}


class Life:
    """One document in an installation of its own, made of a copy of the template's database."""

    def __init__(self, test, scenario, numero, kill_at=None):
        self.test, self.scenario, self.numero, self.kill_at = test, scenario, numero, kill_at
        self.installation = FiscalInstallation(test.simulator, tentativas=ATTEMPTS)
        test.addCleanup(self.installation.__exit__, RuntimeError)
        shutil.copy(test.template, self.installation.folder)
        self.node = self.installation.node("serve")
        self.documents = Documents(self.node)
        self.asking = None
        self.case = f"{scenario.name} killed at {kill_at}"
        id = id_dps(numero)
        for call, fault, times in scenario.faults:
            test.simulator.fault(call, fault, times, id)

    def row(self):
        return self.documents.find(self.installation, id_dps(self.numero))

    def ask(self):
        """What the client wants, once."""
        if not self.scenario.is_cancellation:
            return self.documents.post(self.numero)
        return self.documents.cancel(self.row()[0])

    def ask_aside(self):
        """As ask(), by a thread: the server may die meanwhile, or be long about it."""
        if self.asking:
            self.asking.join()
        self.asking = support.Aside(f"{self.case}: the client is answered", self.ask)

    def is_over(self):
        row = self.row()
        return row is not None and row[1] not in OPEN and \
            row[1] == ("CANCELADO" if self.scenario.is_cancellation else "AUTORIZADO")

    def wait_over(self):
        """The client keeps asking, the worker does the rest."""
        def over():
            if self.is_over():
                return True
            self.ask()
            return False
        wait_until(f"{self.case}: {self.numero} is over", over, SECONDS, self.row)

    def leave(self):
        """The first death, which leaves something for the life that is looked at."""
        if self.scenario.first_death:
            self.die_at(self.scenario.first_death)

    def watch(self):
        """How often each point is passed, before and until the end: {point: (before, after)}."""
        self.leave()
        self.node.start(watched=True)
        arrivals = self.node.arrivals
        before = {point: arrivals.count(point) for point in arrivals.points}
        if self.scenario.first_death:
            before = dict.fromkeys(before, 0)  # the worker begins when the process does
        self.ask()
        self.wait_over()
        passed = {point: (before[point], arrivals.count(point)) for point in arrivals.points}
        self.node.stop()
        return {point: counts for point, counts in passed.items() if counts[1] > counts[0]}

    def die_at(self, kill_at):
        """Idle work is not the same in every life: where the document alone does not lead there, others do, each in
        another way."""
        ways = itertools.cycle((None, "answer-lost", "drop-request", *(["slow"] if self.scenario.is_slow else [])))
        self.node.start(kill_at=kill_at)
        self.asking = None

        def died():
            if self.node.process.poll() is not None:
                return True
            if self.asking is None or not self.asking.is_running:
                if self.is_over():
                    filler, way = next(self.test.numbers), next(ways)
                    if way:
                        self.test.simulator.fault("emitir", way, 1, id_dps(filler))
                    self.documents.post(filler)
                else:
                    self.ask_aside()
            return False
        wait_until(f"{self.case}: {self.numero} dies at {kill_at}", died, SECONDS, self.row)
        self.node.wait_killed()
        if self.asking:
            self.asking.join()

    def run(self):
        """The death that is looked at, and what comes after it."""
        self.leave()
        self.die_at(self.kill_at)
        row = self.row()
        self.was = row[1] if row else None
        self.node.start()
        self.check()

    def check(self):
        """What is under way comes to an end without the client; then the client asks again."""
        test = self.test

        def settled():
            row = self.row()
            return row is None or row[1] not in OPEN
        wait_until(f"{self.case}: {self.numero}, which was {self.was}, is settled", settled, SECONDS, self.row)
        self.documents.ask_again_if_late(self.row, lambda: test.account(self.numero))
        test.judge(self.numero, self.row(), case=self.case)
        self.wait_over()
        account = test.judge(self.numero, self.row(), case=self.case)
        test.assertEqual(len({line["sha256"] for line in account.requests if line["call"] == "emitir"}), 1, self.case)
        again = self.ask()
        test.assertEqual((again.status, again.json["origem"]), (200, "cache"), f"{self.case}: {again}")
        test.assertEqual(again.json["documento"]["chave_acesso"], account.chave, self.case)
        if self.scenario.is_cancellation:
            test.assertTrue(account.is_cancelled)
            posted = self.documents.post(self.numero)
            test.assertEqual((posted.status, posted.problem), (409, "estado-nao-permite"), f"{self.case}: {posted}")
        self.node.stop()


class KillTest(Judged):
    """kill -9 where it hurts. Every life has a database of its own, and all have one authority."""

    def setUp(self):
        self.simulator = self.enterContext(Simulator())
        self.numbers = itertools.count(1)
        self.template, self.emitted = None, []

    def make_template(self, count):
        """A database with documents that are authorised already, one for each life that cancels."""
        with FiscalInstallation(self.simulator) as installation:
            documents = Documents(installation.node("serve").start())
            numbers = [next(self.numbers) for _ in range(count)]
            answers = support.in_threads(min(count, CLIENTS), lambda each: [
                documents.post_until(numero) for numero in numbers[each::CLIENTS]])
            self.assertEqual(sum(len(each) for each in answers), count)
            installation.nodes[0].stop()
            self.template = os.path.join(self.simulator.folder, "umavez.db")
            shutil.copy(os.path.join(installation.folder, "umavez.db"), self.template)
        self.emitted = numbers

    def life(self, scenario, kill_at=None):
        numero = self.emitted.pop() if scenario.is_cancellation else next(self.numbers)
        return Life(self, scenario, numero, kill_at)

    def side_by_side(self, run, lives):
        """What each run gives. The threads that start processes outlive them: else they would end with them."""
        with concurrent.futures.ThreadPoolExecutor(SIDE_BY_SIDE) as threads:
            results, errors = [], []
            for running in [threads.submit(run, life) for life in lives]:
                try:
                    results.append(running.result())
                except Exception as error:  # told in the end, with all others
                    errors.append(error)
        support.raise_worst(errors)
        return results

    def points_of(self, scenario, passed):
        """Where to kill: "point:arrival", of those that Life.watch gave."""
        chosen = []
        for point, (before, after) in passed.items():
            # These come with time, so they are waited for where a call takes some.
            if point.startswith(("heartbeat_", "sweep_")) and not scenario.is_slow:
                continue
            is_plain = not scenario.faults and not scenario.first_death
            most = after - before if TORTURE or (point.startswith("lane_") and is_plain) else 1
            chosen += [f"{point}:{before + each}" for each in range(1, most + 1)]
        return chosen

    def few_of_each(self, cases):
        of_points = collections.defaultdict(list)
        for scenario, kill_at in cases:
            of_points[kill_at.split(":")[0]].append((scenario, kill_at))
        draw = random.Random(SEED)
        return [case for point, of_point in of_points.items() for case in (
            of_point if point in AROUND_THE_CALL else draw.sample(of_point, min(DEATHS, len(of_point))))]

    def run_scenarios(self, scenarios):
        print(f"UMAVEZ_SEED={SEED}")
        self.make_template(len(scenarios))
        watched = self.side_by_side(Life.watch, [self.life(each) for each in scenarios])
        cases = self.few_of_each([(scenario, kill_at) for scenario, passed in zip(scenarios, watched)
                                  for kill_at in self.points_of(scenario, passed)])
        self.make_template(len(cases))
        self.side_by_side(Life.run, [self.life(scenario, kill_at) for scenario, kill_at in cases])
        self.killed = collections.Counter(kill_at.split(":")[0] for _, kill_at in cases)
        print(f"{len(cases)} deaths: {dict(self.killed)}")
        ledger = self.simulator.ledger
        twice = {id: account for id, account in ledger.accounts.items() if len(account.authorised) > 1}
        self.assertEqual(twice, {})

    def test_emission(self):
        self.run_scenarios([each for each in SCENARIOS if not each.is_cancellation])
        self.assertLessEqual(POINTS, set(self.killed))

    def test_cancellation(self):
        self.run_scenarios([each for each in SCENARIOS if each.is_cancellation])
        self.assertLessEqual(POINTS, set(self.killed))


if __name__ == "__main__":
    support.run_tests()
